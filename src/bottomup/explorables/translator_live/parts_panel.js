// Switches for the parts of the model, for words of the source, and a state that is put in.

import { button, checkbox } from "../shared/controls.js";
import { node } from "../shared/elements.js";
import { columnHead, table } from "../shared/tables.js";
import { fill } from "../shared/words.js";
import { namesOf } from "../engine/changes.js";
import { toggled } from "./settings.js";
import { StatePanel } from "./state_panel.js";

// A row for each sublayer, a switch for each of its heads, its skip and its update.
class Switches {
  constructor({ labels, config, name }, kinds, turn) {
    const { heads, sublayers, attentions } = namesOf(config), all = kinds.includes("skips");
    this.buttons = [];
    const toggle = (kind, value, text) => {
      const made = button(text, () => turn(kind, value), fill(labels.pressed[kind], { name: name(value) }));
      this.buttons.push({ kind, value, made });
      return node("td", {}, made);
    };
    const headsOf = (sublayer) => Array.from({ length: config.num_heads }, (_, head) => (heads.includes(`${sublayer}:${head}`)
      ? toggle("heads", `${sublayer}:${head}`, String(head + 1)) : node("td", {})));
    const rows = (all ? sublayers : attentions).map((sublayer) => node("tr", {}, node("th", { scope: "row" }, name(sublayer)),
      ...headsOf(sublayer), ...kinds.slice(1).map((kind) => toggle(kind, sublayer, labels.off_short))));
    const titles = [columnHead(labels.part), columnHead(labels.heads_off, { colspan: config.num_heads }),
      ...kinds.slice(1).map((kind) => columnHead(labels.turned[kind]))];
    this.part = table({ class: "parts" }, labels.parts_title, titles, node("tbody", {}, ...rows));
  }

  show(setting) {
    for (const { kind, value, made } of this.buttons) made.setAttribute("aria-pressed", setting[kind].includes(value));
  }
}

export class HeadsPanel {
  constructor(given, kinds = ["heads"]) {
    const { labels, set } = given;
    this.turn = (kind, value) => set(toggled(this.shown.setting, kind, value));
    this.switches = new Switches(given, kinds, this.turn);
    this.part = node("div", {}, node("p", { class: "note" }, labels.parts_note), this.switches.part);
  }

  show(shown) {
    this.shown = shown;
    this.switches.show(shown.setting);
  }
}

export class PartsPanel extends HeadsPanel {
  constructor(given) {
    super(given, ["heads", "skips", "updates"]);
    const { labels, set } = given;
    this.labels = labels;
    this.places = ["source", "target"].map((side) => checkbox(labels.positions[side], () => this.turn("positions", side)));
    this.causal = checkbox(labels.causal, (on) => set({ causal: on }));
    this.hiding = node("div", { class: "hiding", role: "group", "aria-label": labels.hidden });
    this.state = new StatePanel(given);
    this.part.append(node("div", { class: "checks" }, ...this.places, this.causal), node("p", { class: "note" }, labels.causal_note),
      this.hiding, this.state.part, node("p", { class: "note" }, labels.one_model));
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

  show(shown) {
    super.show(shown);
    const { setting } = shown;
    this.places.forEach((part, at) => { part.firstChild.checked = !setting.positions.includes(["source", "target"][at]); });
    this.causal.firstChild.checked = setting.causal;
    this.showHiding();
    this.state.show(shown);
  }
}
