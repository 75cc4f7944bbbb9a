// The tree of a beam search: a column for each step, in it the candidates, the best on top. Scores
// are worked out here from log P; everything else was worked out by the search.

import { button, radios, slider } from "../shared/controls.js";
import { assign, draw, legend, legendKey, live, node, sample, setText, svg } from "../shared/elements.js";
import { onKeys } from "../shared/events.js";
import { within } from "../shared/numbers.js";
import { columnHead, table } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";
import { becomes, grown, outlook, penaltyOf, ranked, scoreOf, wayTo } from "./search.js";

const ROW = 40, BOX = 34, HEAD = 24, GAP = 20, EDGE = 6; // of the drawing, in sixteenths of a rem
const LETTER = 8.5, DIGIT = 7.7, INSET = 12, MOST = 14; // a column is as wide as its longest word or number
const DIGITS = 4, SHORT = 2; // in words and list, and in the tree

// Where a key leads from the chosen prefix.
const GOALS = {
  ArrowLeft: ({ chosen }) => chosen.parent,
  ArrowRight: ({ chosen }) => chosen.children[0],
  ArrowUp: ({ chosen, tree }) => beside(tree, chosen, -1),
  ArrowDown: ({ chosen, tree }) => beside(tree, chosen, 1),
  Home: ({ tree }) => tree.nodes[0],
  End: ({ order }) => order[0],
};

export function mount(element, payload, style) {
  const figure = new BeamTree(payload);
  draw(element, style, figure.parts);
  figure.bring(figure.chosen); // what is not on the page has no place
}

class BeamTree {
  constructor({ labels, source, words, trees, longest, listed, alphas, start }) {
    Object.assign(this, { labels, source, longest, alphas });
    this.trees = trees.map((tree) => grown(tree, words, labels.begin));
    this.title = node("p", { class: "title" });
    this.box = node("div", { class: "box" });
    this.chosenTitle = node("p", { class: "title" }, labels.chosen);
    this.terms = node("ol", { class: "terms" });
    this.summary = live("summary");
    this.rows = Array.from({ length: listed }, () => this.row());
    this.body = node("tbody", {});
    this.more = node("p", { class: "note" });
    this.stop = live("note");
    this.slider = slider(labels.penalty, alphas, (alpha) => this.show({ alpha }),
      [labels.none, labels.strong]);
    this.parts = [...this.widths(start.tree), this.title, this.box, this.legend(),
      node("p", { class: "note" }, labels.keys), node("div", { class: "panes" },
        node("div", {}, this.summary, this.chosenTitle, this.terms), this.list())];
    this.alpha = start.alpha;
    this.showTree(this.trees[start.tree]);
  }

  // ---- The parts

  widths(first) {
    if (this.trees.length === 1) return [];
    return [radios("width", this.labels.width,
      this.trees.map((tree) => [String(tree.width), () => this.showTree(tree)]), first)];
  }

  legend() {
    const words = this.labels.legend;
    const box = (kind) => node("span", { class: `sample ${kind}`, "aria-hidden": "true" });
    const line = (kind) => sample(svg("path", { class: kind, d: "M0 6H28" }));
    const samples = { kept: box, dropped: box, ended: box, winner: line, chosen: line };
    return legend(...Object.entries(samples).map(([kind, drawn]) => legendKey(drawn(kind), words[kind])));
  }

  list() {
    const { labels: { columns, list, alpha } } = this;
    const heads = Object.entries(columns).map(([kind, name]) => columnHead(name, { class: kind }));
    return node("div", {}, this.slider.part, table({}, list, heads, this.body),
      this.more, this.stop, node("p", { class: "note" }, alpha));
  }

  row() {
    const cells = Array.from({ length: 4 }, () => node("td", {}));
    const place = node("td", { class: "place" }), name = node("span", {});
    const chooser = button(name, () => this.choose(row.end));
    const row = { place, name, chooser, cells,
      part: node("tr", {}, place, node("th", { scope: "row" }, chooser), ...cells) };
    return row;
  }

