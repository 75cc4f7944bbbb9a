// The superposition map: the features of a toy model as arrows, their interference, and how many of
// them each setting represents. The solutions were trained; only W^T W is worked out here.

import { slider } from "../shared/controls.js";
import { drawn, legend, legendKey, live, node, sample, setText, svg } from "../shared/elements.js";
import { placeIn } from "../shared/events.js";
import { direction, dot, least, sum, within } from "../shared/numbers.js";
import { CENTER, SIZE, arrow, crossing, drawZero, onPaper, point } from "../shared/plane.js";
import { columnHead, table, tableRow } from "../shared/tables.js";
import { fill, number, signed } from "../shared/words.js";

const EDGE = 30; // beyond the longest arrow, for its number
const DISC = 10; // radius of the disc that holds a number
const SHORT = 0.15; // an arrow's length below which its number would cover the origin
const GRAB = 22; // from an arrow, in the drawing's units: what counts as touching it
const MEETS = 0.05; // the least interference that is worth a word
const DASHES = ["", "9 3", "2 3", "9 3 2 3", "5 3"];

class SuperpositionMap {
  constructor({ labels, sparsities, decays, start, columns, represented, shares, losses }) {
    Object.assign(this, { labels, sparsities, decays, columns, represented, shares, losses });
    const first = columns[0][0];
    const longest = Math.max(1, ...columns.flat(2).map((column) => Math.hypot(...column)));
    this.unit = (CENTER - EDGE) / longest;
    this.arrows = first.map((_, feature) => numbered(feature));
    this.zero = svg("line", { class: "zero" });
    this.lost = svg("text", { class: "lost", x: 6, y: SIZE - 2 * DISC - 14 });
    this.picture = this.plane();
    this.rows = first.map((_, feature) => this.row(feature));
    this.settings = decays.map(() => sparsities.map(() => node("td", {})));
    this.summary = live("summary ruled");
    this.zeroName = node("span", {});
    this.sparsity = slider(labels.sparsity, sparsities.map(String),
      (place) => this.show({ sparsity: place }), [labels.dense, labels.sparse]);
    this.decay = slider(labels.decay, decays.map(String),
      (place) => this.show({ decay: place }), [labels.even, labels.steep]);
    this.parts = [
      node("div", { class: "controls" }, this.sparsity.part, this.decay.part), this.summary,
      node("div", { class: "panes" }, this.left(), this.right()), this.map()];
    this.show({ sparsity: start[0], decay: start[1], feature: 0 });
  }

