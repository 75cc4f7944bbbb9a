// Chapter 05's translator in the page: a sentence, its translation as trained and as changed, and one
// panel at a time to look at it.

import { button, radios } from "../shared/controls.js";
import { draw, live, node, setText } from "../shared/elements.js";
import { fill, number } from "../shared/words.js";
import { UNCHANGED, changes } from "../engine/changes.js";
import { beamSearch, greedy, sample, softmaxWithTemperature } from "../engine/decoding.js";
import { available } from "../engine/load.js";
import { argmax } from "../engine/operations.js";
import { EOS } from "../engine/transformer.js";
import { rowOf } from "../engine/matrices.js";
import { AttentionPanel } from "./attention_panel.js";
import { ChoicePanel } from "./choice_panel.js";
import { LensPanel } from "./lens_panel.js";
import { changeOf, nameOf } from "./names.js";
import { MODEL, open } from "./opening.js";
import { PartsPanel, stateOf } from "./parts_panel.js";
import { SentenceBox } from "./sentence.js";
import { PLAIN, altersModel, fromAddress, imports, listed, python, toAddress, without } from "./settings.js";
import { Tokens } from "./tokens.js";
import { TrainPanel } from "./train_panel.js";
import { begun, differing, finished, pause, randomFrom } from "./writing.js";

const PANELS = { attention: AttentionPanel, choice: ChoicePanel, parts: PartsPanel, lens: LensPanel, train: TrainPanel };
const DELAY = 120, SEARCH_DELAY = 300; // milliseconds without a key before the model works
const KEPT = 24; // translations

export function mount(element, payload, style) {
  if (!available(MODEL)) return; // the table stays
  const figure = new TranslatorLive(payload);
  draw(element, style, figure.parts);
  figure.open(element);
}

class TranslatorLive {
  constructor({ labels, examples, donor }) {
    Object.assign(this, { labels, examples, donor, setting: PLAIN, at: 2, spoiled: null, kept: new Map(), states: new Map(), panels: {}, panel: "attention" });
    this.box = new SentenceBox(labels.box, examples, () => this.later());
    this.trained = new Tokens({ ...labels.tokens, title: labels.trained });
    this.changed = new Tokens({ ...labels.tokens, title: labels.as_is }, (at) => this.choose(at));
    this.changed.part.setAttribute("data-live-output", "");
    this.status = live("note");
    this.status.tabIndex = -1;
    this.undoing = node("div", { class: "undoing", role: "group", "aria-label": labels.active });
    this.stage = node("div", { class: "stage" });
    this.code = node("pre", { class: "python", tabindex: "0" });
    this.pythonNote = node("p", { class: "note" });
    this.link = node("a", { href: "#" }, labels.address);
    this.about = node("p", { class: "note" });
    this.table = node("slot", {});
    this.live = node("div", { hidden: "" }, this.trained.part, this.changed.part, this.status, this.undoing,
      node("div", { class: "tabs" }, radios("panel", labels.look, Object.entries(labels.panels)
        .map(([name, text]) => [text, () => this.lookAt(name)]))), this.stage,
      node("div", { class: "foot" }, node("p", { class: "name" }, labels.python), this.code, this.pythonNote,
        node("p", { class: "small-text" }, this.link), this.about));
    this.parts = [...this.box.parts, this.table, this.live];
  }

  open(element) {
    const wanted = open(element, { box: this.box, labels: this.labels, table: this.table,
      ready: (translator, shown) => this.ready(translator, shown) });
    if (new URLSearchParams(location.hash.slice(1)).has("live")) {
      wanted();
      element.scrollIntoView();
    }
  }

  ready(translator, seen) {
    Object.assign(this, { translator, seen, base: translator.model, model: translator.model, steps: 0 });
    const given = fromAddress(location.hash, translator.header.config);
    if (given) {
      this.box.input.value = given.sentence;
      this.setting = given.setting;
    }
    this.run();
  }

  tell = (token) => this.translator.gloss(this.translator.targetTokens[token], this.shown?.words);

  name = (part) => nameOf(this.labels, part);

  // ---- What the reader does

  later() {
    clearTimeout(this.timer);
    if (!this.translator) return;
    this.timer = setTimeout(() => this.run(), this.setting.method === "beam" ? SEARCH_DELAY : DELAY);
  }

  set = (part) => {
    this.setting = { ...this.setting, ...part };
    this.run();
  };

  choose = (at) => {
    this.at = at;
    this.changed.mark(at);
    this.shown.at = at;
    this.current().show(this.shown);
  };

  async undo(change) {
    if (change === null) Object.assign(this, { setting: PLAIN });
    else if (change.kind !== "trained") this.setting = without(this.setting, change);
    if (change === null || change.kind === "trained") this.untrain();
    await this.run();
    (this.undoing.querySelector("button") ?? this.status).focus({ preventScroll: true }); // its button is gone
  }

  untrain() {
    if (this.panels.train) this.panels.train.forget();
    Object.assign(this, { model: this.base, steps: 0, spoiled: null });
  }

  // The train panel hands over a model that it trained, or null where all is undone.
  taught = (model, steps) => {
    Object.assign(this, { model: model ?? this.base, steps, spoiled: model && this.harm(model) });
    for (const key of this.kept.keys()) if (key.startsWith("changed")) this.kept.delete(key);
    this.run();
  };

  lookAt(panel) {
    this.panel = panel;
    this.stage.replaceChildren(this.current().part);
    this.current().show(this.shown);
  }

  current() {
    const { labels, set, choose, tell, name, translator, donor, taught } = this, { config } = translator.header;
    this.panels[this.panel] ??= new PANELS[this.panel]({ labels: labels[this.panel], set, choose, tell, name, config, translator, donor, taught });
    return this.panels[this.panel];
  }

