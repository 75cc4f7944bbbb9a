// Tables, and bars in their cells.

import { node } from "./elements.js";
import { within } from "./numbers.js";

// A caption and heads may be words, or elements where their words change or are marked.
export function table(attributes, caption, heads, ...bodies) {
  const title = typeof caption === "string" ? node("caption", { class: "title" }, caption) : caption;
  const columns = heads.map((head) => (typeof head === "string" ? columnHead(head) : head));
  return node("table", attributes, ...(title ? [title] : []),
    node("thead", {}, node("tr", {}, ...columns)), ...bodies);
}

export function columnHead(name, attributes = {}) {
  return node("th", { scope: "col", ...attributes }, name);
}

export function tableRow(name, ...cells) {
  return node("tr", {}, node("th", { scope: "row" }, ...[name].flat()), ...cells);
}

// A number over its bar: a share of the cell's width, striped where the number is below zero.
export function measure(cell, share, text, ...kinds) {
  cell.className = ["measure", ...kinds, ...(share < 0 ? ["negative"] : [])].join(" ");
  cell.style.setProperty("--share", within(Math.abs(share), 0, 1));
  cell.replaceChildren(...[text].flat());
  return cell;
}