  plane() {
    const circle = svg("circle", { class: "axis", cx: CENTER, cy: CENTER, r: this.unit });
    const picture = svg("svg", { class: "plane", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" },
      ...crossing(), circle, this.zero, this.lost, ...this.arrows.map(({ part }) => part));
    const touch = (event) => {
      const feature = this.nearest(event);
      if (feature !== null) this.show({ feature });
    };
    picture.addEventListener("pointerdown", touch);
    picture.addEventListener("pointermove", touch);
    return picture;
  }

  left() {
    const { labels } = this;
    return node("div", {}, node("p", { class: "title" }, labels.plane), this.picture, legend(
      legendKey(sample(svg("path", { class: "axis", d: "M1 11A26 26 0 0 1 27 11" })), labels.circle),
      legendKey(sample(svg("line", { class: "zero", x1: 1, x2: 27, y1: 6, y2: 6 })), this.zeroName)));
  }

  right() {
    const { labels, rows } = this;
    const body = node("tbody", {}, ...rows.map(({ part }) => part));
    body.addEventListener("click", ({ target }) => {
      const feature = rows.findIndex(({ part }) => part.contains(target));
      if (feature >= 0) this.show({ feature });
    });
    return node("div", {}, table({ class: "matrix" }, labels.matrix, [labels.feature,
      ...rows.map((_, feature) => columnHead(disc(feature))),
      columnHead(labels.importance, { "aria-label": labels.importance_aloud }),
      columnHead(labels.share, { "aria-label": labels.share_aloud })], body),
    node("p", { class: "note" }, labels.how));
  }

  row(feature) {
    const label = fill(this.labels.choose, { feature: feature + 1 });
    const radio = node("input", { type: "radio", name: "feature", "aria-label": label });
    radio.addEventListener("change", () => this.show({ feature }));
    const cells = this.arrows.map(() => node("td", { class: "cell" }));
    const importance = node("td", {}), share = node("td", { class: "share" });
    const part = tableRow(node("label", {}, radio, disc(feature)), ...cells, importance, share);
    part.classList.add(`f${feature + 1}`);
    return { radio, cells, importance, share, part };
  }

  map() {
    const { labels, sparsities, decays, settings } = this;
    const rows = settings.map((cells, decay) => tableRow(String(decays[decay]), ...cells.map((cell, sparsity) => {
      const count = sum(this.represented[sparsity][decay]);
      cell.style.setProperty("--share", count / this.arrows.length);
      cell.append(String(count));
      cell.addEventListener("click", () => this.show({ sparsity, decay }));
      return cell;
    })));
    return node("div", { class: "map" },
      table({}, labels.map, [node("td", {}), ...sparsities.map(String)], node("tbody", {}, ...rows)),
      node("p", { class: "note" }, `${labels.map_axes} ${labels.rule}`));
  }

  nearest(event) {
    const at = placeIn(this.picture, event, SIZE);
    return least(this.arrows.map(({ from, to }) => distance(at, from, to)), GRAB);
  }

  show({ sparsity = this.at?.sparsity, decay = this.at?.decay, feature = this.at?.feature }) {
    this.at = { sparsity, decay, feature };
    const columns = this.columns[sparsity][decay];
    const matrix = columns.map((row) => columns.map((column) => dot(row, column)));
    this.sparsity.set(sparsity);
    this.decay.set(decay);
    this.showPlane(columns);
    this.showRows(matrix, this.shares[sparsity][decay]);
    this.settings.forEach((cells, row) => cells.forEach((cell, column) =>
      cell.classList.toggle("current", row === decay && column === sparsity)));
    setText(this.summary, this.said(matrix[feature]));
  }

  showPlane(columns) {
    const { labels, arrows, at } = this;
    let parked = 0;
    const taken = [];
    columns.forEach((column, feature) => {
      const { part, line, label } = arrows[feature];
      const to = onPaper(column, this.unit), chosen = feature === at.feature;
      const short = Math.hypot(...column) < SHORT;
      point(line, to, chosen ? 4 : 2.5);
      const place = short ? [DISC + 6 + 2.4 * DISC * parked++, SIZE - DISC - 6] : beyond(to, taken);
      taken.push(place);
      label.setAttribute("transform", `translate(${place.map((value) => value.toFixed(1))})`);
      part.classList.toggle("chosen", chosen);
      Object.assign(arrows[feature], short ? { from: place, to: place } : { from: [CENTER, CENTER], to: place });
    });
    this.lost.textContent = parked ? labels.lost : "";
    this.picture.append(arrows[at.feature].part); // over the others
    drawZero(this.zero, columns[at.feature]);
    this.zeroName.textContent = fill(labels.zero, { feature: at.feature + 1 });
    const lengths = columns.map((column, feature) => fill(labels.length,
      { feature: feature + 1, length: number(Math.hypot(...column), 2) }));
    this.picture.setAttribute("aria-label", fill(labels.aloud, { lengths: lengths.join(", ") }));
  }

  showRows(matrix, shares) {
    this.rows.forEach(({ radio, cells, importance, share, part }, row) => {
      radio.checked = row === this.at.feature;
      part.classList.toggle("chosen", radio.checked);
      cells.forEach((cell, column) => {
        const value = matrix[row][column];
        cell.textContent = number(value, 2);
        cell.style.setProperty("--share", within(Math.abs(value), 0, 1));
        cell.classList.toggle("negative", value < 0);
      });
      importance.textContent = number(this.decays[this.at.decay] ** row, 2);
      share.textContent = number(shares[row], 2);
      share.style.setProperty("--share", within(shares[row], 0, 1));
    });
  }

  said(row) {
    const { labels, arrows, at: { sparsity, decay, feature } } = this;
    const represented = this.represented[sparsity][decay];
    const state = fill(labels.state, { count: sum(represented), all: arrows.length,
      loss: number(this.losses[sparsity][decay], 4) });
    const place = { feature: feature + 1, share: number(this.shares[sparsity][decay][feature], 2),
      length: number(Math.sqrt(row[feature]), 2) };
    if (!represented[feature]) return `${state} ${fill(labels.gone, place)}`;
    const others = row.flatMap((value, other) => (other === feature || Math.abs(value) < MEETS ? []
      : [fill(labels.other, { feature: other + 1, value: signed(value, 2) })]));
    const which = others.length ? labels.meets : labels.alone;
    return `${state} ${fill(which, { ...place, others: others.join(", ") })}`;
  }
}

export const mount = drawn(SuperpositionMap);

// Of a point from a line between two others.
export function distance(at, from, to) {
  const line = [to[0] - from[0], to[1] - from[1]], toward = [at[0] - from[0], at[1] - from[1]];
  const share = within(dot(line, toward) / (dot(line, line) || 1), 0, 1);
  return Math.hypot(toward[0] - share * line[0], toward[1] - share * line[1]);
}

// The place of a number beyond an arrow's tip, farther out where another number stands.
export function beyond(tip, taken) {
  const toward = direction([tip[0] - CENTER, tip[1] - CENTER]);
  const place = tip.map((value, axis) => value + (DISC + 3) * toward[axis]);
  while (taken.some(([x, y]) => Math.hypot(place[0] - x, place[1] - y) < 2 * DISC))
    toward.forEach((step, axis) => { place[axis] += 2 * step; });
  return place;
}

function numbered(feature) {
  const line = arrow("");
  line.firstChild.setAttribute("stroke-dasharray", DASHES[feature]);
  const label = svg("g", { class: "disc" }, svg("circle", { r: DISC }),
    svg("text", { "text-anchor": "middle", y: 4.5 }, String(feature + 1)));
  return { line, label, part: svg("g", { class: `f${feature + 1}` }, line, label) };
}

function disc(feature) {
  return node("span", { class: `disc f${feature + 1}` }, String(feature + 1));
}
