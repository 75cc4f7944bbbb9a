// The induction circuit on a text of the reader's own: what both heads read, and what is predicted.

import { checkbox, radios, slider } from "../shared/controls.js";
import { assign, drawn, live, node, setText } from "../shared/elements.js";
import { LargeMap, cell, keyNames, ranked, shade, sizes } from "../shared/heads.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill } from "../shared/words.js";
import { agreeing, circuit, counted } from "./circuit.js";

const PARTS = ["queries", "keys", "values"];

class InductionBuilder {
  constructor({ labels, symbols, sentences, betas, start }) {
    Object.assign(this, { labels, symbols, sentences, betas });
    Object.assign(this, { text: sentences[0], beta: betas[start], begin: true, query: null });
    this.cuts = Object.fromEntries(PARTS.map((part) => [part, false]));
    this.map = new LargeMap(labels, (query) => this.show({ query }));
    this.first = { title: node("p", { class: "title" }, labels.first),
      part: node("div", { class: "map", role: "img" }) };
    this.caption = node("caption", { class: "title" });
    this.measures = symbols.map(() => [node("td", {}), node("td", {})]);
    this.summary = live("summary");
    this.parts = [this.controls(start), this.slots(), this.panes(), this.summary];
    this.write({});
  }

  controls(start) {
    const { labels, betas, sentences, symbols } = this;
    this.examples = radios("example", labels.examples, sentences.map((text) =>
      [text.map((one) => symbols[one]).join(" "), () => this.write({ text })]));
    this.sharp = slider(labels.beta, betas.map(String), (place) => {
      this.sharp.set(place);
      this.show({ beta: betas[place] });
    });
    this.sharp.set(start);
    const begins = checkbox(labels.begin, (begin) => this.write({ begin }));
    begins.firstChild.checked = true;
    const cuts = node("fieldset", {}, node("legend", { class: "name" }, labels.cuts),
      node("div", { class: "cuts" }, ...PARTS.map((part) => checkbox(labels.parts[part],
        (cut) => this.show({ cuts: { ...this.cuts, [part]: cut } })))));
    return node("div", { class: "top" }, this.examples,
      node("div", { class: "controls" }, this.sharp.part, begins, cuts));
  }

  slots() {
    const { labels, symbols } = this;
    this.selects = this.text.map((_, place) => {
      const select = node("select", { "aria-label": fill(labels.slot, { place: place + 1 }) },
        ...symbols.map((symbol) => node("option", {}, symbol)));
      select.addEventListener("change", () => {
        const text = this.text.map((one, at) => (at === place ? select.selectedIndex : one));
        this.write({ text });
      });
      return select;
    });
    return node("fieldset", { class: "text" }, node("legend", { class: "name" }, labels.slots),
      node("div", { class: "slots" }, ...this.selects));
  }

  panes() {
    const { labels, map, first } = this;
    const body = node("tbody", {}, ...this.symbols.map((symbol, index) =>
      tableRow(symbol, ...this.measures[index])));
    this.lower = node("div", { class: "panes" },
      node("div", {}, first.title, first.part), node("div", {}, map.title, map.part),
      table({}, this.caption, [labels.symbol, labels.predicted, labels.counted], body));
    return this.lower;
  }

  // Another text, or one place more or less: rows and columns are made anew.
  write({ text = this.text, begin = this.begin }) {
    Object.assign(this, { text, begin });
    const { labels, symbols } = this, words = text.map((one) => symbols[one]);
    this.words = begin ? [labels.word, ...words] : words;
    this.selects.forEach((select, place) => { select.selectedIndex = text[place]; });
    this.examples.querySelectorAll("input").forEach((radio, index) => {
      radio.checked = String(this.sentences[index]) === String(text);
    });
    assign(this.lower, sizes(this.words, this.words));
    this.map.setWords(this.words, this.words, later);
    this.rows = this.words.map((word, query) => ({ word,
      cells: this.words.map((_, key) => cell(later(query, key) ? "cell hidden" : "cell")) }));
    this.first.part.replaceChildren(keyNames(this.words), ...this.rows.map(({ word, cells }) =>
      node("div", { class: "row plain" }, node("span", { class: "word" }, word), ...cells)));
    this.show({ query: this.words.length - 1 });
  }

  show({ query = this.query, beta = this.beta, cuts = this.cuts }) {
    Object.assign(this, { query, beta, cuts });
    const { labels, symbols, words } = this;
    const { tokens, first, second, answers } = circuit(this.text,
      { symbols: symbols.length, beta, begin: this.begin, cuts });
    const shares = counted(tokens, query, symbols.length), right = agreeing(tokens, answers, symbols.length);
    const [one, two] = [first, second].map((rows) => rows.map((row) => row.map((w) => Math.round(100 * w))));
    this.map.show(labels.second, query, two);
    this.rows.forEach(({ cells }, index) => {
      shade(cells, one[index]);
      cells.forEach((part, key) => { part.textContent = one[index][key] || ""; });
      cells[0].parentNode.classList.toggle("current", index === query);
    });
    this.first.part.setAttribute("aria-label", [labels.first, ...words.map((word, index) =>
      fill(labels.row, { query: word, words: this.read(one[index]) }))].join(" "));
    const place = { place: this.placeOf(query), query: words[query] };
    this.caption.textContent = fill(labels.bars, place);
    this.measures.forEach(([predicted, known], symbol) => {
      measure(predicted, answers[query][symbol], answers[query][symbol].toFixed(2));
      measure(known, shares[symbol], shares[symbol].toFixed(2));
    });
    setText(this.summary, [
      fill(labels.reads, { ...place, first: this.read(one[query]), second: this.read(two[query]) }),
      fill(labels.result, { predicted: this.shares(answers[query]), counted: this.shares(shares) }),
      fill(labels.agree, { right: right.filter(Boolean).length, all: right.length }),
    ].join(" "));
  }

  // Places are counted from 1, the begin token's is 0.
  placeOf(index) {
    return this.begin ? index : index + 1;
  }

  // What is read, the most read first; where all is read alike, that.
  read(weights) {
    const { labels, words } = this, read = ranked(weights);
    if (read.length > 2 && weights[read[0]] - weights[read.at(-1)] <= 1)
      return fill(labels.all_alike, { count: read.length });
    return read.slice(0, 3).map((key) => fill(this.begin && key === 0 ? labels.front : labels.at,
      { word: words[key], place: this.placeOf(key), weight: (weights[key] / 100).toFixed(2) })).join(", ");
  }

  shares(values) {
    const { labels, symbols } = this, order = [...values.keys()].filter((symbol) => values[symbol] >= 0.005);
    return order.sort((a, b) => values[b] - values[a]).slice(0, 3).map((symbol) => fill(labels.share,
      { word: symbols[symbol], weight: values[symbol].toFixed(2) })).join(", ") || labels.nothing;
  }
}

export const mount = drawn(InductionBuilder);

function later(query, key) {
  return key > query;
}
