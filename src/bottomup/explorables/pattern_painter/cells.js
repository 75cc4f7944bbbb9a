// Cells of a unit's length, drawn from their corner.

import { svg } from "../shared/elements.js";

// How a cell of each kind is drawn, the later kinds on top: grounds, then what is read.
const WHOLE = "h1v1h-1z";
const SHAPES = {
  reached: WHOLE,
  ahead: WHOLE,
  blank: WHOLE,
  first: "m.12 .12h.76v.76h-.76z",
  second: "m.08 .5a.42.42 0 1 0 .84 0a.42.42 0 1 0-.84 0z",
  both: "m.12 .12h.76v.76h-.76zm.16 .38a.22.22 0 1 0 .44 0a.22.22 0 1 0-.44 0z",
  future: "m.2 .2l.6 .6m0-.6l-.6 .6",
  own: WHOLE,
};

// Cells of a unit's length, one path for each kind.
export function picture(attributes) {
  const paths = Object.keys(SHAPES).map((kind) => [kind, svg("path", { class: kind })]);
  const paint = (found) => paths.forEach(([kind, path]) => path.setAttribute("d", found[kind] ?? ""));
  return { paint, part: svg("svg", attributes, ...paths.map(([, path]) => path)) };
}

export function marks({ n, kinds, reach }, queries, place) {
  const found = {};
  const add = (kind, at) => { if (kind) found[kind] = (found[kind] ?? "") + spot(kind, at); };
  for (const i of queries) for (let j = 0; j < n; j += 1) {
    add(j <= i && "blank", place(i, j));
    add(reach[i][j] && (j > i ? "ahead" : "reached"), place(i, j));
    add(kinds[i][j], place(i, j));
  }
  return found;
}

export function spot(kind, at) {
  return `M${at}${SHAPES[kind]}`;
}

export function sample(kind) {
  return svg("svg", { viewBox: "-0.1 -0.1 1.2 1.2", width: 18, height: 18, "aria-hidden": "true" },
    svg("path", { class: kind, d: spot(kind, [0, 0]) }));
}
