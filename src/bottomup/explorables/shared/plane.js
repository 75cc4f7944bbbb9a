// A plane with arrows from its middle.

import { assign, svg } from "./elements.js";
import { direction } from "./numbers.js";

export const SIZE = 320; // in the drawing's units
export const CENTER = SIZE / 2;

export function crossing() {
  return [[0, CENTER, SIZE, CENTER], [CENTER, 0, CENTER, SIZE]].map(([x1, y1, x2, y2]) =>
    svg("line", { class: "axis", x1, y1, x2, y2 }));
}

// Where a point lies in the drawing, whose second axis leads down.
export function onPaper([x, y], unit) {
  return [CENTER + unit * x, CENTER - unit * y];
}

export function arrow(kind) {
  return svg("g", { class: `arrow ${kind}` }, svg("line", {}), svg("polygon", {}));
}

export function point({ children: [shaft, head] }, [x, y], width, [fromX, fromY] = [CENTER, CENTER]) {
  const [along, down] = direction([x - fromX, y - fromY]);
  const back = Math.min(8 + width, Math.hypot(x - fromX, y - fromY)), side = 3 + width;
  const [x2, y2] = [x - back * along, y - back * down];
  assign(shaft, { x1: fromX, y1: fromY, x2, y2, "stroke-width": width });
  assign(head, { points: [x2 - side * down, y2 + side * along, x, y, x2 + side * down, y2 - side * along] });
}

// A line through the middle at right angles to a vector: what lies on it has the dot product zero.
export function drawZero(line, vector) {
  const [x, y] = direction(vector);
  assign(line, { x1: CENTER - SIZE * y, y1: CENTER - SIZE * x, x2: CENTER + SIZE * y, y2: CENTER + SIZE * x });
}
