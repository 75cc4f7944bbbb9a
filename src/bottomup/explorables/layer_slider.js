// The layer slider: information about the input token, distances between networks, and a sentence's
// tokens on their way through the layers. All numbers were worked out beforehand.

const WIDTH = 340; // of both drawings, in their units
const HEIGHT = 208, LEFT = 22, RIGHT = 328, TOP = 20, BOTTOM = 168; // of the curves
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10], MOST_TICKS = 6;
const TALL = 300, MARGIN = 22; // of the plane
const DOT = 5, STEP = 3, GRAB = 24; // radii of a point and of its path's, and what counts as touching
const WORSE = 10; // square units that a name may cover before the next spot for it is tried
const TEXT = 13, ABOVE = 11, BELOW = 3; // of a name: its size, and heights from its line
const MOVING = 350; // milliseconds that points need to the next station
const NAMED = 3; // types that the summary names

// A network's mark, of a radius around the origin.
const MARKS = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0z`,
  (r) => `M0 ${-1.2 * r}L${1.2 * r} ${r}H${-1.2 * r}z`,
];

export function mount(element, payload, style) {
  draw(element, style, new LayerSlider(payload).parts);
}

class LayerSlider {
  constructor(payload) {
    const { labels, stations, networks, tokens, start } = payload;
    Object.assign(this, payload);
    this.slider = slider(labels.station, stations, (station) => this.show({ station }),
      [stations[0], stations.at(-1)]);
    this.summary = node("p", { class: "summary", "aria-live": "polite" });
    this.curves = new Curves(payload, (station) => this.show({ station }));
    this.plane = new Plane(payload, (token) => this.show({ token }));
    this.bars = payload.pairs.map(() => node("td", {}));
    this.most = Math.max(0.1, Math.ceil(10 * Math.max(...payload.distances.flat())) / 10);
    this.title = node("p", { class: "title" });
    this.caption = node("caption", { class: "title" });
    this.near = node("tbody", {});
    this.words = radios("token", labels.token, tokens.map((text, token) => [text, () => this.show({ token })]));
    this.words.classList.add("row");
    this.parts = [
      node("div", { class: "controls" }, this.slider.part, radios("network", labels.network,
        networks.map((text, network) => [text, () => this.show({ network })]))),
      this.summary,
      node("div", { class: "panes" }, node("div", {}, ...this.curves.parts, ...this.distanceTable()),
        node("div", {}, this.head(), this.words, this.plane.picture,
          node("p", { class: "note" }, labels.how), this.neighbourTable()))];
    this.show({ station: 0, network: 0, token: start.token });
  }

  // ---- The parts

  distanceTable() {
    const { labels, pairs, bars } = this;
    const rows = pairs.map((pair, index) => row(pair, bars[index]));
    return [table(node("caption", { class: "title" }, labels.distances), [labels.pair, labels.distance],
      node("tbody", {}, ...rows)), node("p", { class: "note" }, fill(labels.scale, { most: this.most }))];
  }

  head() {
    const { labels, stations } = this, last = stations.length - 1;
    const buttons = [["←", labels.before, -1], ["→", labels.after, 1]].map(([text, label, by]) => {
      const button = node("button", { type: "button", "aria-label": label }, text);
      button.addEventListener("click", () => this.show({ station: within(this.at.station + by, 0, last) }));
      return button;
    });
    return node("div", { class: "head" }, this.title, ...buttons);
  }

  // As high as for the most types, so that nothing below jumps.
  neighbourTable() {
    const { labels, neighbours } = this;
    const rows = 1 + Math.max(...neighbours.flat(2).map((types) => types.length));
    return node("div", { class: "near", style: `--rows: ${rows}` },
      table(this.caption, [labels.type, labels.share], this.near));
  }

  // ---- What is shown

  show({ station = this.at?.station, network = this.at?.network, token = this.at?.token }) {
    const { labels, stations, networks, tokens, distances } = this;
    const along = this.at?.network === network && this.at?.station !== station;
    this.at = { station, network, token };
    const names = { station: stations[station], network: networks[network], token: tokens[token] };
    this.slider.set(station);
    this.curves.show(this.at);
    this.bars.forEach((bar, pair) => {
      const value = distances[pair][station];
      measure(bar, value / this.most, short(value));
    });
    this.title.textContent = fill(labels.plane, names);
    this.plane.show(this.at, along, fill(labels.plane_aloud, names));
    this.words.querySelectorAll("input").forEach((radio, index) => { radio.checked = index === token; });
    this.caption.textContent = fill(labels.neighbours, names);
    this.showNeighbours();
    const said = this.said(names);
    if (this.summary.textContent !== said) this.summary.textContent = said; // else it is read again
  }

  showNeighbours() {
    const { labels, tokens, at } = this;
    this.near.replaceChildren(...this.nearest().map(([type, share]) => {
      const bar = node("td", {}), own = type === tokens[at.token];
      measure(bar, share, fill(labels.percent, { share: percent(share) }), own);
      return row(type ?? labels.others, bar);
    }));
  }

  // Types and shares; without a type what is left for all others.
  nearest() {
    const { station, network, token } = this.at;
    const listed = this.neighbours[network][station][token].map(([type, share]) => [this.types[type], share]);
    const rest = 1 - listed.reduce((sum, [, share]) => sum + share, 0);
    return rest < 0.005 ? listed : [...listed, [null, rest]];
  }

  said(names) {
    const { labels, at: { station, network } } = this;
    const types = this.nearest().filter(([type], place) => type === null || place < NAMED)
      .map(([type, share]) => fill(labels.neighbour, { type: type ?? labels.others, share: percent(share) }));
    const apart = this.pairs.map((pair, index) =>
      fill(labels.apart, { pair, distance: short(this.distances[index][station]) }));
    return [
      fill(labels.said, { ...names, entropy: short(this.entropy), value: short(this.information[network][station]) }),
      fill(labels.said_apart, { pairs: apart.join("; ") }),
      fill(labels.said_near, { ...names, types: types.join(", ") })].join(" ");
  }
}

// The information of every network at every station; a press goes to the nearest station.
class Curves {
  constructor({ labels, stations, networks, entropy, information }, go) {
    this.information = information;
    this.x = (station) => LEFT + 12 + ((RIGHT - LEFT - 24) * station) / (stations.length - 1);
    const step = STEPS.find((one) => entropy / one <= MOST_TICKS) ?? entropy;
    const low = Math.max(0, step * Math.floor(Math.min(entropy - step, ...information.flat()) / step));
    this.y = (nats) => BOTTOM - ((BOTTOM - TOP) * (nats - low)) / (entropy - low);
    this.here = svg("line", { class: "here", y1: TOP, y2: BOTTOM });
    this.lines = networks.map((_, network) => this.line(network));
    this.values = networks.map(() => node("b", {}));
    this.keys = networks.map((name, network) =>
      node("li", { class: "key" }, sample(network), `${name} `, this.values[network]));
    const curves = networks.map((network, index) => fill(labels.curve,
      { network, values: information[index].map(short).join(", ") })).join(". ");
    const most = fill(labels.entropy, { entropy: short(entropy) });
    this.picture = svg("svg", { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": fill(labels.curves, { curves, entropy: most }) },
    ...this.axes(stations, [low, entropy, step], fill(labels.axis, { first: stations[0] })),
    svg("line", { class: "most", x1: LEFT, x2: RIGHT, y1: TOP, y2: TOP }),
    svg("text", { x: RIGHT, y: TOP - 6, "text-anchor": "end" }, most),
    this.here, ...this.lines.map(({ part }) => part));
    onPress(this.picture, ([x]) => {
      const far = stations.map((_, station) => Math.abs(this.x(station) - x));
      go(far.indexOf(Math.min(...far)));
    });
    this.parts = [node("p", { class: "title" }, labels.information), this.picture,
      node("ul", { class: "legend" }, ...this.keys)];
  }

  line(network) {
    const points = this.information[network].map((nats, station) => [this.x(station), this.y(nats)]);
    const big = svg("path", { class: "now", d: MARKS[network](5) });
    const small = points.map((place) => svg("path", { d: MARKS[network](3), transform: `translate(${place})` }));
    return { big, points, part: svg("g", { class: `curve n${network + 1}` },
      svg("polyline", { points: points.join(" ") }), ...small, big) };
  }

  axes(stations, [low, most, step], name) {
    const rows = Array.from({ length: Math.floor((most - low) / step) + 1 }, (_, row) => low + row * step);
    return [
      ...rows.flatMap((nats) => [
        svg("line", { class: "grid", x1: LEFT, x2: RIGHT, y1: this.y(nats), y2: this.y(nats) }),
        svg("text", { x: LEFT - 5, y: this.y(nats) + 4.5, "text-anchor": "end" }, String(Number(nats.toFixed(1))))]),
      ...stations.map((_, station) =>
        svg("text", { x: this.x(station), y: BOTTOM + 17, "text-anchor": "middle" }, String(station))),
      svg("text", { x: (LEFT + RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, name)];
  }

  show({ station, network }) {
    assign(this.here, { x1: this.x(station), x2: this.x(station) });
    this.lines.forEach(({ big, points, part }, index) => {
      big.setAttribute("transform", `translate(${points[station]})`);
      part.classList.toggle("chosen", index === network);
      this.keys[index].classList.toggle("chosen", index === network);
      this.values[index].textContent = short(this.information[index][station]);
    });
    this.picture.append(this.lines[network].part); // over the others
  }
}

// The tokens as points with their names, and the chosen one's path from the first station.
class Plane {
  constructor({ tokens, points }, choose) {
    this.widths = tokens.map(widthOf);
    this.places = points.map(fitted); // [network][station][token]
    this.path = svg("polyline", {});
    this.steps = svg("path", { class: "steps" });
    this.dots = tokens.map(() => svg("circle", { class: "dot", r: DOT }));
    this.names = tokens.map((token) => svg("text", {}, token));
    this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${TALL}`, role: "img" },
      this.path, this.steps, ...this.dots, ...this.names);
    onPress(this.picture, ([x, y]) => {
      const far = this.now.map((place) => Math.hypot(place[0] - x, place[1] - y));
      const least = Math.min(...far);
      if (least <= GRAB) choose(far.indexOf(least));
    });
  }

  show({ station, network, token }, along, label) {
    const { picture, dots, names } = this, past = this.places[network].slice(0, station + 1);
    this.now = past.at(-1);
    assign(picture, { class: `plane n${network + 1}`, "aria-label": label });
    const way = past.map((places) => places[token]);
    this.path.setAttribute("points", way.join(" "));
    this.steps.setAttribute("d", way.slice(0, -1).map((place) => `M${place}h0`).join(""));
    for (const part of [...dots, ...names]) part.classList.remove("chosen");
    for (const part of [dots[token], names[token]]) {
      part.classList.add("chosen");
      picture.append(part); // over the others
    }
    const smooth = along && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.now.forEach((place, index) => move(dots[index], place, smooth));
    labelled(this.now, this.widths, way).forEach((place, index) => move(names[index], place, smooth));
  }
}

