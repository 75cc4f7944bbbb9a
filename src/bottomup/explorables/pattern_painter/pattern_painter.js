// The pattern painter: which keys each query reads, what two layers reach, how many scores it takes.
// The sets are written down once, in patterns.js; everything else is counted from them.

import { checkbox, radios, slider, stepper } from "../shared/controls.js";
import { assign, drawn, legend, legendKey, live, node, setText } from "../shared/elements.js";
import { onKeys } from "../shared/events.js";
import { within } from "../shared/numbers.js";
import { fill } from "../shared/words.js";
import { marks, picture, sample, spot } from "./cells.js";
import { CostMeter } from "./cost_meter.js";
import { spans, total, worked } from "./patterns.js";

const LARGEST = 64;
const CELL = 1.75, TALL = 14; // of a query's positions, in rem: the largest cell, the height at most
const MOVES = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

class PatternPainter {
  constructor({ labels, sizes, patterns, start }) {
    this.labels = labels;
    this.wish = { ...start, printed: false, flipped: false, residual: false, folded: true };
    const numbers = Array.from({ length: LARGEST }, (_, index) => String(index + 1));
    this.stride = slider(labels.stride, numbers, (place) => this.show({ stride: place + 1 }));
    this.summaries = slider(labels.summary, numbers, (place) => this.show({ summary: place + 1 }));
    this.order = radios("order", labels.order, [[labels.first, () => this.show({ flipped: false })],
      [labels.second, () => this.show({ flipped: true })]]);
    this.grid = picture({ "aria-hidden": "true" });
    this.strip = picture({ role: "img" });
    this.rows = node("div", { class: "rows", role: "listbox", tabindex: 0, "aria-label": labels.choose });
    this.tag = node("span", { class: "tag", "aria-hidden": "true" });
    this.last = node("span", {});
    this.title = node("p", { class: "title" });
    this.legend = legend();
    this.summary = live("summary");
    this.count = live("count");
    this.leak = live("leak");
    this.cost = new CostMeter(labels);
    this.parts = [this.controls(sizes, patterns, start), this.leak, node("div", { class: "panes" },
      this.board(), node("div", {}, this.reaching(), this.cost.part))];
    this.listen();
    this.show({});
  }

  controls(sizes, patterns, start) {
    const { labels } = this;
    const size = radios("size", labels.size,
      sizes.map((n) => [String(n), () => this.show({ n })]), sizes.indexOf(start.n));
    const pattern = radios("pattern", labels.pattern,
      patterns.map((name) => [labels.patterns[name], () => this.show({ pattern: name })]),
      patterns.indexOf(start.pattern));
    return node("div", { class: "controls" }, size, pattern, this.stride.part, this.summaries.part,
      checkbox(labels.printed, (printed) => this.show({ printed })));
  }

  board() {
    const { labels } = this;
    return node("div", {}, node("p", { class: "title" }, labels.grid),
      node("p", { class: "ticks", "aria-hidden": "true" }, node("span", {}, `${labels.key} 0`), this.last),
      node("div", { class: "board" }, this.grid.part, this.rows, this.tag), this.legend,
      node("p", { class: "note" }, labels.how));
  }

  reaching() {
    const { labels } = this;
    const form = radios("form", labels.drawn, [[labels.folded, () => this.show({ folded: true })],
      [labels.line, () => this.show({ folded: false })]]);
    return node("div", {}, stepper(this.title, ["↑", labels.above], ["↓", labels.below],
      (by) => this.goTo(this.at.query + by)),
    node("div", { class: "positions" }, this.strip.part), this.summary, this.count,
    node("div", { class: "controls" }, this.order,
      checkbox(labels.residual, (residual) => this.show({ residual })), form));
  }

  listen() {
    const { rows } = this;
    const choose = ({ clientY }) => {
      const { top, height } = rows.getBoundingClientRect();
      this.goTo(Math.floor((this.at.n * (clientY - top)) / height));
    };
    rows.addEventListener("click", choose);
    rows.addEventListener("pointermove", (event) => { // a finger scrolls the page instead
      if (event.buttons === 1 && event.pointerType === "mouse") choose(event);
    });
    onKeys(rows, MOVES, (by) => this.goTo(this.at.query + by));
  }

