// The alignment explorer: which source words a decoder reads before each target token.

import { chooser, radios } from "../shared/controls.js";
import { drawn, live, node, svg } from "../shared/elements.js";
import { below, onKeys } from "../shared/events.js";
import { sum, within } from "../shared/numbers.js";
import { fill } from "../shared/words.js";
import { chart } from "./chart.js";

const SCRIPTS = ["hangul", "romanised", "gloss"];
const LANGUAGE = { hangul: "ko", romanised: "ko-Latn", gloss: "en" };
const MOVES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

class AlignmentExplorer {
  constructor({ labels, scores, sentences, curves }) {
    Object.assign(this, { labels, scores, sentences, curves });
    this.score = scores[0];
    this.script = "hangul";
    this.source = node("ol", { class: "source", "aria-label": labels.source });
    this.target = node("div", { class: "target", role: "listbox", "aria-label": labels.target });
    this.summary = live("summary ruled");
    this.count = node("p", { class: "count" });
    this.overview = node("div", { class: "overview" });
    this.chart = node("div", { class: "chart" });
    this.listen();
    this.parts = [this.controls(), this.words(), this.summary, this.readings()];
    this.showSentence(0);
  }

  controls() {
    const { labels } = this;
    const scores = this.scores.map((score) => [score.label, () => this.showScore(score)]);
    const scripts = SCRIPTS.map((name) => [labels[name], () => this.showScript(name)]);
    return node("div", { class: "controls" },
      chooser(labels.sentence, this.sentences.map(({ title }) => title),
        (index) => this.showSentence(index)),
      radios("score", labels.score, scores),
      radios("script", labels.script, scripts));
  }

  words() {
    const { labels } = this;
    const gold = (kind) => node("span", { class: "key" },
      node("span", { class: "sample", "data-gold": kind }), labels[kind]);
    return node("div", {}, this.source, this.target,
      node("p", { class: "legend" }, gold("sure"), gold("possible"), labels.how));
  }

  readings() {
    return node("div", { class: "below" },
      node("div", {}, this.overview, this.count), this.chart);
  }

  listen() {
    const { target, overview } = this;
    const follow = (event) => {
      const option = below(target, event)?.closest("[role=option]");
      if (option && target.contains(option)) this.showTarget(this.options.indexOf(option));
    };
    const pick = (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.showTarget(Number(row.dataset.row));
    };
    for (const kind of ["pointermove", "pointerdown"]) {
      target.addEventListener(kind, follow);
      overview.addEventListener(kind, pick);
    }
    onKeys(target, MOVES, (by) => {
      this.showTarget(within(this.current + by, 0, this.options.length - 1));
      this.options[this.current].focus();
    });
  }

  showSentence(number) {
    this.sentence = this.sentences[number];
    this.bars = this.sentence.source.map(sourceWord);
    this.source.replaceChildren(...this.bars);
    this.options = this.sentence.target.map((_, index) => this.option(index));
    this.target.replaceChildren(...this.options);
    this.current = farthest(this.sentence);
    this.showScript(this.script);
    this.showScore(this.score);
  }

  option(index) {
    const { target, romanised, glosses } = this.sentence;
    return node("div", { role: "option" },
      node("span", { class: "hangul", lang: "ko" }, target[index]),
      node("span", { class: "romanised", lang: "ko-Latn" }, romanised[index]),
      node("span", { class: "gloss", lang: "en" }, glosses[index]));
  }

  showScript(name) {
    this.script = name;
    this.target.dataset.script = name;
    if (this.weights) this.showSummary();
  }

  showScore(score) {
    this.score = score;
    this.weights = this.sentence.weights[score.name];
    const { right, all } = hits(this.sentence, this.weights);
    this.count.textContent = fill(this.labels.count, { right, all, score: score.label });
    this.overview.replaceChildren(...matrix(this));
    this.chart.replaceChildren(...chart(this));
    this.showTarget(this.current);
  }

  showTarget(index) {
    this.current = index;
    for (const [number, option] of this.options.entries()) {
      option.setAttribute("aria-selected", String(number === index));
      option.tabIndex = number === index ? 0 : -1;
    }
    this.overview.querySelector(".current").setAttribute("y", index * CELL);
    const gold = goldOf(this.sentence, index);
    for (const [position, bar] of this.bars.entries()) {
      const weight = this.weights[index][position];
      bar.style.setProperty("--weight", weight);
      bar.querySelector(".weight").textContent = shown(weight) ?? "";
      bar.dataset.gold = gold.has(position) ? (gold.get(position) ? "sure" : "possible") : "";
    }
    this.showSummary();
  }

