// How the next token is chosen: the six most probable at a place, and the search over all places.

import { button, radios, slider } from "../shared/controls.js";
import { live, node, setText } from "../shared/elements.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { sum } from "../shared/numbers.js";
import { fill, number } from "../shared/words.js";
import { probabilities, softmaxWithTemperature } from "../engine/decoding.js";
import { BeamPicture } from "./beam_picture.js";
import { best } from "./writing.js";

const SIX = 6;
const TEMPERATURES = [0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];
const KS = [0, 1, 2, 3, 5, 10, 20], PS = [0.5, 0.8, 0.9, 0.95, 0.99, 1]; // no k at 0, no p at 1
const WIDTHS = [1, 2, 3, 4, 5], PENALTIES = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.5];

export class ChoicePanel {
  constructor({ labels, set, tell }) {
    Object.assign(this, { labels, set, tell });
    const knob = (label, values, name, text = String) => ({ name, values,
      slider: slider(label, values.map(text), (place) => set({ [name]: values[place] })) });
    this.knobs = [
      knob(labels.temperature, TEMPERATURES, "temperature"),
      knob(labels.top_k, KS, "topK", (k) => (k ? String(k) : labels.all)),
      knob(labels.top_p, PS, "topP", (p) => (p < 1 ? String(p) : labels.all)),
      knob(labels.beam, WIDTHS, "beam"),
      knob(labels.penalty, PENALTIES, "lengthPenalty"),
    ];
    const [temperature, k, p, beam, penalty] = this.knobs.map(({ slider: { part } }) => part);
    this.again = button(labels.draw, () => set({ seed: this.shown.setting.seed + 1 }));
    this.again.className = "again";
    this.controls = node("div", { class: "controls" });
    this.turned = { greedy: [], sample: [temperature, k, p, this.again], beam: [beam, penalty] };
    this.methods = radios("method", labels.method, Object.entries(labels.methods)
      .map(([method, text]) => [text, () => set({ method })]));
    this.caption = node("caption", { class: "title" });
    this.body = node("tbody", {});
    const [only, ...more] = Object.keys(labels.methods);
    this.methods.hidden = !more.length;
    this.table = table({ class: "chances" }, this.caption, [labels.token_head, labels.chance, labels.chance_trained], this.body);
    this.tree = new BeamPicture(labels.tree);
    this.summary = live("summary");
    const place = more.length || only !== "beam" ? [this.table, this.summary] : []; // of the search alone the tree
    this.part = node("div", {}, this.methods, this.controls, ...place, this.tree.part);
  }

  show(shown) {
    this.shown = shown;
    const { labels } = this, { setting, at, changed, written, search } = shown, { method } = setting;
    for (const [place, radio] of [...this.methods.querySelectorAll("input")].entries())
      radio.checked = Object.keys(labels.methods)[place] === method;
    for (const { name, values, slider: { set } } of this.knobs) set(nearest(values, setting[name]));
    if (method !== this.method) this.controls.replaceChildren(...this.turned[method]);
    this.method = method;
    const before = [labels.begin, ...written.glosses.slice(0, at)].slice(-3).join(" ");
    this.caption.textContent = fill(labels.behind, { place: at + 1, before });
    const rows = chances(changed.steps[at].logits, setting), token = changed.steps[at].token;
    const old = shown.asTrained(at);
    this.table.classList.toggle("compared", old !== null);
    const p = distribution(changed.steps[at].logits, setting), others = 1 - sum(rows.map(({ chance }) => chance));
    const rest = tableRow(fill(labels.others, { count: p.length - SIX }),
      measure(node("td", {}), others, share(Math.max(others, 0))), node("td", {}));
    this.body.replaceChildren(...rows.map(({ token: one, chance, cut }) => {
      const bar = measure(node("td", {}), chance, cut ? labels.cut : share(chance), ...(cut ? ["cut"] : []));
      const trained = old ? [measure(node("td", {}), old[one], share(old[one]))] : [node("td", {})];
      const row = tableRow(this.tell(one), bar, ...trained);
      row.classList.toggle("taken", one === token);
      return row;
    }), rest);
    const said = [fill(labels.takes[method], { word: this.tell(token), share: share(p[token]) })];
    if (method === "sample") said.push(fill(labels.left, { count: p.filter((one) => one > 0).length, all: p.length }));
    setText(this.summary, said.join(" "));
    this.tree.part.hidden = method !== "beam";
    if (method === "beam") this.tree.show(search, this.tell);
  }
}

// The six best with the chance that each is drawn; what is cut off has none.
export function chances(logits, setting) {
  const p = distribution(logits, setting), whole = softmaxWithTemperature(logits, 1);
  return best(whole, SIX).map(([token]) => ({ token, chance: p[token], cut: p[token] === 0 }));
}

// A token's chance in the way that tokens are chosen: only a draw has a temperature and a cut.
export function distribution(logits, { method, temperature, topK, topP }) {
  return method === "sample" ? probabilities(logits, { temperature, topK: topK || null, topP: topP < 1 ? topP : null })
    : softmaxWithTemperature(logits, 1);
}

function nearest(values, value) {
  const far = values.map((one) => Math.abs(one - value));
  return far.indexOf(Math.min(...far));
}

export function share(chance) {
  const near = chance < 0.0995 || (chance >= 0.995 && chance < 0.9995); // to none, or to all
  return `${number(100 * chance, near ? 1 : 0)}\u00a0%`;
}
