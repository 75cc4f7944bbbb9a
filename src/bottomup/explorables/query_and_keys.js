// Query and keys: arrows in a plane, and what the query reads. Every number is worked out here, as
// the package does it: scores, softmax with temperature, mean of the keys.

const SIZE = 320; // of the plane, in the drawing's units
const CENTER = SIZE / 2;
const EDGE = 24; // around what can be reached, so that no handle sticks out
const GRAB = 24; // from a tip, in pixels of the screen: what counts as touching it
const SNAP = 20; // a unit has twenty places, so that the numbers shown are the numbers used
const STEP = 0.1, LEAP = 0.5, ZERO = 0.005; // a score below ZERO is written 0.00
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export function mount(element, payload, style) {
  draw(element, style, new QueryAndKeys(payload).parts);
}

class QueryAndKeys {
  constructor({ labels, vectors, extent, temperatures, temperature, scores }) {
    Object.assign(this, { labels, extent, temperatures, scores });
    this.unit = (CENTER - EDGE) / extent;
    this.start = { vectors, temperature };
    this.arrows = vectors.map((_, index) => arrow(index ? "keys" : "query"));
    this.output = arrow("output");
    this.names = vectors.map(({ word }) => svg("text", { "text-anchor": "middle" }, word));
    this.zero = svg("line", { class: "zero" });
    this.handles = vectors.map(({ word }, index) => this.handle(word, index));
    this.rows = vectors.slice(1).map(({ word }) => row(word));
    this.outputAt = node("p", { class: "note" });
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.slider = slider(labels.temperature, temperatures.map(String),
      (place) => this.show({ temperature: place }), [labels.sharper, labels.flatter]);
    this.parts = [this.controls(), this.summary,
      node("div", { class: "panes" }, this.drawing(), this.readings())];
    this.reset();
  }

  controls() {
    const { labels, scores } = this;
    const choices = scores.map((name) => [labels[name], () => this.show({ score: name })]);
    const reset = node("button", { type: "button" }, labels.reset);
    reset.addEventListener("click", () => this.reset());
    this.choice = radios("score", labels.score_choice, choices);
    return node("div", { class: "controls" }, this.choice, this.slider.part, reset);
  }

  handle(word, index) {
    const handle = node("div", {
      class: index ? "handle keys" : "handle query", role: "slider", tabindex: 0,
      "aria-label": fill(index ? this.labels.key : this.labels.query, { word }),
      "aria-valuemin": -this.extent, "aria-valuemax": this.extent,
    }, node("span", {}));
    handle.addEventListener("keydown", (event) => this.press(event, index));
    return handle;
  }