// ---- Places

// One scale for all stations, so that a point moves only where its numbers do.
function fitted(stations) {
  const size = [WIDTH, TALL];
  const ends = [0, 1].map((axis) => {
    const values = stations.flat().map((point) => point[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
  const unit = Math.min(...ends.map(([low, high], axis) => (size[axis] - 2 * MARGIN) / (high - low || 1)));
  const [x, y] = ends.map(([low, high], axis) => (value) =>
    size[axis] / 2 + (axis ? -unit : unit) * (value - (low + high) / 2));
  return stations.map((points) => points.map(([across, up]) => [x(across), y(up)]));
}

// Where each name begins: of the spots around its point, the nearest first, one that covers little.
function labelled(dots, widths, way) {
  const box = (radius) => ([x, y]) => [x - radius, y - radius, x + radius, y + radius];
  const taken = [...dots.map(box(DOT)), ...way.map(box(STEP))];
  return dots.map(([x, y], index) => {
    const width = widths[index], middle = -width / 2;
    const beside = (down) => [[DOT + 3, down], [-DOT - 3 - width, down]];
    const spots = [...beside(4), [middle, -9], [middle, 17], ...[-5, 14, -14, 23].flatMap(beside),
      [middle, -23], [middle, 31]].map(([across, down], farther) => {
      const place = [within(x + across, 2, WIDTH - width - 2), within(y + down, ABOVE + 1, TALL - BELOW - 1)];
      const box = [place[0], place[1] - ABOVE, place[0] + width, place[1] + BELOW];
      return { place, box, cost: taken.reduce((sum, other) => sum + overlap(box, other), WORSE * farther) };
    });
    const best = spots.reduce((a, b) => (b.cost < a.cost ? b : a));
    taken.push(best.box);
    return best.place;
  });
}

// Of a name in bold, in the page's fonts. An element that is not on the page has no width.
function widthOf(name) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `600 ${TEXT}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(name).width;
}

function overlap(a, b) {
  const [across, down] = [0, 1].map((axis) => Math.min(a[axis + 2], b[axis + 2]) - Math.max(a[axis], b[axis]));
  return Math.max(across, 0) * Math.max(down, 0);
}

// From where it is now, even on its way.
function move(element, [x, y], smooth) {
  const to = `translate(${x}px, ${y}px)`, from = smooth && getComputedStyle(element).transform;
  for (const running of element.getAnimations()) running.cancel();
  element.style.transform = to;
  if (smooth) element.animate({ transform: [from, to] }, { duration: MOVING, easing: "ease-in-out" });
}

// ---- Words and elements

function short(value) {
  return number(value, 2);
}

function percent(share) {
  return number(100 * share, 0);
}

function onPress(picture, act) {
  const at = ({ type, buttons, clientX, clientY }) => {
    const { left, top, width } = picture.getBoundingClientRect();
    if (type === "pointerdown" || buttons)
      act([clientX - left, clientY - top].map((pixels) => (WIDTH * pixels) / width));
  };
  picture.addEventListener("pointerdown", at);
  picture.addEventListener("pointermove", at);
}

function table(caption, names, body) {
  return node("table", {}, caption,
    node("thead", {}, node("tr", {}, ...names.map((name) => node("th", { scope: "col" }, name)))), body);
}

function row(name, bar) {
  return node("tr", {}, node("th", { scope: "row" }, name), bar);
}

function measure(bar, share, text, own = false) {
  assign(bar, { class: own ? "bar own" : "bar", style: `--share: ${within(share, 0, 1)}` });
  bar.textContent = text;
}

function sample(network) {
  return svg("svg", { class: `n${network + 1}`, viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" },
    svg("g", { class: "curve" }, svg("polyline", { points: "0,6 28,6" }),
      svg("path", { d: MARKS[network](4), transform: "translate(14,6)" })));
}
