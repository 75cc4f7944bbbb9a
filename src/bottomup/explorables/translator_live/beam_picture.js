// The tree of a beam search, which a slider lets grow: a column for each step, in it what was kept.

import { stepper, slider } from "../shared/controls.js";
import { node, svg } from "../shared/elements.js";
import { fill, number } from "../shared/words.js";
import { within } from "../shared/numbers.js";

const WIDE = 92, HIGH = 40, BOX = [78, 30], EDGE = 4; // in pixels
const LETTERS = 10, LISTED = 3;

export class BeamPicture {
  constructor(labels) {
    this.labels = labels;
    this.box = node("div", { class: "tree", tabindex: "0", role: "region", "aria-label": labels.name });
    this.list = node("ol", { class: "found" });
    this.head = node("div", {});
    this.part = node("div", {}, this.head, this.box, node("p", { class: "title" }, labels.list), this.list);
  }

  show(search, tell) {
    if (search === this.search) return;
    Object.assign(this, { search, tell, columns: grown(search.steps), at: search.steps.length });
    const { labels, columns } = this, steps = columns.length - 1;
    this.slider = slider(labels.step, Array.from({ length: steps }, (_, n) => fill(labels.of, { step: n + 1, steps })),
      (place) => this.grow(place + 1));
    this.head.replaceChildren(stepper(this.slider.part, ["←", labels.before], ["→", labels.after], (by) => this.grow(this.at + by)));
    this.grow(steps);
  }

  grow(at) {
    const { columns, labels, tell } = this;
    this.at = within(at, 1, columns.length - 1);
    this.slider.set(this.at - 1);
    const shown = columns.slice(0, this.at + 1), tallest = Math.max(...columns.map((column) => column.length));
    const way = new Set(wayTo(bestOf(shown)));
    const width = WIDE * columns.length, height = HIGH * tallest + 2 * EDGE;
    const lines = shown.slice(1).flat().map((one) => svg("path", { class: way.has(one) ? "edge winner" : "edge", d: edge(one) }));
    const boxes = shown.flat().map((one) => svg("g", { class: `node${one.ended ? " ended" : ""}${way.has(one) ? " winner" : ""}` },
      svg("rect", { x: left(one), y: top(one), width: BOX[0], height: BOX[1], rx: 5 }),
      svg("text", { x: left(one) + BOX[0] / 2, y: top(one) + 13 }, one.n ? shortened(tell(one.token)) : labels.begin),
      svg("text", { x: left(one) + BOX[0] / 2, y: top(one) + 26 }, number(one.total, 2))));
    const said = fill(labels.said, { step: this.at, kept: shown.at(-1).filter(({ ended }) => !ended).length,
      best: wayTo(bestOf(shown)).slice(1).map(({ token }) => tell(token)).join(" ") });
    this.list.replaceChildren(...found(shown).slice(0, LISTED).map((one) => node("li", {},
      `${wayTo(one.parent).slice(1).map(({ token }) => tell(token)).join(" ")} `, node("b", {}, number(one.score, 3)))));
    this.box.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": said }, ...lines, ...boxes));
    this.box.scrollLeft = width;
  }
}

// What each step kept or ended, with its parent; a parent counts among those that went on.
export function grown(steps) {
  const root = { n: 0, row: 0, total: 0, token: null, parent: null, ended: false, continued: true, score: 0 };
  const columns = [[root]];
  for (const [index, step] of steps.entries()) {
    const before = columns.at(-1).filter(({ continued }) => continued);
    columns.push(step.filter(({ continued, ended }) => continued || ended)
      .map(({ parent, token, logProbability, score, continued, ended }, row) =>
        ({ n: index + 1, row, total: logProbability, token, parent: before[parent], ended, continued, score })));
  }
  return columns;
}

// What has ended, the best score first.
export function found(columns) {
  return columns.flat().filter(({ ended }) => ended).sort((a, b) => b.score - a.score);
}

// The best that has ended, or as long as none has the first that goes on.
export function bestOf(columns) {
  return found(columns)[0] ?? columns.at(-1)[0];
}

export function wayTo(one) {
  return one ? [...wayTo(one.parent), one] : [];
}

function shortened(word) {
  return word.length > LETTERS ? `${word.slice(0, LETTERS - 1)}…` : word;
}

function left({ n }) {
  return WIDE * n + EDGE;
}

function top({ row }) {
  return HIGH * row + EDGE;
}

function edge(one) {
  const from = [left(one.parent) + BOX[0], top(one.parent) + BOX[1] / 2], to = [left(one), top(one) + BOX[1] / 2];
  const middle = (from[0] + to[0]) / 2;
  return `M${from}C${[middle, from[1], middle, to[1], ...to]}`;
}
