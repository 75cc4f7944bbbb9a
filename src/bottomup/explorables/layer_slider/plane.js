// A sentence's tokens as points with their names, and the chosen one's path from the first station.

import { assign, svg } from "../shared/elements.js";
import { onPress, placeIn } from "../shared/events.js";
import { least, sum, within } from "../shared/numbers.js";

export const WIDTH = 340; // of the drawing, in its units
export const TALL = 300;
const MARGIN = 22;
const DOT = 5, STEP = 3, GRAB = 24; // radii of a point and of its path's, and what counts as touching
const WORSE = 10; // square units that a name may cover before the next spot for it is tried
const TEXT = 13, ABOVE = 11, BELOW = 3; // of a name: its size, and heights from its line
const MOVING = 350; // milliseconds that points need to the next station

export class Plane {
  constructor({ tokens, points }, choose) {
    this.widths = tokens.map(widthOf);
    this.places = points.map(fitted); // [network][station][token]
    this.path = svg("polyline", {});
    this.steps = svg("path", { class: "steps" });
    this.dots = tokens.map(() => svg("circle", { class: "dot", r: DOT }));
    this.names = tokens.map((token) => svg("text", {}, token));
    this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${TALL}`, role: "img" },
      this.path, this.steps, ...this.dots, ...this.names);
    onPress(this.picture, (event) => {
      const [x, y] = placeIn(this.picture, event, WIDTH);
      const nearest = least(this.now.map((place) => Math.hypot(place[0] - x, place[1] - y)), GRAB);
      if (nearest !== null) choose(nearest);
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

// One scale for all stations, so that a point moves only where its numbers do.
export function fitted(stations) {
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
export function labelled(dots, widths, way) {
  const box = (radius) => ([x, y]) => [x - radius, y - radius, x + radius, y + radius];
  const taken = [...dots.map(box(DOT)), ...way.map(box(STEP))];
  return dots.map(([x, y], index) => {
    const width = widths[index], middle = -width / 2;
    const beside = (down) => [[DOT + 3, down], [-DOT - 3 - width, down]];
    const spots = [...beside(4), [middle, -9], [middle, 17], ...[-5, 14, -14, 23].flatMap(beside),
      [middle, -23], [middle, 31]].map(([across, down], farther) => {
      const place = [within(x + across, 2, WIDTH - width - 2), within(y + down, ABOVE + 1, TALL - BELOW - 1)];
      const box = [place[0], place[1] - ABOVE, place[0] + width, place[1] + BELOW];
      return { place, box, cost: WORSE * farther + sum(taken.map((other) => overlap(box, other))) };
    });
    const best = spots[least(spots.map(({ cost }) => cost))];
    taken.push(best.box);
    return best.place;
  });
}

// The area that two boxes share.
export function overlap(a, b) {
  const [across, down] = [0, 1].map((axis) => Math.min(a[axis + 2], b[axis + 2]) - Math.max(a[axis], b[axis]));
  return Math.max(across, 0) * Math.max(down, 0);
}

// Of a name in bold, in the page's fonts. An element that is not on the page has no width.
function widthOf(name) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `600 ${TEXT}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(name).width;
}

// From where it is now, even on its way.
function move(element, [x, y], smooth) {
  const to = `translate(${x}px, ${y}px)`, from = smooth && getComputedStyle(element).transform;
  for (const running of element.getAnimations()) running.cancel();
  element.style.transform = to;
  if (smooth) element.animate({ transform: [from, to] }, { duration: MOVING, easing: "ease-in-out" });
}
