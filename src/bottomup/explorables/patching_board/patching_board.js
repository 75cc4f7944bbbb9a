// The patching board: what a patch of one head at one position brings, beside what the head reads there.
// Effects and weights are whole hundredths [head][position]; effects have a row and a column more, for
// all heads and for all positions.

import { chooser, radios } from "../shared/controls.js";
import { drawn, live, node, setText } from "../shared/elements.js";
import { onKeys } from "../shared/events.js";
import { within } from "../shared/numbers.js";
import { table, tableRow } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";

const MOVES = {
  ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0],
  Home: [0, -Infinity], End: [0, Infinity],
};
const BASE = { denoising: "corrupted", noising: "clean" }; // the run into which something is put

class PatchingBoard {
  constructor({ labels, metrics, heads, sentences }) {
    Object.assign(this, { labels, metrics, heads, sentences, direction: "denoising", metric: metrics[0] });
    this.texts = node("div", { class: "texts" });
    this.effects = node("div", {});
    this.weights = node("div", {});
    this.summary = live("summary");
    this.parts = [this.controls(), this.texts,
      node("div", { class: "panes" }, this.effects, this.weights), this.summary];
    this.showPair(0);
  }

  controls() {
    const { labels, sentences, metrics } = this;
    const directions = Object.entries(labels.directions).map(([direction, text]) =>
      [text, () => this.show({ direction })]);
    return node("div", { class: "controls" },
      chooser(labels.pair, sentences.map(({ kind }) => kind), (index) => this.showPair(index)),
      radios("direction", labels.direction, directions),
      ...(metrics.length > 1
        ? [radios("metric", labels.metric, metrics.map((metric) => [metric.label, () => this.show({ metric })]))] : []));
  }

  // Another pair has other words: the grids are made anew.
  showPair(index) {
    const { labels, sentences, heads } = this, pair = sentences[index];
    const changed = pair.clean.map((word, place) => word !== pair.corrupted[place]);
    const rows = [...heads, labels.all];
    this.pair = pair;
    this.texts.replaceChildren(...["clean", "corrupted"].map((run, which) => sentence(labels, run, pair, which, changed)),
      node("p", { class: "note" }, fill(labels.written, { words: pair.written.join(" ") || labels.nothing })));
    this.cells = rows.map(() => [...pair.clean, labels.all].map(() => node("td", {})));
    this.read = heads.map(() => pair.clean.map(() => node("td", {})));
    this.words = [this.effects, this.weights].map(() => pair.clean.map(() => node("span", {})));
    const [words, read] = this.words.map((spans) => spans.map((word, place) => head(word, changed[place])));
    const grid = table({ role: "grid", "aria-label": labels.grid }, null,
      [node("td", {}), ...words, head(node("span", {}, labels.all))],
      node("tbody", {}, ...rows.map((name, row) => tableRow(name, ...this.cells[row]))));
    this.listen(grid);
    this.effects.replaceChildren(node("p", { class: "title" }, labels.effects), grid);
    this.caption = node("p", { class: "title" });
    this.picture = node("div", { role: "img" }, table({}, null,
      [node("td", {}), ...read, node("td", {})],
      node("tbody", {}, ...heads.map((name, row) => tableRow(name, ...this.read[row], node("td", {}))))));
    this.weights.replaceChildren(this.caption, this.picture);
    const chosen = largest(pair.effects[this.direction][this.metric.name].slice(0, -1).map((row) => row.slice(0, -1)));
    this.show({ chosen });
  }

  listen(grid) {
    onKeys(grid, MOVES, (move) => {
      const [row, column] = this.chosen.map((place, axis) =>
        within(place + move[axis], 0, (axis ? this.cells[0] : this.cells).length - 1));
      this.cells[row][column].focus();
    });
    grid.addEventListener("focusin", ({ target }) => this.choose(target));
    grid.addEventListener("click", ({ target }) => target.closest("tbody td")?.focus());
  }

  choose(cell) {
    const row = this.cells.findIndex((cells) => cells.includes(cell));
    if (row >= 0) this.show({ chosen: [row, this.cells[row].indexOf(cell)] });
  }

