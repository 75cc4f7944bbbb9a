// The score of one profession from the embedding to the last layer: intact, frozen, and of the others.

import { Axes } from "../shared/axes.js";
import { assign, legend, legendKey, node, sample, svg } from "../shared/elements.js";
import { onPress, placeIn } from "../shared/events.js";
import { least } from "../shared/numbers.js";
import { fill, number } from "../shared/words.js";

const WIDTH = 340, HEIGHT = 264;
const FRAME = { left: 32, right: 334, top: 8, bottom: 224, height: HEIGHT, text: 13, gap: 5, inset: 8 };
const KINDS = ["intact", "frozen"];

export class Chart {
  constructor(labels, stations, ticks, go) {
    const { top, bottom, left, right } = FRAME;
    this.labels = labels;
    this.axes = new Axes(FRAME, stations, [ticks[0], ticks.at(-1)]);
    this.here = svg("line", { class: "here", y1: top, y2: bottom });
    this.others = svg("g", { class: "others" });
    this.lines = Object.fromEntries(KINDS.map((kind) => [kind, svg("g", { class: kind })]));
    const zero = this.axes.y(0), places = Array.from({ length: stations }, (_, place) => place);
    this.picture = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" },
      ...this.axes.parts(ticks, places.map((place) => (place % 2 ? "" : String(place / 2))), labels.axis),
      svg("line", { class: "zero", x1: left, x2: right, y1: zero, y2: zero }),
      this.here, this.others, this.lines.frozen, this.lines.intact);
    onPress(this.picture, (event) => {
      const [x] = placeIn(this.picture, event, WIDTH);
      go(least(places.map((place) => Math.abs(this.axes.x(place) - x))));
    });
    this.title = node("p", { class: "title" });
    this.parts = [this.title, this.picture, legend(
      ...KINDS.map((kind) => legendKey(sample(svg("g", { class: kind }, ...curve(kind, [[0, 6], [28, 6]], [14, 6]))), labels[kind])),
      legendKey(sample(svg("g", { class: "others" }, line([[0, 6], [28, 6]]))), labels.others))];
  }

  show({ station, profession, others, ...scores }) {
    const x = this.axes.x(station), { labels } = this;
    const points = (along) => along.map((score, place) => [this.axes.x(place), this.axes.y(score)]);
    assign(this.here, { x1: x, x2: x });
    this.others.replaceChildren(...others.map((along) => line(points(along))));
    for (const kind of KINDS) {
      const places = points(scores[kind]);
      this.lines[kind].replaceChildren(...curve(kind, places, places[station]));
    }
    const written = (kind) => scores[kind].map((score) => number(score, 2)).join(", ");
    this.title.textContent = profession;
    this.picture.setAttribute("aria-label", fill(labels.chart, { profession, intact: written("intact"), frozen: written("frozen") }));
  }
}

function line(points) {
  return svg("polyline", { points: points.map((place) => place.map((one) => one.toFixed(1))).join(" ") });
}

// The lines differ in shape as well as in colour: a round mark, and a square one.
function curve(kind, points, [x, y]) {
  return [line(points), kind === "intact" ? svg("circle", { cx: x, cy: y, r: 5 })
    : svg("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9 })];
}
