// The mask painter: which keys each query may read, the weights that follow, and how far a position
// sees through several layers. Every number is worked out here, as the package does it.

import { button, radios } from "../shared/controls.js";
import { drawn, legend, legendKey, live, node } from "../shared/elements.js";
import { below, onKeys } from "../shared/events.js";
import { sum, within } from "../shared/numbers.js";
import { table, tableRow } from "../shared/tables.js";
import { fill } from "../shared/words.js";

const MOVES = {
  ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0],
  Home: [0, -Infinity], End: [0, Infinity],
};
const PAINTS = { " ": null, Enter: null };

class MaskPainter {
  constructor({ labels, words, scores, masks, start, layers }) {
    Object.assign(this, { labels, words, scores, masks });
    this.layers = 1;
    this.current = [0, 0];
    this.cells = words.map(() => words.map(() => node("td", {})));
    this.reached = words.map(() => words.map(() => node("td", {})));
    this.buttons = masks.map(({ label, mask }) => button(label, () => this.show({ mask })));
    this.reach = node("div", { role: "img" }, square({}, words, this.reached));
    this.summary = live("summary");
    this.count = live("count");
    const steps = Array.from({ length: layers }, (_, index) =>
      [String(index + 1), () => this.show({ layers: index + 1 })]);
    this.parts = [
      node("div", { class: "controls" }, this.presets(), radios("layers", labels.layers, steps)),
      node("div", { class: "panes" }, this.painting(), this.reaching()),
      this.legend(), node("p", { class: "note" }, labels.how)];
    this.show({ mask: masks[start].mask });
    this.moveTo(0, 0);
  }

  presets() {
    const name = node("span", { class: "name" }, this.labels.masks);
    return node("div", { role: "group", "aria-label": this.labels.masks }, name,
      node("div", { class: "buttons" }, ...this.buttons));
  }

  painting() {
    const { labels } = this;
    const grid = square({ role: "grid", "aria-label": labels.grid, "aria-multiselectable": true },
      this.words, this.cells);
    this.listen(grid);
    return node("div", {}, node("p", { class: "title" }, labels.axes), grid, this.summary);
  }

  reaching() {
    const { labels } = this;
    return node("div", {}, node("p", { class: "title" }, labels.reach_axes), this.reach,
      this.count, node("p", { class: "note" }, labels.no_residual));
  }

  legend() {
    const { labels } = this;
    const sample = (kind) => node("span", { class: `sample ${kind}` });
    return legend(legendKey(sample("open"), labels.weight), legendKey(sample("closed"), labels.closed),
      legendKey(sample("open future"), labels.ahead));
  }

  listen(grid) {
    let stroke = null; // while painting: what is painted, and the mask before, for fingers that zoom
    const cellAt = (event) => {
      const found = below(grid, event);
      return found && this.positionOf(found.closest("td"));
    };
    grid.addEventListener("pointerdown", (event) => {
      const at = cellAt(event);
      if (!at || event.button !== 0) return;
      event.preventDefault(); // no text is selected
      stroke = { allowed: 1 - this.mask[at[0]][at[1]], before: this.mask };
      grid.setPointerCapture(event.pointerId);
      this.paint(at, stroke.allowed);
    });
    grid.addEventListener("pointermove", (event) => {
      const at = stroke && cellAt(event);
      if (at && this.mask[at[0]][at[1]] !== stroke.allowed) this.paint(at, stroke.allowed);
    });
    grid.addEventListener("pointerup", () => { stroke = null; });
    grid.addEventListener("pointercancel", () => {
      if (stroke) this.show({ mask: stroke.before });
      stroke = null;
    });
    onKeys(grid, { ...MOVES, ...PAINTS }, (move) => {
      const [row, column] = this.current.map((place, axis) =>
        within(place + (move?.[axis] ?? 0), 0, this.words.length - 1));
      if (move) this.cells[row][column].focus();
      else this.paint(this.current, 1 - this.mask[row][column]);
    });
    grid.addEventListener("focusin", ({ target }) => this.moveTo(...this.positionOf(target)));
  }

  positionOf(cell) {
    const row = this.cells.findIndex((row) => row.includes(cell));
    return row < 0 ? null : [row, this.cells[row].indexOf(cell)];
  }