  // ---- The tree

  showTree(tree) {
    const { labels, source, rows } = this;
    this.tree = tree;
    this.title.textContent = fill(tree.width === 1 ? labels.one : labels.many, { width: tree.width, source });
    this.box.replaceChildren(tree.canvas ??= this.canvas(tree));
    this.box.scrollLeft = 0;
    this.shown = rows.slice(0, tree.ends.length);
    this.body.replaceChildren(...this.shown.map(({ part }) => part));
    const more = tree.ends.length - this.shown.length;
    this.more.textContent = more ? fill(labels.more, { count: more }) : "";
    this.show({ chosen: ranked(tree, this.exponent())[0] });
    this.bring(this.chosen);
  }

  canvas(tree) {
    const { labels } = this, [width, height] = place(tree);
    const heads = tree.columns.slice(1).map((column, step) => placed(node("span", { class: "head" },
      fill(labels.step, { n: step + 1 })), column[0].x, 0, column[0].wide, HEAD));
    tree.ways = { chosen: svg("path", { class: "chosen" }), winner: svg("path", { class: "winner" }) };
    const edges = tree.nodes.slice(1).map((one) => svg("path", { class: `edge ${one.state}`, d: edge(one) }));
    const lines = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      tree.ways.chosen, ...edges, tree.ways.winner);
    const items = node("div", { role: "tree", "aria-label": labels.tree }, ...inDepth(tree.nodes[0]).map((one) => this.item(one)));
    onKeys(items, GOALS, (goal) => this.choose(goal(this) ?? this.chosen).focus({ preventScroll: true }));
    return placed(node("div", { class: "canvas" },
      node("div", { "aria-hidden": "true" }, lines, ...heads), items), 0, 0, width, height);
  }

  item(one) {
    const siblings = one.parent?.children ?? [one];
    one.number = node("span", {});
    one.part = node("div", { class: `item ${one.state}`, role: "treeitem", tabindex: -1, "aria-level": one.n + 1,
      "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(one) + 1 },
    node("b", {}, one.word), one.number);
    one.part.addEventListener("click", () => this.choose(one).focus({ preventScroll: true }));
    return placed(one.part, one.x, one.y, one.wide, BOX);
  }

  // ---- What the reader does

  choose(chosen) {
    this.show({ chosen });
    this.bring(chosen);
    return chosen.part;
  }

  // Only the box scrolls, never the page.
  bring({ part: { offsetLeft, offsetWidth } }) {
    const { box } = this, low = offsetLeft + offsetWidth + 2 * EDGE - box.clientWidth;
    box.scrollLeft = within(box.scrollLeft, low, Math.max(low, offsetLeft - 2 * EDGE));
  }

  // ---- What is shown

  exponent() {
    return this.alpha / 10;
  }

  show({ chosen = this.chosen, alpha = this.alpha }) {
    const { tree } = this;
    Object.assign(this, { chosen, alpha });
    this.order = ranked(tree, this.exponent());
    this.slider.set(alpha);
    for (const one of tree.nodes) this.showItem(one);
    for (const [kind, end] of [["chosen", chosen], ["winner", this.order[0]]]) {
      const way = wayTo(end);
      tree.ways[kind].setAttribute("d", way.slice(1).map(edge).join(""));
      for (const one of tree.nodes) one.part.classList.toggle(kind, way.includes(one));
    }
    this.showTerms();
    this.showList();
    setText(this.summary, this.said());
    setText(this.stop, this.saidOfStop());
  }

  showItem(one) {
    const { labels } = this, at = this.order.indexOf(one), chosen = one === this.chosen;
    const total = number(one.total, SHORT), score = number(this.score(one), SHORT);
    one.number.textContent = one.state === "ended" ? `#${at + 1} ${score}` : total;
    const heard = one.state === "ended" ? fill(labels.heard_ended, { word: one.word, place: at + 1, score })
      : fill(labels.heard, { word: one.word, total, state: labels.states[one.state] });
    assign(one.part, { "aria-label": heard, "aria-selected": chosen, tabindex: chosen ? 0 : -1 });
  }

  showTerms() {
    const terms = wayTo(this.chosen).slice(1).map((one) => node("li", {}, node("b", {}, one.word), " ",
      node("span", {}, number(one.total - one.parent.total, DIGITS))));
    this.chosenTitle.hidden = !terms.length;
    this.terms.replaceChildren(...terms);
  }

  showList() {
    const { labels, order, chosen } = this;
    this.shown.forEach((row, index) => {
      const end = row.end = order[index], sequence = this.written(end);
      row.place.textContent = index + 1;
      row.name.textContent = end.state === "cut" ? fill(labels.cut, { sequence }) : sequence;
      row.chooser.setAttribute("aria-pressed", end === chosen);
      [end.n, ...[end.total, this.penalty(end.n), this.score(end)].map((value) => number(value, DIGITS))]
        .forEach((text, column) => { row.cells[column].textContent = text; });
    });
  }

  penalty(n) {
    return penaltyOf(n, this.exponent());
  }

  score(one) {
    return scoreOf(one, this.exponent());
  }

  // A finished sequence without its end mark.
  written(one) {
    const words = wayTo(one.state === "ended" ? one.parent : one).slice(1).map(({ word }) => word);
    return words.join(" ") || this.labels.empty;
  }

  said() {
    const { labels, chosen, order, tree: { width } } = this, { n } = chosen;
    if (!n) return labels.nothing;
    const values = { n, width, sequence: wayTo(chosen).slice(1).map(({ word }) => word).join(" "),
      alpha: this.alphas[this.alpha], place: order.indexOf(chosen) + 1, count: order.length,
      total: number(chosen.total, DIGITS), penalty: number(this.penalty(n), DIGITS), score: number(this.score(chosen), DIGITS) };
    return `${fill(labels.reads, values)} ${fill(labels.becomes[becomes(chosen)], values)}`;
  }

  saidOfStop() {
    const { labels, tree, longest } = this, values = { alpha: this.alphas[this.alpha], most: longest };
    if (tree.columns.length - 1 === longest) return fill(labels.whole, values);
    const { total, bound, goesOn } = outlook(tree, this.exponent(), longest);
    if (!goesOn) return fill(labels.same, values);
    return fill(labels.on, { ...values, total: number(total, DIGITS), bound: number(bound, DIGITS) });
  }
}

