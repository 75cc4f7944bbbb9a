// Segments and memory: which states a prediction can know of, from the top layer down to the tokens.

import { radios, slider } from "../shared/controls.js";
import { drawn, legend, legendKey, live, node, setText } from "../shared/elements.js";
import { fill } from "../shared/words.js";

class Segments {
  constructor({ labels, positions, choices, start }) {
    Object.assign(this, { labels, positions });
    const options = (name) => radios(name, labels[name],
      choices[name].map((value) => [String(value), () => this.show({ [name]: value })]),
      choices[name].indexOf(start[name]));
    this.slider = slider(labels.position, Array.from({ length: positions }, (_, place) => String(place)),
      (position) => this.show({ position }), ["0", String(positions - 1)]);
    this.picture = node("div", { class: "picture", role: "img" });
    this.picture.style.setProperty("--positions", positions);
    this.summary = live("summary");
    const layers = options("layers");
    layers.classList.add("row");
    const sample = (kind) => node("span", { class: `state ${kind}` });
    this.parts = [
      node("div", { class: "controls" }, options("segment"), options("memory"), layers, this.slider.part),
      this.picture, this.summary,
      legend(legendKey(sample("own"), labels.own), legendKey(sample("kept"), labels.kept))];
    this.show(start);
  }

  show(changed) {
    this.at = { ...this.at, ...changed };
    const { layers, segment, position } = this.at;
    const levels = known(this.at);
    this.slider.set(position);
    this.picture.replaceChildren(...levels.map((reached, level) => this.row(reached, level)).reverse());
    const said = sentences(this.labels, this.at).join(" ");
    this.picture.setAttribute("aria-label", said);
    setText(this.summary, said);
    this.picture.style.setProperty("--layers", layers);
    this.picture.style.setProperty("--segment", segment);
  }

  row(reached, level) {
    const { segment, position } = this.at;
    const first = position - (position % segment);
    const states = Array.from({ length: this.positions }, (_, place) => {
      const lit = reached.has(place) ? (place >= first ? "own" : "kept") : "";
      const edge = place > 0 && place % segment === 0 ? "edge" : "";
      return node("span", { class: ["state", lit, edge].filter(Boolean).join(" ") });
    });
    const name = level ? fill(this.labels.layer, { number: level }) : this.labels.tokens;
    return node("div", { class: "level" }, node("span", { class: "name" }, name),
      node("div", { class: "states" }, ...states));
  }
}

export const mount = drawn(Segments);

// For the tokens and each layer the positions that the last one can know of; the top one first reads.
export function known({ layers, segment, memory, position }) {
  const levels = [new Set([position])];
  for (let layer = layers; layer > 0; layer -= 1) {
    const read = new Set();
    for (const place of levels[0]) {
      const first = place - (place % segment);
      for (let key = Math.max(0, first - memory); key <= place; key += 1) read.add(key);
    }
    levels.unshift(read);
  }
  return levels;
}

export function reachOf(setting) {
  return setting.position - Math.min(...known(setting)[0]);
}

// At the end of a segment, far from the beginning of the text.
export function longest({ layers, segment, memory }) {
  return (layers - 1) * Math.ceil(memory / segment) * segment + memory + segment - 1;
}

export function sentences(labels, setting) {
  const { layers, segment, memory, position } = setting, reach = reachOf(setting);
  const far = reachOf({ ...setting, position: position + 100 * segment });
  const said = [fill(reach > 1 ? labels.reach : reach ? labels.one : labels.none, { position, reach })];
  if (reach < far) said.push(labels.cut);
  const back = Math.ceil(memory / segment) * segment;
  const rule = `(${layers} − 1) · ${back} + ${memory} + ${segment} − 1`;
  said.push(fill(labels.rule, { rule, reach: longest(setting) }));
  return said;
}
