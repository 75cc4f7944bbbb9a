// Switches for every part of the model, and a state that is put in from another sentence.

import { button, checkbox, chooser } from "../shared/controls.js";
import { node, setText, live } from "../shared/elements.js";
import { columnHead, table } from "../shared/tables.js";
import { fill } from "../shared/words.js";
import { UNCHANGED, namesOf } from "../engine/changes.js";
import { toggled } from "./settings.js";

export class PartsPanel {
  constructor({ labels, set, config, translator, name, donor }) {
    Object.assign(this, { labels, set, translator, name });
    const { heads, sublayers, stations } = namesOf(config), columns = Array.from({ length: config.num_heads });
    this.buttons = [];
    this.stations = stations;
    const cells = (sublayer) => columns.map((_, head) => (heads.includes(`${sublayer}:${head}`)
      ? [this.toggle("heads", `${sublayer}:${head}`, String(head + 1))] : []));
    const rows = sublayers.map((sublayer) => node("tr", {}, node("th", { scope: "row" }, name(sublayer)),
      ...cells(sublayer).map((inside) => node("td", {}, ...inside)),
      ...["skips", "updates"].map((kind) => node("td", {}, this.toggle(kind, sublayer, labels.off_short)))));
    const titles = [columnHead(labels.part), columnHead(labels.heads_off, { colspan: config.num_heads }),
      columnHead(labels.skip_off), columnHead(labels.update_off)];
    this.places = ["source", "target"].map((side) => checkbox(labels.positions[side], () => this.turn("positions", side)));
    this.causal = checkbox(labels.causal, (on) => set({ causal: on }));
    this.part = node("div", {}, node("p", { class: "note" }, labels.parts_note),
      table({ class: "parts" }, labels.parts_title, titles, node("tbody", {}, ...rows)),
      node("div", { class: "checks" }, ...this.places, this.causal), node("p", { class: "note" }, labels.causal_note),
      this.hiding = node("div", { class: "hiding", role: "group", "aria-label": labels.hidden }), this.patching(donor), node("p", { class: "note" }, labels.one_model));
  }

  toggle(kind, value, text) {
    const made = button(text, () => this.turn(kind, value), fill(this.labels.pressed[kind], { name: this.name(value) }));
    this.buttons.push({ kind, value, made });
    return made;
  }

  turn(kind, value) {
    this.set(toggled(this.shown.setting, kind, value));
  }

  // The source mask: a button for each word.
  showHiding() {
    const { labels, shown: { words, setting } } = this, source = [...words, labels.end];
    if (source.join(" ") !== this.source) {
      this.hiding.replaceChildren(node("span", { class: "name" }, labels.hidden),
        ...source.map((word, at) => button(word, () => this.turn("hidden", at))));
    }
    this.source = source.join(" ");
    [...this.hiding.querySelectorAll("button")].forEach((made, at) => made.setAttribute("aria-pressed", setting.hidden.includes(at)));
  }

  // ---- A state of another sentence

  patching(donor) {
    const { labels, stations, name } = this;
    this.donor = node("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    this.donor.value = donor;
    this.donor.addEventListener("input", () => this.offer());
    this.station = chooser(labels.station, stations.map((one) => name(one)), () => this.offer());
    this.station.querySelector("select").selectedIndex = 1;
    this.from = chooser(labels.from, [], () => {});
    this.to = chooser(labels.to, [], () => {});
    this.said = live("note");
    this.put = button(labels.put, () => this.patch());
    return node("fieldset", { class: "patching" }, node("legend", { class: "name" }, labels.patching),
      node("label", { class: "sentence" }, node("span", { class: "name" }, labels.donor), this.donor),
      node("div", { class: "controls" }, this.station, this.from, this.to, this.put), this.said);
  }

  // The places of both sentences at the chosen station.
  offer() {
    const { translator, labels, donor, from, to, shown } = this, decoder = /^(target|decoder)/.test(this.at());
    try {
      if (donor.value !== this.asked) this.given = translator.translate(donor.value);
      this.asked = donor.value;
      setText(this.said, "");
      this.put.disabled = false;
    } catch (error) {
      setText(this.said, error.message);
      this.put.disabled = true;
      return;
    }
    const places = decoder ? [[labels.begin, ...this.given.glosses], [labels.begin, ...shown.written.glosses]]
      : [[...this.given.source, labels.end], [...shown.words, labels.end]];
    [from, to].forEach((part, side) => options(part.querySelector("select"), places[side]
      .map((word, at) => fill(labels.place, { place: at + 1, word }))));
  }

  at() {
    return this.stations[this.station.querySelector("select").selectedIndex];
  }

  patch() {
    const [from, position] = [this.from, this.to].map((part) => part.querySelector("select").selectedIndex);
    const patch = { station: this.at(), position, from, donor: this.given.source.join(" ") };
    const others = this.shown.setting.patches.filter((one) => one.station !== patch.station || one.position !== position);
    this.set({ patches: [...others, patch] });
  }

  show(shown) {
    this.shown = shown;
    const { setting } = shown;
    for (const { kind, value, made } of this.buttons) made.setAttribute("aria-pressed", setting[kind].includes(value));
    this.places.forEach((part, at) => { part.firstChild.checked = !setting.positions.includes(["source", "target"][at]); });
    this.causal.firstChild.checked = setting.causal;
    this.showHiding();
    this.offer();
  }
}

function options(select, texts) {
  const chosen = select.selectedIndex;
  if (texts.join("\n") === [...select.options].map(({ text }) => text).join("\n")) return;
  select.replaceChildren(...texts.map((text) => node("option", {}, text)));
  select.selectedIndex = chosen < 0 ? Math.min(1, texts.length - 1) : Math.min(chosen, texts.length - 1);
}

// The state that a patch takes from its donor.
export function stateOf(translator, { station, from, donor }) {
  const { source, numbers } = translator.translate(donor), trace = new Map();
  translator.model.forward(translator.encode(source), numbers, UNCHANGED, trace);
  const { data, rows, cols } = trace.get(station);
  return from < rows ? Array.from(data.subarray(from * cols, (from + 1) * cols)) : null;
}
