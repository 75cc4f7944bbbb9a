// Accuracy by the length of a sentence: the chosen score, and the network without attention.

import { Axes } from "../shared/axes.js";
import { legend, legendKey, node, sample, svg } from "../shared/elements.js";
import { fill } from "../shared/words.js";

const WIDTH = 320, HEIGHT = 180;
const FRAME = { left: 28, right: 316, top: 10, bottom: 144, height: HEIGHT, text: 12, gap: 6, inset: 24 };
const MOST_TICKS = 7;

export function chart({ labels, curves, score, sentence }) {
  const { bins, trained } = curves, { left, right, top, bottom } = FRAME;
  const axes = new Axes(FRAME, bins.length, [0, 1]);
  const lines = [
    { kind: "chosen", label: score.label, ...curves.scores[score.name] },
    { kind: "fixed", label: labels.fixed, ...curves.fixed },
  ];
  const length = sentence.source.length, { here, unseen } = placesOf(bins, length, trained);
  const marks = [], said = lines.map((line) => [line.kind, withValue(line, here, labels)]);
  if (here >= 0) {
    marks.push(svg("line", { class: "here", x1: axes.x(here), x2: axes.x(here), y1: top, y2: bottom }));
    said.push(["here", fill(labels.here, { length })]);
  }
  if (unseen >= 0) {
    const from = unseen ? axes.x(unseen - 0.5) : left;
    const area = { x: from, y: top, width: right - from, height: bottom - top };
    marks.unshift(svg("rect", { class: "beyond", ...area })); // below the line that marks the sentence
    said.push(["beyond", labels.beyond]);
  }
  const title = fill(labels.chart, { measure: labels.measure });
  const aloud = `${title}. ${said.map(([, label]) => label).join("; ")}.`;
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": aloud },
    ...marks, ...axes.parts([0, 0.5, 1], binNames(bins), labels.length),
    ...lines.flatMap((line) => curve(line, axes)));
  return [node("p", { class: "title" }, title), drawing,
    legend(...said.map(([kind, label]) => legendKey(swatch(kind), label))),
    node("p", { class: "note" }, labels.spread)];
}

// The bin that a sentence belongs to, and the first beyond what was trained; -1 where there is none.
export function placesOf(bins, length, trained) {
  return { here: bins.findIndex(([shortest, longest]) => shortest <= length && length <= longest),
    unseen: trained === null ? -1 : bins.findIndex(([shortest]) => shortest > trained) };
}

// No more names than there is room for.
export function binNames(bins) {
  const every = Math.ceil(bins.length / MOST_TICKS);
  return bins.map(([shortest, longest], index) =>
    index % every ? "" : shortest === longest ? `${shortest}` : `${shortest}–${longest}`);
}

function withValue({ label, mean }, bin, labels) {
  return bin < 0 ? label : fill(labels.at, { label, value: mean[bin].toFixed(2) });
}

function curve({ kind, mean, low, high }, { x, y }) {
  const points = (shares) => shares.map((share, index) => [x(index).toFixed(1), y(share).toFixed(1)]);
  const around = [...points(high), ...points(low).reverse()];
  return [
    svg("polygon", { class: `band ${kind}`, points: around.join(" ") }),
    svg("polyline", { class: `line ${kind}`, points: points(mean).join(" ") }),
    ...points(mean).map(([across, down]) => marker(kind, Number(across), Number(down))),
  ];
}

// The lines differ in shape as well as in colour.
function marker(kind, x, y) {
  return kind === "chosen"
    ? svg("circle", { class: `point ${kind}`, cx: x, cy: y, r: 3.5 })
    : svg("rect", { class: `point ${kind}`, x: x - 3, y: y - 3, width: 6, height: 6 });
}

function swatch(kind) {
  if (kind === "here") return sample(svg("line", { class: kind, x1: 14, x2: 14, y1: 0, y2: 12 }));
  if (kind === "beyond") return sample(svg("rect", { class: kind, x: 1, y: 1, width: 26, height: 10 }));
  return sample(svg("line", { class: `line ${kind}`, x1: 0, x2: 28, y1: 6, y2: 6 }), marker(kind, 14, 6));
}
