// The gallery of heads: what every head reads, and the accuracy with heads turned off. Accuracies
// are looked up, never worked out: the place of a subset is the sum of 2^head over the heads off.

import { button, chooser } from "../shared/controls.js";
import { assign, drawn, legend, legendKey, live, node, setText, svg } from "../shared/elements.js";
import {
  CELL, LargeMap, cell, drawSmall, frameQuery, hundredths, keyNames, layersOf, mostVaried, ranked, reading, shade, sizes,
} from "../shared/heads.js";
import { sum } from "../shared/numbers.js";
import { columnHead, table, tableRow } from "../shared/tables.js";
import { fill, number, signed } from "../shared/words.js";

const DIGITS = 3; // of an accuracy
const MILLION = 1e6; // accuracies come in whole millionths

class HeadGallery {
  constructor({ labels, sentences, accuracy, parts, chance }) {
    Object.assign(this, { labels, sentences, chance, layers: accuracy.length });
    this.accuracy = inShares(accuracy);
    this.shares = parts.map((part) => ({ name: part.name, accuracy: inShares(part.accuracy),
      bar: node("span", { class: "bar" }) }));
    this.switches = { layer: 0, off: 0 }; // which heads of the layer are off, one bit each
    this.heads = accuracy.flatMap((subsets, layer) =>
      Array.from({ length: Math.log2(subsets.length) }, (_, index) => this.head(layer, index)));
    this.chosen = this.heads[0];
    this.chosen.radio.checked = true;
    this.status = live("status");
    this.bar = node("span", { class: "bar" });
    this.map = new LargeMap(labels, (query) => this.show({ query }));
    this.summary = live("summary");
    this.caption = node("caption", { class: "title" });
    this.strips = columnHead("", { "aria-label": labels.keys });
    const choice = sentences.length > 1 ? [chooser(labels.sentence, sentences.map(({ title }) => title),
      (index) => this.showSentence(index))] : [];
    this.parts = [...choice, node("div", { class: "switches" }, this.result(), this.gallery()), this.panes()];
    this.showSentence(0);
    this.showSwitches(this.switches);
  }

  // A head has a small map, which chooses it, a switch, and a row of the table.
  head(layer, index) {
    const name = this.layers > 1 ? `${layer + 1}.${index + 1}` : `${index + 1}`;
    const said = fill(this.labels.head, { head: name });
    const head = { layer, index, name, after: node("span", { class: "after" }),
      small: svg("svg", { "aria-hidden": "true" }),
      radio: node("input", { type: "radio", name: "head", "aria-label": said }),
      toggle: node("input", { type: "checkbox", role: "switch" }),
      strip: node("td", {}), most: node("td", {}) };
    head.radio.addEventListener("change", () => this.show({ chosen: head }));
    head.toggle.addEventListener("change", () => this.showSwitches(switched(this.switches, head)));
    head.part = node("div", { class: "head" },
      node("label", { class: "small" }, head.radio, head.small),
      node("label", { class: "toggle" }, head.toggle, node("span", {}, name)), head.after);
    head.row = tableRow(name, head.strip, head.most);
    return head;
  }

  gallery() {
    const { labels, heads } = this;
    return node("div", { class: "gallery", role: "group", "aria-label": labels.heads },
      ...layersOf(heads, labels.layer), node("p", { class: "note" }, `${labels.how} ${labels.one_layer}`));
  }

  // It stays in sight while the page scrolls over the switches.
  result() {
    const { labels, chance } = this, whole = this.accuracy[0][0];
    const mark = (kind, value) => node("span", { class: `mark ${kind}`, style: `left: ${100 * value}%` });
    const named = (kind, value) => legendKey(node("span", { class: `mark ${kind}` }),
      fill(labels[kind], { value: number(value, DIGITS) }));
    return node("div", { class: "result" }, this.status,
      node("div", { class: "scale", "aria-hidden": "true" }, this.bar,
        mark("chance", chance), mark("whole", whole)),
      ...this.shares.map(({ name, bar }) => node("div", { class: "part", "aria-hidden": "true" },
        node("span", {}, name), node("div", { class: "scale" }, bar))),
      node("div", { class: "under" }, legend(named("chance", chance), named("whole", whole)),
        button(labels.all_on, () => this.showSwitches({ ...this.switches, off: 0 }))));
  }

