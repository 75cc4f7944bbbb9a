// The names board: how close two names come to each profession, station by station, with the model as
// it is and with one head frozen. All scores were worked out beforehand, a byte each.

import { button, chooser, slider } from "../shared/controls.js";
import { drawn, live, node, setText } from "../shared/elements.js";
import { measure } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";
import { Chart } from "./chart.js";

const DIGITS = 2;

class NamesBoard {
  constructor({ labels, first, last, professions, stations, people, examples, scores, low, step, ticks }) {
    Object.assign(this, { labels, first, last, professions, stations, people });
    const sizes = [first.length, last.length, stations.length, professions.length];
    this.read = Object.fromEntries(Object.entries(scores).map(([kind, text]) =>
      [kind, reader(decoded(text, low, step), sizes)]));
    this.most = ticks.at(-1);
    this.choosers = [chooser(labels.first, first, (place) => this.call({ first: place })),
      chooser(labels.last, last, (place) => this.call({ last: place }))];
    this.slider = slider(labels.station, stations, (station) => this.show({ station }), labels.ends);
    this.chart = new Chart(labels, stations.length, ticks, (station) => this.show({ station }));
    this.rows = professions.map((profession, place) => this.row(profession, place));
    this.summary = live("summary");
    this.parts = [node("div", { class: "controls" }, ...this.choosers), this.examples(examples), this.panes(),
      this.summary, node("p", { class: "note" }, labels.note), node("p", { class: "note" }, `${labels.notice}.`)];
    const [one, other] = examples[0];
    this.at = { first: one, last: other, station: stations.length - 1 };
    this.call({});
  }

  examples(pairs) {
    const { labels, first, last } = this;
    return node("div", { class: "examples", role: "group", "aria-label": labels.examples },
      ...pairs.map(([one, other]) => button(`${first[one]} ${last[other]}`, () => this.call({ first: one, last: other }))));
  }

  // A profession and its two scores; a label, so that a press anywhere chooses it.
  row(profession, place) {
    const radio = node("input", { type: "radio", name: "profession" });
    radio.addEventListener("change", () => this.show({ profession: place }));
    const bars = { intact: node("span", {}), frozen: node("span", {}) };
    return { radio, bars, part: node("label", { class: "row" }, radio,
      node("span", { class: "word" }, profession), bars.intact, bars.frozen) };
  }

  panes() {
    const { labels, rows } = this;
    const heads = node("div", { class: "row heads", "aria-hidden": "true" }, node("span", {}),
      node("span", {}, labels.intact), node("span", {}, labels.frozen));
    return node("div", { class: "panes" }, node("div", {}, this.slider.part, ...this.chart.parts),
      node("div", { role: "radiogroup", "aria-label": labels.profession }, heads, ...rows.map(({ part }) => part)));
  }

  // Another name: its own profession, or the one that the name is closest to in the end.
  call(names) {
    const at = { ...this.at, ...names }, end = this.read.intact({ ...at, station: this.stations.length - 1 });
    const person = personOf(this.people, at);
    this.choosers.forEach((part, index) => { part.lastChild.selectedIndex = index ? at.last : at.first; });
    this.show({ ...names, profession: person ? person[2] : highest(end) });
  }

  show(changed) {
    this.at = { ...this.at, ...changed };
    const { at, labels, professions, stations, read } = this, { station, profession } = at;
    const scores = { intact: read.intact(at), frozen: read.frozen(at) };
    this.slider.set(station);
    this.rows.forEach(({ radio, bars }, place) => {
      const [intact, frozen] = ["intact", "frozen"].map((kind) => {
        const text = number(scores[kind][place], DIGITS);
        measure(bars[kind], scores[kind][place] / this.most, text, kind);
        return text;
      });
      radio.checked = place === profession;
      radio.setAttribute("aria-label", fill(labels.row, { profession: professions[place], intact, frozen }));
    });
    const along = (kind, which) => stations.map((_, place) => read[kind]({ ...at, station: place })[which]);
    this.chart.show({ station, profession: professions[profession], intact: along("intact", profession),
      frozen: along("frozen", profession),
      others: professions.flatMap((_, place) => (place === profession ? [] : [along("intact", place)])) });
    const name = `${this.first[at.first]} ${this.last[at.last]}`, known = personOf(this.people, at);
    setText(this.summary, sentences(labels, { name, station: stations[station], profession, professions, known }, scores).join(" "));
  }
}

export const mount = drawn(NamesBoard);

// Scores as they are stored: bytes, in steps above the lowest.
export function decoded(text, low, step) {
  return Array.from(atob(text), (byte) => (byte.charCodeAt(0) + low) / step);
}

// Reads the scores of all professions for two names at a station.
export function reader(scores, [, lasts, stations, professions]) {
  return ({ first, last, station }) => {
    const from = ((first * lasts + last) * stations + station) * professions;
    return scores.slice(from, from + professions);
  };
}

export function highest(scores) {
  return scores.indexOf(Math.max(...scores));
}

function personOf(people, { first, last }) {
  return people.find(([one, other]) => one === first && other === last);
}

// What the frozen head changes for the chosen profession, and which one has the highest score.
export function sentences(labels, { name, station, profession, professions, known }, { intact, frozen }) {
  const [before, after] = [intact, frozen].map((scores) => number(scores[profession], DIGITS));
  const kind = before === after ? "stays" : frozen[profession] < intact[profession] ? "falls" : "rises";
  const [top, then] = [highest(intact), highest(frozen)], places = { profession: professions[top], other: professions[then] };
  return [
    fill(labels[kind], { name, station, profession: professions[profession], intact: before, frozen: after }),
    fill(top === then ? labels.same : labels.other, { ...places, count: professions.length }),
    ...(known ? [] : [fill(labels.nobody, { name })]),
  ];
}
