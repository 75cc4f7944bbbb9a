// How the parts of a model, its stations and what is changed in it are called.

import { fill } from "../shared/words.js";

// "decoder_layers.1.cross_attention:2", "encoder_layers.0", "memory"
export function nameOf(labels, name) {
  const [whole, head] = name.split(":"), [side, layer, part] = whole.replace("_layers", "").split(".");
  if (layer === undefined) return labels.stations[side];
  const place = { side: labels.sides[side], layer: Number(layer) + 1, part: labels.sublayers[part], head: Number(head) + 1 };
  return fill(part === undefined ? labels.layer_end : head === undefined ? labels.sublayer : labels.one_head, place);
}

// One change of a setting (settings.js).
export function changeOf(labels, { kind, name }) {
  const words = labels.changes[kind];
  if (typeof words !== "string") return words[name];
  if (kind === "hidden") return fill(words, { place: name + 1 });
  if (kind === "training") return fill(words, { count: name });
  if (kind !== "patches") return fill(words, { name: name && nameOf(labels, name) });
  const { station, position, from, donor } = name;
  return fill(words, { station: nameOf(labels, station), place: position + 1, from: from + 1, donor });
}
