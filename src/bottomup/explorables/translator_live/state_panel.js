// A state of another sentence, put in at a station and a place.

import { button, chooser } from "../shared/controls.js";
import { live, node, setText } from "../shared/elements.js";
import { fill } from "../shared/words.js";
import { UNCHANGED, namesOf } from "../engine/changes.js";

export class StatePanel {
  constructor({ labels, set, config, translator, name, donor }) {
    Object.assign(this, { labels, set, translator, stations: namesOf(config).stations });
    this.donor = node("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    this.donor.value = donor;
    this.donor.addEventListener("input", () => this.offer());
    this.station = chooser(labels.station, this.stations.map((one) => name(one)), () => this.offer());
    this.station.classList.add("station");
    this.station.querySelector("select").selectedIndex = 1;
    this.from = chooser(labels.from, [], () => {});
    this.to = chooser(labels.to, [], () => {});
    this.said = live("note");
    this.put = button(labels.put, () => this.patch());
    this.part = node("fieldset", { class: "patching" }, node("legend", { class: "name" }, labels.patching),
      node("label", { class: "sentence" }, node("span", { class: "name" }, labels.donor), this.donor),
      node("div", { class: "controls" }, this.station, this.from, this.to, this.put), this.said);
  }

  show(shown) {
    this.shown = shown;
    this.offer();
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