// ---- Places

// In the same step, above or below.
function beside({ columns }, chosen, by) {
  const step = columns[chosen.n];
  return step[step.indexOf(chosen) + by];
}

function inDepth(one) {
  return [one, ...one.children.flatMap(inDepth)];
}

function place({ columns, ends }) {
  let x = EDGE;
  const digits = ({ state, total }) =>
    number(total, SHORT).length + (state === "ended" ? `#${ends.length} `.length : 0); // no score is longer than log P
  for (const column of columns) {
    const wide = INSET + Math.max(...column.map((one) =>
      Math.max(LETTER * Math.min(letters(one.word), MOST), DIGIT * digits(one))));
    for (const one of column) Object.assign(one, { x, y: HEAD + ROW * one.rank, wide });
    x += wide + GAP;
  }
  return [x - GAP + EDGE, HEAD + ROW * (1 + Math.max(...columns.flat().map(({ rank }) => rank)))];
}

// East Asian letters are twice as wide.
function letters(word) {
  return [...word].reduce((sum, letter) => sum + (letter >= "\u1100" ? 2 : 1), 0);
}

function edge({ x, y, parent }) {
  const from = [parent.x + parent.wide, parent.y + BOX / 2], to = [x, y + BOX / 2], middle = (from[0] + x) / 2;
  return `M${from}C${[middle, from[1], middle, to[1], ...to]}`;
}

function placed(element, ...box) {
  const [left, top, width, height] = box.map((length) => `${length / 16}rem`);
  Object.assign(element.style, { left, top, width, height });
  return element;
}