  showSummary() {
    const { labels, sentence, current } = this;
    const weights = this.weights[current];
    const quoted = sentence.source.map((word) => fill(labels.quoted, { word }));
    const read = weights.map((weight, position) => [weight, quoted[position]]);
    read.push([1 - sum(weights), labels.end]);
    const most = read.sort((a, b) => b[0] - a[0]).slice(0, 3).filter(([weight]) => shown(weight));
    const words = most.map(([weight, word]) => `${word} ${shown(weight)}`).join(", ");
    // Split first: a word of the sentence might look like a place to fill.
    const [before, after] = labels.reads.split("{word}").map((part) => fill(part, { words }));
    const said = `${after} ${labels[verdict(sentence, weights, current)]}`;
    this.summary.replaceChildren(before, ...this.nameOf(current), said);
  }

  nameOf(index) {
    const { target, romanised, glosses } = this.sentence;
    const written = { hangul: target, romanised, gloss: glosses }[this.script][index];
    const name = node("b", { lang: LANGUAGE[this.script] }, written);
    return this.script === "gloss" ? [name] : [name, ` (${glosses[index]})`];
  }
}

export const mount = drawn(AlignmentExplorer);

export function goldOf(sentence, index) {
  const links = sentence.links.filter(([target]) => target === index);
  return new Map(links.map(([, source, sure]) => [source, sure]));
}

// The first of the largest weights, as the chapter's error rate counts; null for a row of zeros.
export function largest(weights) {
  const most = Math.max(...weights);
  return most > 0 ? weights.indexOf(most) : null;
}

export function verdict(sentence, weights, index) {
  const gold = goldOf(sentence, index);
  if (gold.size === 0) return "unlinked";
  const sure = gold.get(largest(weights));
  return sure === undefined ? "off" : sure ? "on_sure" : "on_possible";
}

export function hits(sentence, weights) {
  const verdicts = weights.map((row, index) => verdict(sentence, row, index));
  const right = verdicts.filter((found) => found.startsWith("on_")).length;
  return { right, all: verdicts.filter((found) => found !== "unlinked").length };
}

// Start where the two languages differ most: at the token whose sure link leads farthest away.
export function farthest({ source, target, links }) {
  const distance = ([t, s]) => Math.abs(t / target.length - s / source.length);
  const sure = links.filter((link) => link[2]);
  return sure.length ? sure.reduce((a, b) => (distance(b) > distance(a) ? b : a))[0] : 0;
}

export function shown(weight) {
  return weight >= 0.005 ? weight.toFixed(2) : null;
}

const CELL = 16, LETTER = 7, GAP = 4; // in pixels; a letter is at most about so wide
const LONGEST = 14; // letters of a word beside its row or above its column

function matrix({ labels, sentence: { source, glosses, links }, weights }) {
  const width = source.length * CELL, height = glosses.length * CELL;
  const [left, top] = [glosses, source].map((words) => 2 * GAP + LETTER * Math.max(...words.map((word) => brief(word).length)));
  const cell = (target, source, attributes) => svg("rect", {
    x: source * CELL + 1, y: target * CELL + 1, width: CELL - 2, height: CELL - 2, ...attributes,
  });
  const line = { x: -left, width: left + width, height: CELL };
  const rows = weights.map((row, target) => svg("g", { "data-row": target },
    svg("rect", { ...line, class: "row", y: target * CELL }),
    svg("text", { x: -GAP, y: target * CELL + 12, "text-anchor": "end" }, brief(glosses[target])),
    ...row.map((weight, source) => cell(target, source, { class: "cell", "fill-opacity": weight }))));
  const columns = source.map((word, place) =>
    svg("text", { transform: `translate(${place * CELL + 12},${-GAP})rotate(-90)` }, brief(word)));
  const gold = links.map(([target, source, sure]) =>
    cell(target, source, { class: sure ? "gold sure" : "gold possible" }));
  const size = [left + width + 2, top + height + 2];
  return [node("p", { class: "title" }, labels.overview),
    svg("svg", { viewBox: [-left - 1, -top - 1, ...size].join(" "), width: size[0], height: size[1],
      role: "img", "aria-label": labels.overview,
    }, ...columns, ...rows, ...gold, svg("rect", { ...line, class: "current" }))];
}

export function brief(word) {
  return word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word;
}

function sourceWord(word) {
  const bar = node("span", { class: "bar" });
  return node("li", {}, node("span", { class: "track", "aria-hidden": "true" }, bar),
    node("span", { class: "word", lang: "en" }, word), node("span", { class: "weight" }));
}
