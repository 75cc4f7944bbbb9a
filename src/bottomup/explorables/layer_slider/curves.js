// The information of every network at every station; a press goes to the nearest station.

import { Axes } from "../shared/axes.js";
import { assign, legend, legendKey, node, sample, svg } from "../shared/elements.js";
import { onPress, placeIn } from "../shared/events.js";
import { least } from "../shared/numbers.js";
import { fill, number } from "../shared/words.js";

const WIDTH = 340, HEIGHT = 208;
const FRAME = { left: 22, right: 328, top: 20, bottom: 168, height: HEIGHT, text: 13, gap: 5, inset: 12 };
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10], MOST_TICKS = 6;

// A network's mark, of a radius around the origin.
const MARKS = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (r) => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0z`,
  (r) => `M0 ${-1.2 * r}L${1.2 * r} ${r}H${-1.2 * r}z`,
];

export class Curves {
  constructor({ labels, stations, networks, entropy, information }, go) {
    const { left, right, top, bottom } = FRAME, values = ticks(entropy, information);
    this.information = information;
    this.axes = new Axes(FRAME, stations.length, [values[0], entropy]);
    this.here = svg("line", { class: "here", y1: top, y2: bottom });
    this.lines = networks.map((_, network) => this.line(network));
    this.values = networks.map(() => node("b", {}));
    this.keys = networks.map((name, network) => legendKey(mark(network), `${name} `, this.values[network]));
    const curves = networks.map((network, index) => fill(labels.curve,
      { network, values: information[index].map(short).join(", ") })).join(". ");
    const most = fill(labels.entropy, { entropy: short(entropy) });
    this.picture = svg("svg", { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
      "aria-label": fill(labels.curves, { curves, entropy: most }) },
    ...this.axes.parts(values, stations.map((_, station) => String(station)),
      fill(labels.axis, { first: stations[0] })),
    svg("line", { class: "most", x1: left, x2: right, y1: top, y2: top }),
    svg("text", { x: right, y: top - 6, "text-anchor": "end" }, most),
    this.here, ...this.lines.map(({ part }) => part));
    onPress(this.picture, (event) => {
      const [x] = placeIn(this.picture, event, WIDTH);
      go(least(stations.map((_, station) => Math.abs(this.axes.x(station) - x))));
    });
    this.parts = [node("p", { class: "title" }, labels.information), this.picture, legend(...this.keys)];
  }

  line(network) {
    const points = this.information[network].map((nats, station) => [this.axes.x(station), this.axes.y(nats)]);
    const big = svg("path", { class: "now", d: MARKS[network](5) });
    const small = points.map((place) => svg("path", { d: MARKS[network](3), transform: `translate(${place})` }));
    return { big, points, part: svg("g", { class: `curve n${network + 1}` },
      svg("polyline", { points: points.join(" ") }), ...small, big) };
  }

  show({ station, network }) {
    const x = this.axes.x(station);
    assign(this.here, { x1: x, x2: x });
    this.lines.forEach(({ big, points, part }, index) => {
      big.setAttribute("transform", `translate(${points[station]})`);
      part.classList.toggle("chosen", index === network);
      this.keys[index].classList.toggle("chosen", index === network);
      this.values[index].textContent = short(this.information[index][station]);
    });
    this.picture.append(this.lines[network].part); // over the others
  }
}

// The values with a line each, from below the least number, and never below zero, up to H(T).
export function ticks(entropy, information) {
  const step = STEPS.find((one) => entropy / one <= MOST_TICKS) ?? entropy;
  const low = Math.max(0, step * Math.floor(Math.min(entropy - step, ...information.flat()) / step));
  return Array.from({ length: Math.floor((entropy - low) / step) + 1 }, (_, row) => low + row * step);
}

function mark(network) {
  const drawn = sample(svg("g", { class: "curve" }, svg("polyline", { points: "0,6 28,6" }),
    svg("path", { d: MARKS[network](4), transform: "translate(14,6)" })));
  assign(drawn, { class: `n${network + 1}` });
  return drawn;
}

function short(nats) {
  return number(nats, 2);
}