  // ---- The translations

  async run() {
    clearTimeout(this.timer);
    const turn = this.turn = {}, { translator, box, setting, base, model } = this;
    const wanted = () => this.turn === turn, began = performance.now();
    const words = box.read(translator);
    if (!words) return;
    const source = translator.encode(words), sentence = words.join(" ");
    const trained = await this.once(`trained ${sentence}`, () => begun(base, source, UNCHANGED), {}, wanted);
    if (!trained) return;
    const altered = altersModel(setting) || model !== base, usual = !altered && setting.method === "greedy";
    const change = altered ? this.change() : UNCHANGED;
    const search = setting.method === "beam" ? this.search(sentence, source, change) : null;
    const changed = usual ? trained : await this.once(`changed ${sentence} ${JSON.stringify(setting)}`,
      () => begun(model, source, change), { choose: this.chooser(search) }, wanted);
    if (!changed || !wanted()) return;
    const plain = altered ? this.forced(source, changed.tokens) : null;
    this.shown = { words, setting, trained, changed, search, at: Math.min(this.at, changed.steps.length - 1),
      written: translator.translation(words, changed.tokens), spoiled: this.spoiled,
      asTrained: (at) => plain && softmaxWithTemperature(rowOf(plain(), at), 1) };
    this.draw(usual, performance.now() - began);
    this.live.hidden = false;
    await pause(); // the translation is seen before the panel is worked out
    if (!wanted()) return;
    this.lookAt(this.panel);
    this.seen();
  }

  // A translation, or the one that was made before; null where another has become wanted.
  async once(key, begin, { choose }, wanted) {
    const kept = this.kept.get(key) ?? await finished(begin(), { longest: this.translator.header.longest, choose, wanted });
    if (!kept) return null;
    this.kept.delete(key);
    this.kept.set(key, kept);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    return kept;
  }

  change() {
    const { heads, skips, updates, positions, causal, hidden, patches } = this.setting;
    const states = patches.map(({ station, position, ...given }) => {
      const key = JSON.stringify([station, given]);
      if (!this.states.has(key)) this.states.set(key, stateOf(this.translator, { station, ...given }));
      return { station, position, state: this.states.get(key) };
    });
    return changes({ heads, skips, updates, positions, causal, hidden, patches: states.filter(({ state }) => state) });
  }

  search(sentence, source, change) {
    const { beam, lengthPenalty } = this.setting, { longest } = this.translator.header;
    const key = JSON.stringify([sentence, this.setting, this.steps]);
    if (this.searched?.key !== key)
      this.searched = { key, ...beamSearch(this.model, source, { beam, longest, lengthPenalty, change }) };
    return this.searched;
  }

  chooser(search) {
    const { method, temperature, topK, topP, seed } = this.setting;
    if (method === "beam") return (logits, place) => search.sequences[0].tokens[place] ?? EOS;
    if (method === "greedy") return argmax;
    const random = randomFrom(seed), options = { temperature, topK: topK || null, topP: topP < 1 ? topP : null };
    return (logits) => sample(logits, { ...options, number: random() });
  }

  // What the trained model would say behind the same tokens, worked out when it is asked for.
  forced(source, tokens) {
    let logits = null;
    return () => (logits ??= this.base.forward(source, tokens));
  }

  // How many of the examples a model that was trained here translates otherwise.
  harm(model) {
    const { translator, examples, base } = this, { longest } = translator.header;
    const write = (one, source) => String(greedy(one, source, { longest }));
    const sources = examples.map((text) => translator.encode(translator.read(text)));
    const count = sources.filter((source) => write(base, source) !== write(model, source)).length;
    return { count, all: examples.length };
  }

  // ---- What is shown

  draw(usual, milliseconds) {
    const { labels, shown, translator, setting } = this, { words, trained, changed, written, at } = shown;
    const ended = ({ steps }) => steps.at(-1).token === EOS, marked = differing(trained.tokens, changed.tokens);
    this.trained.part.hidden = usual;
    if (!usual) this.trained.show(translator.translation(words, trained.tokens), { ended: ended(trained) });
    this.changed.title.textContent = usual ? labels.as_is : labels.changed;
    this.changed.show(written, { at, ended: ended(changed), marked: usual ? [] : marked });
    const same = String(trained.tokens) === String(changed.tokens);
    setText(this.status, usual ? "" : same ? labels.same : fill(labels.differs, { count: marked.length, all: changed.tokens.length }));
    this.showChanges();
    this.code.textContent = [...imports(setting), python(words.join(" "), setting)].join("\n");
    this.pythonNote.textContent = this.steps ? labels.python_notes.trained : labels.python_notes[setting.method];
    this.link.setAttribute("href", toAddress(this.box.value, setting));
    const { training } = translator.header;
    this.about.textContent = fill(labels.about, { ...training, parameters: training.parameters.toLocaleString("en"),
      exact: number(100 * training.exact, 1), steps: training.steps.toLocaleString("en"), ms: number(milliseconds, 0) });
  }

  showChanges() {
    const { labels, setting, steps } = this;
    const all = [...listed(setting), ...(steps ? [{ kind: "trained", text: fill(labels.trained_steps, { count: steps }) }] : [])];
    const chips = all.map((change) => {
      const text = change.text ?? changeOf(labels, change);
      return button(`${text} ×`, () => this.undo(change), fill(labels.undo, { change: text }));
    });
    this.undoing.replaceChildren(...(all.length ? [node("span", { class: "name" }, labels.active), ...chips] : []),
      ...(all.length > 1 ? [button(labels.undo_all, () => this.undo(null))] : []));
  }
}
