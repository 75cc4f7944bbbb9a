// What one head, or the mean of a layer's heads, reads: a grid with the words on both sides.

import { radios } from "../shared/controls.js";
import { assign, live, node, setText } from "../shared/elements.js";
import { LargeMap, hundredths, ranked, sizes } from "../shared/heads.js";
import { fill } from "../shared/words.js";
import { rowsOf } from "./writing.js";

const SIDES = { cross: ["decoder", "cross_attention"], decoder: ["decoder", "attention"], encoder: ["encoder", "attention"] };
const MOST_NUMBERS = 12; // keys, whose cells are wide enough for a number

export class AttentionPanel {
  constructor({ labels, choose, config }) {
    Object.assign(this, { labels, choose, kind: "cross", layer: config.decoder_layers - 1, head: null, query: 0, words: "" });
    const kinds = Object.keys(SIDES), again = (choice) => () => this.again(choice);
    const layers = Array.from({ length: config.decoder_layers }, (_, layer) => [String(layer + 1), again({ layer })]);
    const heads = Array.from({ length: config.num_heads }, (_, head) => [String(head + 1), again({ head })]);
    this.map = new LargeMap(labels, (query) => this.read(query));
    this.body = node("div", { class: "panes" }, node("div", {}, this.map.title, this.map.part));
    this.summary = live("summary");
    this.note = node("p", { class: "note" });
    this.part = node("div", {}, node("div", { class: "controls" },
      radios("kind", labels.kind, kinds.map((kind) => [labels.kinds[kind], again({ kind })])),
      radios("layer", labels.layer, layers, this.layer),
      radios("head", labels.head, [[labels.mean, again({ head: null })], ...heads])), this.body, this.summary, this.note);
  }

  again(choice) {
    Object.assign(this, choice);
    this.show(this.shown);
  }

  // A row of the decoder is a place of the translation, and is looked at everywhere; one of the encoder is not.
  read(query) {
    this.query = query;
    if (this.kind === "encoder") this.say();
    else this.choose(query);
  }

  show(shown) {
    this.shown = shown;
    const { labels, kind } = this, { words, written, changed, at, setting } = shown;
    const source = [...words, labels.end], target = [labels.begin, ...written.glosses].slice(0, changed.steps.length);
    [this.queries, this.keys] = kind === "encoder" ? [source, source] : [target, kind === "cross" ? source : target];
    this.name = `${SIDES[kind][0]}_layers.${this.layer}.${SIDES[kind][1]}`;
    this.weights = rowsOf(changed, this.name, this.head).map((row) => row.map((weight) => Math.round(100 * weight)));
    const hidden = kind === "decoder" && setting.causal;
    const drawn = JSON.stringify([this.queries, this.keys, hidden]);
    if (drawn !== this.words) {
      this.words = drawn;
      assign(this.body, sizes(this.queries, this.keys));
      this.map.setWords(this.queries, this.keys, (query, key) => hidden && key > query);
    }
    this.query = kind === "encoder" ? Math.min(this.query, source.length - 1) : at;
    this.note.textContent = [labels.notes[kind], ...this.warnings(setting)].join(" ");
    this.say();
  }

  warnings({ heads, updates, causal }) {
    const { labels, name, head, kind } = this;
    const off = updates.includes(name) || (head !== null && heads.includes(`${name}:${head}`));
    return [...(off ? [labels.off] : []), ...(kind === "decoder" && !causal ? [labels.uncaused] : [])];
  }

  say() {
    const { labels, queries, keys, weights, query, map, kind } = this;
    const head = this.head === null ? fill(labels.mean_of, { layer: this.layer + 1 })
      : fill(labels.head_of, { layer: this.layer + 1, head: this.head + 1 });
    map.show(fill(labels.map, { head }), query, weights);
    if (keys.length > MOST_NUMBERS) for (const { cells } of map.rows) for (const cell of cells) cell.textContent = "";
    const read = ranked(weights[query]).slice(0, 3)
      .map((key) => fill(labels.quoted, { word: keys[key], weight: hundredths(weights[query][key]) })).join(", ");
    const said = [fill(labels.reads, { head, query: queries[query], words: read || labels.nothing })];
    if (kind !== "encoder") said.push(fill(labels.next, { word: queries[query + 1] ?? labels.end }));
    setText(this.summary, said.join(" "));
  }
}