  show({ direction = this.direction, metric = this.metric, chosen = this.chosen }) {
    Object.assign(this, { direction, metric, chosen });
    const { labels, pair, heads } = this, run = BASE[direction];
    const effects = pair.effects[direction][metric.name], weights = pair.weights[run];
    for (const spans of this.words) spans.forEach((span, place) => { span.textContent = pair[run][place]; });
    this.cells.forEach((cells, row) => cells.forEach((cell, column) => {
      const value = effects[row][column], at = row === chosen[0] && column === chosen[1];
      cell.className = kind(value, row === heads.length || column === pair.clean.length);
      cell.style.setProperty("--weight", within(Math.abs(value) / 100, 0, 1));
      cell.textContent = value ? number(value, 0) : "";
      cell.tabIndex = at ? 0 : -1;
      cell.setAttribute("aria-selected", at);
      const said = { ...this.named(row, column, run), effect: shown(value) };
      const weight = weights[row]?.[column];
      cell.setAttribute("aria-label", weight === undefined ? fill(labels.cell, said)
        : fill(labels.cell_weight, { ...said, weight: shown(weight) }));
    }));
    this.read.forEach((cells, row) => cells.forEach((cell, column) => {
      const weight = weights[row][column];
      cell.className = row === chosen[0] && column === chosen[1] ? "effect chosen" : "effect";
      cell.style.setProperty("--weight", weight / 100);
      cell.textContent = weight || "";
    }));
    this.caption.textContent = fill(labels.weights, { run: labels[run] });
    this.picture.setAttribute("aria-label", [this.caption.textContent, ...weights.map((row, index) =>
      fill(labels.reads, { head: fill(labels.head, { head: heads[index] }), words: mostRead(labels, row, pair[run]) }))].join(". "));
    setText(this.summary, sentences(labels, this, effects, weights).join(" "));
  }

  // How a row and a column are called in a sentence; words are those of the run that is patched.
  named(row, column, run) {
    const { labels, heads, pair } = this;
    return {
      name: heads[row],
      head: row < heads.length ? fill(labels.head, { head: heads[row] }) : labels.every_head,
      place: column < pair.clean.length ? fill(labels.at, { word: pair[run][column] }) : labels.everywhere,
    };
  }
}

export const mount = drawn(PatchingBoard);

function sentence(labels, run, pair, which, changed) {
  const words = pair[run].flatMap((word, place) => [" ", changed[place] ? node("b", {}, word) : word]);
  return node("p", {}, node("span", { class: "run" }, labels[run]), ...words, " ",
    node("span", { class: "answer" }, fill(labels.next, { answer: pair.answers[which] })));
}

function head(word, changed = false) {
  return node("th", { scope: "col", ...(changed && { class: "changed" }) }, word);
}

function kind(value, margin) {
  return ["effect", ...(value < 0 ? ["negative"] : []), ...(margin ? ["margin"] : [])].join(" ");
}

export function shown(hundredths) {
  return number(hundredths / 100, 2);
}

// The place of the largest number of a table, the first of several.
export function largest(rows) {
  const most = Math.max(...rows.flat()), row = rows.findIndex((one) => one.includes(most));
  return [row, rows[row].indexOf(most)];
}

function mostRead(labels, row, words) {
  const places = [...row.keys()].filter((place) => row[place]).sort((a, b) => row[b] - row[a]).slice(0, 2);
  return places.map((place) => fill(labels.quoted, { word: words[place], weight: shown(row[place]) })).join(", ") || labels.nothing;
}

// What the chosen patch does, and whether the largest effect lies where the largest weight does.
export function sentences(labels, board, effects, weights) {
  const { chosen: [row, column], direction, metric, pair } = board, run = BASE[direction];
  const [right, wrong] = pair.answers, weight = weights[row]?.[column];
  const single = effects.slice(0, -1).map((one) => one.slice(0, -1)), [top, most] = [single, weights].map(largest);
  const [one, other] = [top, most].map((at) => board.named(...at, run));
  return [
    fill(direction === "denoising" ? labels.brings : labels.loses,
      { ...board.named(row, column, run), effect: shown(effects[row][column]), metric: metric.label, right, wrong }),
    ...(weight === undefined ? [] : [fill(labels.puts, { weight: shown(weight) })]),
    fill(labels.largest, { ...one, effect: shown(single[top[0]][top[1]]),
      weight: shown(weights[most[0]][most[1]]), other: other.name, there: other.place }),
  ];
}