  moveTo(row, column) {
    this.current = [row, column];
    this.each((cell, i, j) => { cell.tabIndex = i === row && j === column ? 0 : -1; });
  }

  paint([row, column], allowed) {
    const mask = this.mask.map((keys) => [...keys]);
    mask[row][column] = allowed;
    this.show({ mask });
    this.cells[row][column].focus({ preventScroll: true });
  }

  show({ mask = this.mask, layers = this.layers }) {
    Object.assign(this, { mask, layers });
    const weights = mask.map((allowed, query) => maskedSoftmax(this.scores[query], allowed));
    const reach = power(mask, layers);
    this.each((cell, query, key) => this.showCell(cell, query, key, weights[query][key]));
    this.cells.forEach((row, query) => {
      row[0].dataset.notice = mask[query].includes(1) ? "" : this.labels.reads_nothing;
    });
    this.buttons.forEach((button, index) =>
      button.setAttribute("aria-pressed", same(mask, this.masks[index].mask)));
    this.showReach(reach);
    this.summary.textContent = sentences(this.labels, this.words, mask, reach, layers).join(" ");
  }

  each(act) {
    this.cells.forEach((row, query) => row.forEach((cell, key) => act(cell, query, key)));
  }

  showCell(cell, query, key, weight) {
    const { labels, words } = this, allowed = this.mask[query][key];
    const said = [fill(labels.cell, { query: words[query], key: words[key] }),
      allowed ? fill(labels.allowed, { weight: weight.toFixed(2) }) : labels.masked];
    if (key > query) said.push(labels.future);
    cell.className = kind(allowed, query, key);
    cell.textContent = allowed ? weight.toFixed(2) : "";
    cell.style.setProperty("--weight", weight);
    cell.setAttribute("aria-selected", Boolean(allowed));
    cell.setAttribute("aria-label", said.join(", "));
  }

  showReach(reach) {
    const { labels, words } = this;
    const rows = reach.map((row, query) => {
      row.forEach((allowed, key) => { this.reached[query][key].className = kind(allowed, query, key); });
      const keys = words.filter((_, key) => row[key]).join(", ") || labels.nothing;
      return fill(labels.row, { query: words[query], keys });
    });
    this.count.textContent = fill(labels.count, { reached: sum(reach.flat()), all: words.length ** 2 });
    this.reach.setAttribute("aria-label", `${labels.reach_axes}. ${rows.join(" ")}`);
  }
}

export const mount = drawn(MaskPainter);

function square(attributes, words, rows) {
  return table(attributes, null, [node("td", {}), ...words],
    node("tbody", {}, ...rows.map((cells, query) => tableRow(words[query], ...cells))));
}

function kind(allowed, query, key) {
  return allowed ? (key > query ? "open future" : "open") : "closed";
}

// A row in which everything is masked gets zeros.
export function maskedSoftmax(scores, allowed) {
  const most = Math.max(...scores.filter((_, key) => allowed[key]));
  const powers = scores.map((score, key) => (allowed[key] ? Math.exp(score - most) : 0));
  const total = sum(powers);
  return powers.map((value) => (total ? value / total : 0));
}

// After k layers a position is reached where a path of k allowed steps leads to it.
export function power(mask, layers) {
  let reach = mask;
  for (let layer = 1; layer < layers; layer += 1)
    reach = mask.map((row) => mask.map((_, key) => Number(row.some((step, by) => step && reach[by][key]))));
  return reach;
}

function same(one, other) {
  return one.every((row, query) => row.every((allowed, key) => allowed === other[query][key]));
}

// Who sees the future, at once or through several layers, and who reads nothing.
export function sentences(labels, words, mask, reach, layers) {
  const sees = (rows) => rows.map((row, query) => row.slice(query + 1).includes(1));
  const direct = sees(mask), later = sees(reach).map((seen, query) => seen && !direct[query]);
  const named = (template, chosen) => fill(template, { layers, words: words
    .filter((_, query) => chosen[query]).map((word) => fill(labels.quoted, { word })).join(", ") });
  const said = [direct.includes(true) ? named(labels.leak, direct) : labels.no_leak];
  if (later.includes(true)) said.push(named(labels.indirect, later));
  const empty = mask.map((row) => !row.includes(1));
  if (empty.includes(true)) said.push(named(labels.empty, empty));
  return said;
}
