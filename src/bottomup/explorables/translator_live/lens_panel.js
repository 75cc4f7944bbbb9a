// What a place of the decoder would write if it stopped earlier, and which words decide what it writes.

import { live, node, setText } from "../shared/elements.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { sum } from "../shared/numbers.js";
import { fill } from "../shared/words.js";
import { namesOf } from "../engine/changes.js";
import { softmaxWithTemperature } from "../engine/decoding.js";
import { matrix, rowOf } from "../engine/matrices.js";
import { saliency } from "../engine/training.js";
import { share } from "./choice_panel.js";
import { best, pause } from "./writing.js";

const THREE = 3;

export class LensPanel {
  constructor({ labels, tell, name, config }) {
    Object.assign(this, { labels, tell, name, stations: namesOf(config).stations.filter((one) => /^(target|decoder)/.test(one)) });
    this.caption = node("caption", { class: "title" });
    this.layers = node("tbody", {});
    this.words = node("tbody", {});
    this.summary = live("summary");
    this.part = node("div", {}, table({ class: "lens" }, this.caption,
      [labels.station, ...labels.ranks], this.layers), node("p", { class: "note" }, labels.lens_note),
    table({ class: "saliency" }, labels.saliency, [labels.word, labels.length], this.words),
    this.summary, node("p", { class: "note" }, labels.saliency_note));
  }

  // The gradients take longest, and come when the layers are seen.
  async show(shown) {
    this.shown = shown;
    this.showLayers(shown);
    const { at } = shown;
    await pause();
    if (this.shown === shown && shown.at === at) this.showWords(shown);
  }

  showLayers({ changed, written, at }) {
    const { labels, tell, stations, name } = this, { trace, token } = changed.steps[at];
    this.caption.textContent = fill(labels.lens, { place: at + 1, read: [labels.begin, ...written.glosses][at], word: tell(token) });
    this.layers.replaceChildren(...stations.map((station) => tableRow(name(station), ...this.lens(changed.model, trace.get(station)))));
  }

  showWords({ changed, at, words }) {
    const { labels, tell } = this, { token } = changed.steps[at], target = changed.tokens, place = Math.min(at, target.length);
    const lengths = saliency(changed.model, changed.source, target, place, changed.change);
    const all = sum(lengths) || 1, most = Math.max(...lengths) || 1, source = [...words, labels.end];
    this.words.replaceChildren(...source.map((word, key) => tableRow(word,
      measure(node("td", {}), lengths[key] / most, share(lengths[key] / all)))));
    const order = [...lengths.keys()].sort((a, b) => lengths[b] - lengths[a]);
    setText(this.summary, fill(labels.weighs, { word: tell(token), first: source[order[0]], second: source[order[1]] }));
  }

  lens(model, states) {
    const last = matrix(1, states.cols, Float32Array.from(rowOf(states, states.rows - 1)));
    const p = softmaxWithTemperature(rowOf(model.unembed(last), 0), 1);
    return best(p, THREE).map(([token, chance]) =>
      measure(node("td", {}), chance, [node("b", {}, this.tell(token)), ` ${share(chance)}`]));
  }
}
