// The attention of every layer and head of a translator: three kinds of maps, one map in large, and
// as bars what one query reads. Weights are whole hundredths [layer][head][query][key].

import { chooser, radios } from "../shared/controls.js";
import { assign, drawn, live, node, setText, svg } from "../shared/elements.js";
import { LargeMap, drawSmall, frameQuery, hundredths, layersOf, mostVaried, reading, sizes } from "../shared/heads.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill } from "../shared/words.js";

const SIDES = { encoder: ["source", "source"], decoder: ["target", "target"], cross: ["target", "source"] };

class LayerAttention {
  constructor({ labels, end, sentences }) {
    Object.assign(this, { labels, end, sentences, kind: "encoder" });
    this.heads = sentences[0].encoder.flatMap((heads, layer) => heads.map((_, index) => this.head(layer, index)));
    this.chosen = this.heads[0];
    this.chosen.radio.checked = true;
    this.note = node("p", { class: "note" });
    this.map = new LargeMap(labels, (query) => this.show({ query }));
    this.caption = node("caption", { class: "title" });
    this.bars = node("tbody", {});
    this.summary = live("summary");
    this.parts = [this.controls(), this.gallery(), this.panes(), this.summary];
    this.showSentence(0);
  }

  controls() {
    const { labels, sentences } = this;
    return node("div", { class: "top" },
      chooser(labels.sentence, sentences.map(({ title }) => title), (index) => this.showSentence(index)),
      radios("kind", labels.kind,
        Object.entries(labels.kinds).map(([kind, text]) => [text, () => this.showKind(kind)])),
      this.note);
  }

  head(layer, index) {
    const name = `${layer + 1}.${index + 1}`;
    const radio = node("input", { type: "radio", name: "head", "aria-label": fill(this.labels.head, { head: name }) });
    const small = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
    const head = { layer, index, name, radio, small,
      part: node("label", { class: "small" }, radio, small, node("span", { "aria-hidden": "true" }, name)) };
    radio.addEventListener("change", () => this.show({ chosen: head }));
    return head;
  }

  gallery() {
    return node("div", { class: "gallery", role: "group", "aria-label": this.labels.heads },
      ...layersOf(this.heads, this.labels.layer));
  }

  panes() {
    const { labels, map } = this;
    this.lower = node("div", { class: "panes" }, node("div", {}, map.title, map.part),
      table({}, this.caption, [labels.key, labels.weight], this.bars));
    return this.lower;
  }

  showSentence(index) {
    this.sentence = this.sentences[index];
    this.query = null; // the queries are other words
    this.showKind(this.kind);
  }

  // Maps, rows and bars are made anew: another kind has other words on its sides.
  showKind(kind) {
    const { sentence, heads } = this, [queries, keys] = SIDES[kind].map((side) => sentence[side]);
    const kept = SIDES[kind][0] === SIDES[this.kind][0] ? this.query : null; // the same queries
    Object.assign(this, { kind, queries, keys });
    const isHidden = (query, key) => this.isHidden(query, key);
    for (const head of heads) {
      head.weights = sentence[kind][head.layer][head.index];
      drawSmall(head.small, head.weights, isHidden);
    }
    this.note.textContent = this.labels.notes[kind];
    assign(this.lower, sizes(queries, keys));
    this.map.setWords(queries, keys, isHidden);
    this.measures = keys.map(() => node("td", {}));
    this.bars.replaceChildren(...keys.map((word, key) => tableRow(word, this.measures[key])));
    this.show({ query: kept ?? mostVaried(heads, queries.length) });
  }

  // The decoder's mask: nothing above the diagonal is read.
  isHidden(query, key) {
    return this.kind === "decoder" && key > query;
  }

  show({ query = this.query, chosen = this.chosen }) {
    Object.assign(this, { query, chosen });
    const { labels, queries, keys, heads } = this, place = { head: chosen.name, query: queries[query] };
    this.map.show(fill(labels.map, place), query, chosen.weights);
    this.caption.textContent = fill(labels.bars, place);
    for (const { small } of heads) frameQuery(small, query);
    this.measures.forEach((bar, key) => {
      const hidden = this.isHidden(query, key), weight = chosen.weights[query][key];
      measure(bar, weight / 100, hidden ? labels.hidden : hundredths(weight), ...(hidden ? ["hidden"] : []));
    });
    const said = reading(labels, heads, chosen, query, queries, keys);
    if (this.kind !== "encoder") said.push(fill(labels.next, { word: queries[query + 1] ?? this.end }));
    setText(this.summary, said.join(" "));
  }
}

export const mount = drawn(LayerAttention);