  goTo(query) {
    this.show({ query: within(query, 0, this.at.n - 1) });
  }

  show(change) {
    const at = this.at = worked(Object.assign(this.wish, change)), { labels } = this;
    this.showControls(at);
    this.showBoard(at);
    this.showPositions(at);
    this.showLegend(at);
    this.cost.show(at);
    setText(this.title, fill(labels.query, { query: at.query }));
    setText(this.summary, sentences(labels, at).join(" "));
    setText(this.count, fill(labels.count, { reached: at.past, all: at.dense }));
    setText(this.leak, at.printed ? fill(labels.as_printed[at.pattern], { count: at.leaks, reached: at.ahead }) : "");
  }

  showControls({ n, l, c, pattern }) {
    this.stride.input.max = n - 1;
    this.summaries.input.max = l - 1;
    this.stride.set(l - 1);
    this.summaries.set(c - 1);
    this.stride.input.disabled = pattern === "dense";
    this.summaries.input.disabled = pattern !== "fixed";
    this.order.disabled = this.labels.sets[pattern].length === 1;
  }

  showBoard(at) {
    const { grid, rows, labels } = this, { n, query } = at;
    grid.paint(marks(at, [...at.kinds.keys()], (i, j) => [j, i]));
    assign(grid.part, { viewBox: `0 0 ${n} ${n}` });
    if (rows.children.length !== n) rows.replaceChildren(...Array.from({ length: n }, (_, index) =>
      node("div", { role: "option", id: `row${index}`, style: `height: ${100 / n}%` })));
    [...rows.children].forEach((row, index) => assign(row, { "aria-selected": index === query,
      "aria-label": fill(labels.row, { query: index, keys: spans(at.kinds[index]) || labels.nothing }) }));
    rows.setAttribute("aria-activedescendant", `row${query}`);
    this.tag.style.top = `${(100 * (query + 0.5)) / n}%`;
    this.tag.textContent = query;
    this.last.textContent = n - 1;
  }

  showPositions(at) {
    const { n, l, query } = at, width = at.folded ? l : n, high = Math.ceil(n / width);
    const place = (_, j) => [j % width, Math.floor(j / width)];
    this.strip.paint({ ...marks(at, [query], place), own: spot("own", place(query, query)) });
    assign(this.strip.part, { viewBox: `-0.1 -0.1 ${width + 0.2} ${high + 0.2}`,
      style: `width: min(100%, ${CELL * width}rem, ${(TALL * width) / high}rem)`,
      "aria-label": fill(this.labels.strip, { query, width }) });
  }

  showLegend({ pattern, leaks }) {
    const { legend: words, sets } = this.labels, [first, second] = sets[pattern];
    const shown = { first, ...(second && { second, both: words.both }), reached: words.reached,
      blank: words.blank, ...(leaks && { future: words.future, ahead: words.ahead }) };
    this.legend.replaceChildren(...Object.entries(shown).map(([kind, text]) => legendKey(sample(kind), text)));
  }
}

export const mount = drawn(PatternPainter);

// What the query reads in one hop, the future too, and what two hops reach and miss.
export function sentences(labels, { kinds, reach, query }) {
  const all = query + 1, keys = kinds[query], hops = reach[query].slice(0, all);
  const past = keys.slice(0, all), future = keys.map((kind, j) => kind && j > query);
  const missed = spans(hops.map((hop) => !hop));
  const said = [fill(labels.one, { query, all, count: total(past), keys: spans(past) || labels.nothing })];
  if (total(future)) said.push(fill(labels.one_future, { keys: spans(future) }));
  said.push(fill(missed ? labels.two : labels.two_all,
    { all, missed, count: total(hops), keys: spans(hops) || labels.nothing }));
  return said;
}
