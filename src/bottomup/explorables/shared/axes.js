// The axes of a drawing: lines at the values of one side, names of the places below the other.

import { svg } from "./elements.js";
import { scale } from "./numbers.js";

export class Axes {
  // `text` is the size of the letters, `inset` keeps the first and the last place off the frame.
  constructor({ left, right, top, bottom, height, text, gap, inset }, places, [low, high]) {
    Object.assign(this, { left, right, bottom, height, text, gap });
    this.x = scale([0, places - 1], [left + inset, right - inset]);
    this.y = scale([low, high], [bottom, top]);
  }

  // Values with a line each, names of places, where "" stands for none, and the lower axis' name.
  parts(values, names, title) {
    const { left, right, bottom, height, text, gap, x, y } = this, half = text / 2 - 2; // of a digit's height
    const word = (across, down, anchor, written) =>
      svg("text", { x: across, y: down, "text-anchor": anchor }, written);
    return [
      ...values.flatMap((value) => [
        svg("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
        word(left - gap, y(value) + half, "end", String(Number(value.toFixed(1))))]),
      ...names.flatMap((name, place) => (name ? word(x(place), bottom + text + 4, "middle", name) : [])),
      word((left + right) / 2, height - 4, "middle", title)];
  }
}