  drawing() {
    const lines = [[0, CENTER, SIZE, CENTER], [CENTER, 0, CENTER, SIZE]].map(([x1, y1, x2, y2]) =>
      svg("line", { class: "axis", x1, y1, x2, y2 }));
    const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" },
      ...lines, this.zero, ...this.arrows.slice(1), this.arrows[0], this.output, ...this.names);
    this.plane = node("div", { class: "plane", role: "group", "aria-label": this.labels.plane },
      picture, ...this.handles);
    this.listen(this.plane);
    return this.plane;
  }

  readings() {
    const { labels } = this;
    const head = ["key_column", "angle", "score", "weight"].map((name) =>
      node("th", { scope: "col" }, labels[name]));
    const body = this.rows.map(({ part }) => part);
    const table = node("table", { "aria-label": labels.table },
      node("thead", {}, node("tr", {}, ...head)), node("tbody", {}, ...body));
    return node("div", {}, table, this.outputAt, this.legend(), node("p", { class: "how" }, labels.how));
  }

  legend() {
    const { labels } = this;
    const key = (kind, text) => node("li", { class: "key" }, sample(kind), text);
    return node("ul", { class: "legend" }, key("query", labels.a_query),
      key("keys", labels.a_key), key("output", labels.an_output), key("zero", labels.zero));
  }

  // ---- What the reader does

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
    const least = Math.min(...far);
    return least <= GRAB ? far.indexOf(least) : null;
  }

  place({ clientX, clientY }) {
    const { left, top, width, height } = this.plane.getBoundingClientRect();
    const across = (SIZE * (clientX - left)) / width, down = (SIZE * (clientY - top)) / height;
    return [(across - CENTER) / this.unit, (CENTER - down) / this.unit];
  }

  press(event, index) {
    const toward = ARROWS[event.key];
    if (!toward || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // the page must not scroll
    event.stopPropagation(); // nor JupyterLab move to the next cell
    const step = event.shiftKey ? LEAP : STEP;
    this.move(index, this.vectors[index].map((value, axis) => value + step * toward[axis]));
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

  // ---- What is shown

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
    this.summary.textContent = this.sentences(angles, scores, weights).join(" ");
  }

  showPlane(weights, output) {
    const points = [...this.vectors, output].map((vector) => this.onPaper(vector));
    const widths = [3, ...weights.map((weight) => 1.5 + 5 * weight), 2];
    [...this.arrows, this.output].forEach((arrow, index) =>
      point(arrow, points[index], widths[index], [CENTER, CENTER]));
    this.names.forEach((name, index) =>
      put(name, points[index], Math.sign(cross(this.vectors[0], this.vectors[index]))));
    this.handles.forEach((handle, index) => {
      const [x, y] = this.vectors[index];
      handle.style.left = `${(100 * points[index][0]) / SIZE}%`;
      handle.style.top = `${(100 * points[index][1]) / SIZE}%`;
      const place = fill(this.labels.place, spoken([x, y]));
      assign(handle, { "aria-valuenow": x, "aria-valuetext": place });
    });
    // At right angles to the query the dot product is zero.
    const [x, y] = direction(this.vectors[0]);
    const [across, down] = [SIZE * y, SIZE * x];
    assign(this.zero, { x1: CENTER - across, y1: CENTER - down, x2: CENTER + across, y2: CENTER + down });
  }

  onPaper([x, y]) {
    return [CENTER + this.unit * x, CENTER - this.unit * y];
  }

  showRows(angles, scores, weights) {
    const longest = Math.max(1, ...scores.map(Math.abs));
    this.rows.forEach((row, index) => {
      row.angle.textContent = angles[index] === null ? "–" : `${angles[index]}°`;
      row.score.set(number(scores[index], 2), scores[index] / longest);
      row.weight.set(number(weights[index], 3), weights[index]);
    });
  }

  sentences(angles, scores, weights) {
    const { labels, score } = this;
    const [query, ...words] = this.start.vectors.map(({ word }) => word);
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
      const [least, index] = low.reduce((a, b) => (b[0] < a[0] ? b : a));
      said.push(fill(scores[index] > -ZERO ? labels.none : labels.negative, { word: words[index], angle: least }));
    }
    return said;
  }
}

// ---- Vectors and weights

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function dot([a, b], [c, d]) {
  return a * c + b * d;
}

function cross([a, b], [c, d]) {
  return a * d - b * c;
}

// A vector of length zero has the cosine 0, as in torch.
function cosine(a, b) {
  return dot(a, b) / (Math.max(Math.hypot(...a), 1e-8) * Math.max(Math.hypot(...b), 1e-8));
}

function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  return powers.map((power) => power / sum(powers));
}

// In whole degrees; null where a vector has no direction.
function angle(a, b) {
  if (!Math.hypot(...a) || !Math.hypot(...b)) return null;
  return Math.round((Math.acos(within(cosine(a, b), -1, 1)) * 180) / Math.PI);
}

function spoken([x, y]) {
  return { x: number(x, 2), y: number(y, 2) };
}

// ---- Elements

// Beyond the tip, on the side away from the query (1: against the clock), inside the plane.
function put(name, [x, y], side) {
  const [along, down] = direction([x - CENTER, y - CENTER]);
  const [right, below] = direction([along + side * down, down - side * along]);
  const half = 4 * name.textContent.length + 2;
  const wanted = x + right * (12 + half), across = within(wanted, half, SIZE - half);
  const away = Math.abs(wanted - across) > 4 ? Math.sign(below) || 1 : below; // no room at the side
  assign(name, { x: across, y: within(y + 20 * away + 4, 12, SIZE - 6) });
}

function row(word) {
  const angle = node("td", { class: "number" });
  const score = bar("score"), weight = bar("weight");
  const part = node("tr", {}, node("th", { scope: "row" }, word), angle, score.part, weight.part);
  return { part, angle, score, weight };
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

function sample(kind) {
  const shape = kind === "zero" ? svg("line", { class: kind, x2: 28, y1: 6, y2: 6 }) : arrow(kind);
  if (kind !== "zero") point(shape, [27, 6], 2, [1, 6]);
  return svg("svg", { viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" }, shape);
}
