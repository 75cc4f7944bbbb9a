// Query and keys: arrows in a plane, and what the query reads. Every number is worked out here, as
// the package does it: scores, softmax with temperature, mean of the keys.

import { button, radios, slider } from "../shared/controls.js";
import { assign, drawn, legend, legendKey, live, node, sample, svg } from "../shared/elements.js";
import { onKeys, placeIn } from "../shared/events.js";
import { direction, dot, least, sum, within } from "../shared/numbers.js";
import { CENTER, SIZE, arrow, crossing, drawZero, onPaper, point } from "../shared/plane.js";
import { table, tableRow } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";

const EDGE = 24; // around what can be reached, so that no handle sticks out
const GRAB = 24; // from a tip, in pixels of the screen: what counts as touching it
const SNAP = 20; // a unit has twenty places, so that the numbers shown are the numbers used
const STEP = 0.1, LEAP = 0.5, ZERO = 0.005; // a score below ZERO is written 0.00
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

class QueryAndKeys {
  constructor({ labels, vectors, extent, temperatures, temperature, scores }) {
    Object.assign(this, { labels, extent, temperatures, scores });
    this.unit = (CENTER - EDGE) / extent;
    this.start = { vectors, temperature };
    this.words = vectors.map(({ word }) => word);
    this.arrows = vectors.map((_, index) => arrow(index ? "keys" : "query"));
    this.output = arrow("output");
    this.names = vectors.map(({ word }) => svg("text", { "text-anchor": "middle" }, word));
    this.zero = svg("line", { class: "zero" });
    this.handles = vectors.map(({ word }, index) => this.handle(word, index));
    this.rows = vectors.slice(1).map(({ word }) => reading(word));
    this.outputAt = node("p", { class: "note" });
    this.summary = live("summary");
    this.slider = slider(labels.temperature, temperatures.map(String),
      (place) => this.show({ temperature: place }), [labels.sharper, labels.flatter]);
    this.parts = [this.controls(), this.summary,
      node("div", { class: "panes" }, this.drawing(), this.readings())];
    this.reset();
  }

  controls() {
    const { labels, scores } = this;
    const choices = scores.map((name) => [labels[name], () => this.show({ score: name })]);
    this.choice = radios("score", labels.score_choice, choices);
    return node("div", { class: "controls" }, this.choice, this.slider.part,
      button(labels.reset, () => this.reset()));
  }

  handle(word, index) {
    const handle = node("div", {
      class: index ? "handle keys" : "handle query", role: "slider", tabindex: 0,
      "aria-label": fill(index ? this.labels.key : this.labels.query, { word }),
      "aria-valuemin": -this.extent, "aria-valuemax": this.extent,
    }, node("span", {}));
    onKeys(handle, ARROWS, (toward, { shiftKey }) => this.move(index,
      this.vectors[index].map((value, axis) => value + (shiftKey ? LEAP : STEP) * toward[axis])));
    return handle;
  }

  drawing() {
    const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" },
      ...crossing(), this.zero, ...this.arrows.slice(1), this.arrows[0], this.output, ...this.names);
    this.plane = node("div", { class: "plane", role: "group", "aria-label": this.labels.plane },
      picture, ...this.handles);
    this.listen(this.plane);
    return this.plane;
  }

  readings() {
    const { labels } = this;
    const names = ["key_column", "angle", "score", "weight"].map((name) => labels[name]);
    return node("div", {}, table({ "aria-label": labels.table }, null, names,
      node("tbody", {}, ...this.rows.map(({ part }) => part))),
    this.outputAt, this.legend(), node("p", { class: "how" }, labels.how));
  }

  legend() {
    const { labels } = this;
    const pointing = (kind) => {
      const made = arrow(kind);
      point(made, [27, 6], 2, [1, 6]);
      return sample(made);
    };
    return legend(legendKey(pointing("query"), labels.a_query), legendKey(pointing("keys"), labels.a_key),
      legendKey(pointing("output"), labels.an_output),
      legendKey(sample(svg("line", { class: "zero", x2: 28, y1: 6, y2: 6 })), labels.zero));
  }

  listen(plane) {
    let held = null;
    const stop = () => { held = null; };
    plane.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      held = this.nearest(event);
      if (held === null) return;
      event.preventDefault(); // no text is selected, and focus goes where it is sent
      plane.setPointerCapture(event.pointerId);
      this.handles[held].focus({ preventScroll: true });
    });
    plane.addEventListener("pointermove", (event) => {
      if (held !== null) this.move(held, this.place(event));
    });
    plane.addEventListener("pointerup", stop);
    plane.addEventListener("pointercancel", stop);
  }

  // Handles overlap where tips stand close together: the nearest tip is meant, not the upper handle.
  nearest({ clientX, clientY }) {
    const far = this.handles.map((handle) => {
      const { x, y, width, height } = handle.getBoundingClientRect();
      return Math.hypot(clientX - x - width / 2, clientY - y - height / 2);
    });
    return least(far, GRAB);
  }

  place(event) {
    const [across, down] = placeIn(this.plane, event, SIZE);
    return [(across - CENTER) / this.unit, (CENTER - down) / this.unit];
  }

  move(index, goal) {
    this.vectors[index] = goal.map((value) =>
      Math.round(within(value, -this.extent, this.extent) * SNAP) / SNAP);
    this.show({});
  }

  reset() {
    this.vectors = this.start.vectors.map(({ at }) => [...at]);
    this.choice.querySelector("input").checked = true;
    this.show({ score: this.scores[0], temperature: this.start.temperature });
  }

  show({ score = this.score, temperature = this.temperature }) {
    Object.assign(this, { score, temperature });
    const [query, ...keys] = this.vectors;
    const scores = keys.map((key) => (score === "dot" ? dot(query, key) : cosine(query, key)));
    const weights = softmax(scores.map((value) => value / this.temperatures[temperature]));
    const output = [0, 1].map((axis) => sum(keys.map((key, index) => weights[index] * key[axis])));
    const angles = keys.map((key) => angle(query, key));
    this.slider.set(temperature);
    this.showPlane(weights, output);
    this.showRows(angles, scores, weights);
    this.outputAt.textContent = fill(this.labels.output_at, spoken(output));
    this.summary.textContent = sentences(this.labels, this.words, score, angles, scores, weights).join(" ");
  }

  showPlane(weights, output) {
    const points = [...this.vectors, output].map((vector) => onPaper(vector, this.unit));
    const widths = [3, ...weights.map((weight) => 1.5 + 5 * weight), 2];
    [...this.arrows, this.output].forEach((arrow, index) => point(arrow, points[index], widths[index]));
    this.names.forEach((name, index) =>
      put(name, points[index], Math.sign(cross(this.vectors[0], this.vectors[index]))));
    this.handles.forEach((handle, index) => {
      const [x, y] = this.vectors[index];
      handle.style.left = `${(100 * points[index][0]) / SIZE}%`;
      handle.style.top = `${(100 * points[index][1]) / SIZE}%`;
      const place = fill(this.labels.place, spoken([x, y]));
      assign(handle, { "aria-valuenow": x, "aria-valuetext": place });
    });
    drawZero(this.zero, this.vectors[0]);
  }

  showRows(angles, scores, weights) {
    const longest = Math.max(1, ...scores.map(Math.abs));
    this.rows.forEach((row, index) => {
      row.angle.textContent = angles[index] === null ? "–" : `${angles[index]}°`;
      row.score.set(number(scores[index], 2), scores[index] / longest);
      row.weight.set(number(weights[index], 3), weights[index]);
    });
  }
}