  panes() {
    const { labels, map } = this;
    this.lower = node("div", { class: "panes" },
      node("div", {}, map.title, map.part, this.summary, node("p", { class: "note" }, labels.maps)),
      table({}, this.caption, [labels.name, this.strips, labels.most],
        node("tbody", {}, ...this.heads.map((head) => head.row))));
    return this.lower;
  }

  showSwitches(switches) {
    const before = this.switches;
    const again = switches.layer !== before.layer && before.off ? before.layer : null;
    this.switches = switches;
    for (const head of this.heads) {
      const off = isOff(switches, head);
      const accuracy = number(accuracyAt(this.accuracy, switched(switches, head)), DIGITS);
      head.toggle.checked = !off;
      head.toggle.setAttribute("aria-label", fill(this.labels.switch, { head: head.name, accuracy }));
      head.after.textContent = `→ ${accuracy}`;
      for (const part of [head.part, head.row]) part.classList.toggle("off", off);
    }
    for (const { bar, accuracy } of [this, ...this.shares]) bar.style.width = `${100 * accuracyAt(accuracy, switches)}%`;
    this.status.replaceChildren(...this.said(again));
    this.show({});
  }

  said(again) {
    const { labels, switches } = this, subsets = this.accuracy[switches.layer];
    const out = this.heads.filter((head) => isOff(switches, head)), said = [];
    if (again !== null) said.push(fill(labels.again, { layer: again + 1 }));
    if (!out.length) said.push(labels.none_off);
    else said.push(fill(labels.off, { heads: out.map(({ name }) => name).join(", "),
      change: signed(subsets[switches.off] - subsets[0], DIGITS) }));
    if (out.length > 1) said.push(fill(labels.apart, { sum: signed(changesAlone(subsets, switches.off), DIGITS) }));
    const parts = this.shares.map(({ name, accuracy }) => `${name} ${number(accuracyAt(accuracy, switches), DIGITS)}`);
    const measured = [labels.accuracy, ...(parts.length ? [`(${parts.join(", ")})`] : [])].join(" ");
    return [node("b", {}, number(subsets[switches.off], DIGITS)), ` ${measured}. ${said.join(" ")}`];
  }

  showSentence(index) {
    const { words, queries, weights } = this.sentence = this.sentences[index];
    assign(this.lower, sizes(queries, words));
    this.map.setWords(queries, words);
    this.strips.replaceChildren(keyNames(words));
    for (const head of this.heads) {
      head.weights = weights[head.layer][head.index];
      head.cells = words.map(() => cell());
      head.strip.replaceChildren(node("div", { class: "strip", "aria-hidden": "true" }, ...head.cells));
      const width = words.length * CELL, height = queries.length * CELL;
      drawSmall(head.small, head.weights, undefined, svg("path", { class: "strike", d: `M0 ${height}L${width} 0` }));
    }
    this.show({ query: mostVaried(this.heads, queries.length) });
  }

  show({ query = this.query, chosen = this.chosen }) {
    Object.assign(this, { query, chosen });
    const { labels, heads, sentence: { words, queries } } = this;
    this.map.show(fill(labels.map, { head: chosen.name }), query, chosen.weights);
    this.caption.textContent = fill(labels.reading, { query: queries[query] });
    for (const head of heads) {
      const weights = head.weights[query], [most] = ranked(weights);
      shade(head.cells, weights);
      frameQuery(head.small, query);
      head.row.classList.toggle("chosen", head === chosen);
      head.most.textContent = isOff(this.switches, head) ? labels.is_off
        : most === undefined ? labels.nothing : `${words[most]} ${hundredths(weights[most])}`;
    }
    setText(this.summary, reading(labels, heads, chosen, query, queries, words).join(" "));
  }
}

export const mount = drawn(HeadGallery);

// After a head's switch is used: of another layer, it turns the first layer's heads on again.
export function switched(switches, { layer, index }) {
  return { layer, off: (layer === switches.layer ? switches.off : 0) ^ (1 << index) };
}

export function isOff({ layer, off }, head) {
  return layer === head.layer && Boolean(off & (1 << head.index));
}

function inShares(accuracy) {
  return accuracy.map((subsets) => subsets.map((share) => share / MILLION));
}

function accuracyAt(accuracy, { layer, off }) {
  return accuracy[layer][off];
}

// What heads cost when they are turned off one at a time, added up.
export function changesAlone(subsets, off) {
  const alone = Array.from({ length: Math.log2(subsets.length) }, (_, index) => 1 << index);
  return sum(alone.filter((subset) => off & subset).map((subset) => subsets[subset] - subsets[0]));
}
