// Heads of attention: a small map for each, a large one, and what they read. Weights are whole
// hundredths [query][key].

import { assign, node, svg } from "./elements.js";
import { fill } from "./words.js";

export const CELL = 10; // of a small map, in the drawing's units

// The fieldset of each layer, with its heads.
export function layersOf(heads, label) {
  return [...new Set(heads.map(({ layer }) => layer))].map((layer) => node("fieldset", {},
    node("legend", { class: "name" }, fill(label, { layer: layer + 1 })),
    node("div", { class: "heads" }, ...heads.filter((head) => head.layer === layer).map(({ part }) => part))));
}

// What is hidden is hatched; `over` is drawn over the weights, and over all the query's frame.
export function drawSmall(picture, weights, isHidden = () => false, ...over) {
  const width = weights[0].length * CELL, height = weights.length * CELL;
  const cells = weights.flatMap((row, query) => row.flatMap((weight, key) => {
    const place = { x: key * CELL, y: query * CELL, width: CELL, height: CELL };
    if (isHidden(query, key)) return svg("rect", { ...place, class: "hidden" });
    return weight ? svg("rect", { ...place, class: "weight", "fill-opacity": weight / 100 }) : [];
  }));
  assign(picture, { viewBox: `0 0 ${width} ${height}` });
  picture.replaceChildren(...cells, ...over, svg("rect", { class: "current", width, height: CELL }));
}

export function frameQuery(picture, query) {
  picture.lastChild.setAttribute("y", query * CELL);
}

// One head's weights in numbers, with a radio button for each query.
export class LargeMap {
  constructor(labels, choose) {
    this.title = node("p", { class: "title" });
    this.part = node("div", { class: "map", role: "radiogroup", "aria-label": labels.query });
    this.choose = choose;
  }

  setWords(queries, keys, isHidden = () => false) {
    this.rows = queries.map((word, query) => {
      const radio = node("input", { type: "radio", name: "query" });
      radio.addEventListener("change", () => this.choose(query));
      const cells = keys.map((_, key) => cell(isHidden(query, key) ? "cell hidden" : "cell"));
      return { radio, cells, part: node("label", { class: "row" }, radio,
        node("span", { class: "word" }, word), ...cells) };
    });
    this.part.replaceChildren(keyNames(keys), ...this.rows.map(({ part }) => part));
  }

  show(title, query, weights) {
    this.title.textContent = title;
    this.rows.forEach(({ radio, cells }, index) => {
      radio.checked = index === query;
      shade(cells, weights[index]);
      cells.forEach((one, key) => { one.textContent = weights[index][key] || ""; });
    });
  }
}

export function cell(kind = "cell") {
  return node("span", { class: kind, "aria-hidden": "true" });
}

export function shade(cells, weights) {
  cells.forEach((one, key) => one.style.setProperty("--weight", weights[key] / 100));
}

export function keyNames(keys) {
  return node("div", { class: "keys", "aria-hidden": "true" }, ...keys.map((key) => node("span", {}, key)));
}

// What the style of maps asks for: how many cells a row has, and how long its longest word is.
export function sizes(queries, keys) {
  return { style: `--keys: ${keys.length}; --letters: ${Math.max(...queries.map((word) => word.length))}` };
}

// The keys that are read, the most read first.
export function ranked(weights) {
  const keys = [...weights.keys()].filter((key) => weights[key]);
  return keys.sort((a, b) => weights[b] - weights[a]);
}

// Start where the heads differ most: at the query for which they read the most different keys.
export function mostVaried(heads, queries) {
  const varied = Array.from({ length: queries }, (_, query) =>
    new Set(heads.map(({ weights }) => ranked(weights[query])[0])).size);
  return varied.indexOf(Math.max(...varied));
}

export function hundredths(weight) {
  return (weight / 100).toFixed(2);
}

// What a head reads for a query, and how many heads agree, in sentences.
export function reading(labels, heads, chosen, query, queries, keys) {
  const weights = chosen.weights[query], read = ranked(weights), [first] = read;
  const most = read.slice(0, 3).map((key) =>
    fill(labels.quoted, { word: keys[key], weight: hundredths(weights[key]) })).join(", ");
  const said = [fill(labels.reads, { head: chosen.name, query: queries[query], words: most || labels.nothing })];
  if (first === undefined) return said;
  const count = heads.filter((head) => ranked(head.weights[query])[0] === first).length;
  return [...said, fill(labels.agree, { count, all: heads.length, word: keys[first] })];
}