export const mount = drawn(QueryAndKeys);

function cross([a, b], [c, d]) {
  return a * d - b * c;
}

// A vector of length zero has the cosine 0, as in torch.
export function cosine(a, b) {
  return dot(a, b) / (Math.max(Math.hypot(...a), 1e-8) * Math.max(Math.hypot(...b), 1e-8));
}

export function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  return powers.map((power) => power / sum(powers));
}

// In whole degrees; null where a vector has no direction.
export function angle(a, b) {
  if (!Math.hypot(...a) || !Math.hypot(...b)) return null;
  return Math.round((Math.acos(within(cosine(a, b), -1, 1)) * 180) / Math.PI);
}

// What the query reads most, and why not what points closer.
export function sentences(labels, [query, ...words], score, angles, scores, weights) {
  const most = weights.indexOf(Math.max(...weights));
  const even = weights[most] - Math.min(...weights) < 1e-9; // as for a query of length zero
  const said = [fill(even ? labels.even : labels.most,
    { query, word: words[most], weight: number(weights[most], 3) })];
  const near = angles.indexOf(Math.min(...angles.map((value) => value ?? 180)));
  if (score === "cosine") said.push(labels.no_length);
  else if (near >= 0 && angles[near] < angles[most] && scores[near] > 0)
    said.push(fill(labels.shorter, { word: words[near], angle: angles[near], other: angles[most] }));
  const low = angles.map((at, index) => [at, index]).filter(([at, index]) => at && scores[index] < ZERO);
  if (low.length) {
    const [lowest, index] = low.reduce((a, b) => (b[0] < a[0] ? b : a));
    said.push(fill(scores[index] > -ZERO ? labels.none : labels.negative, { word: words[index], angle: lowest }));
  }
  return said;
}

function spoken([x, y]) {
  return { x: number(x, 2), y: number(y, 2) };
}

// Beyond the tip, on the side away from the query (1: against the clock), inside the plane.
function put(name, [x, y], side) {
  const [along, down] = direction([x - CENTER, y - CENTER]);
  const [right, below] = direction([along + side * down, down - side * along]);
  const half = 4 * name.textContent.length + 2;
  const wanted = x + right * (12 + half), across = within(wanted, half, SIZE - half);
  const away = Math.abs(wanted - across) > 4 ? Math.sign(below) || 1 : below; // no room at the side
  assign(name, { x: across, y: within(y + 20 * away + 4, 12, SIZE - 6) });
}

function reading(word) {
  const angle = node("td", { class: "number" });
  const score = bar("score"), weight = bar("weight");
  return { part: tableRow(word, angle, score.part, weight.part), angle, score, weight };
}

// A number above its bar. The bar of a score begins in the middle, to the left below zero.
function bar(kind) {
  const value = node("span", { class: "number" }), length = node("span", { class: "bar" });
  const track = node("span", { class: `track ${kind}`, "aria-hidden": "true" }, length);
  const set = (text, share) => {
    value.textContent = text;
    length.style.setProperty("--share", share);
  };
  return { part: node("td", {}, value, track), set };
}
