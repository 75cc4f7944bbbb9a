// A translator in the page: a sentence, its translation as trained and as changed, and panels to look
// at it, one at a time.

import { button, radios } from "../shared/controls.js";
import { live, node, setText } from "../shared/elements.js";
import { fill, number } from "../shared/words.js";
import { UNCHANGED, changes } from "../engine/changes.js";
import { beamSteps, greedy, sample, softmaxWithTemperature } from "../engine/decoding.js";
import { argmax } from "../engine/operations.js";
import { EOS } from "../engine/transformer.js";
import { rowOf } from "../engine/matrices.js";
import { AttentionPanel } from "./attention_panel.js";
import { ChoicePanel } from "./choice_panel.js";
import { Course } from "./course.js";
import { LensPanel } from "./lens_panel.js";
import { changeOf, nameOf } from "./names.js";
import { HeadsPanel, PartsPanel } from "./parts_panel.js";
import { StatePanel, stateOf } from "./state_panel.js";
import { PLAIN, altersModel, encoderPart, fromAddress, imports, listed, python, toAddress, without } from "./settings.js";
import { Tokens } from "./tokens.js";
import { TrainPanel } from "./train_panel.js";
import { Memories, begun, differing, finished, inSlices, pause, randomFrom } from "./writing.js";

const PANELS = { attention: AttentionPanel, choice: ChoicePanel, draw: ChoicePanel, search: ChoicePanel, parts: PartsPanel,
  heads: HeadsPanel, state: StatePanel, lens: LensPanel, train: TrainPanel };
const DELAY = 120, SEARCH_DELAY = 300; // milliseconds without a key before the model works
const KEPT = 24; // translations

export class LiveFigure {
  constructor({ labels, examples, donor, panels, start, address, at }, { box, stage, link, seen }, translator) {
    Object.assign(this, { labels, examples, donor, box, root: stage, link, seen, translator, address, at, setting: { ...PLAIN, ...start },
      base: translator.model, model: translator.model, course: null, spoiled: null, kept: new Map(), states: new Map(), memories: new Memories(),
      panels: {}, panel: panels[0], stale: false, page: link?.getAttribute("href").split("#")[0] });
    this.trained = new Tokens({ ...labels.tokens, title: labels.trained });
    this.changed = new Tokens({ ...labels.tokens, title: labels.as_is }, (place) => this.choose(place));
    this.changed.part.setAttribute("data-live-output", "");
    this.status = live("note");
    this.status.tabIndex = -1;
    this.undoing = node("div", { class: "undoing", role: "group", "aria-label": labels.active });
    this.stage = node("div", { class: "stage" });
    this.about = node("p", { class: "note" });
    const tabs = panels.length > 1 ? [node("div", { class: "tabs" }, radios("panel", labels.look, panels
      .map((name) => [labels.panels[name], () => this.lookAt(name)])))] : [];
    // With one panel nothing that grows stands between its switches and what they do.
    const below = tabs.length ? [this.undoing, ...tabs, this.stage] : [this.stage, this.undoing];
    this.live = node("div", { hidden: "" }, this.trained.part, this.changed.part, this.status, ...below,
      node("div", { class: "foot" }, ...(address ? this.lines() : []), this.about));
    this.parts = [this.live];
    const { training } = translator.header, [parameters, steps] = [training.parameters, training.steps].map((one) => one.toLocaleString("en"));
    this.facts = { ...training, parameters, steps, exact: number(100 * training.exact, 1) };
    new IntersectionObserver((seen) => this.appear(seen.at(-1).isIntersecting)).observe(this.stage);
  }

  // The setting as a line of Python and as an address.
  lines() {
    const { labels } = this;
    this.code = node("pre", { class: "python", tabindex: "0" });
    this.pythonNote = node("p", { class: "note" });
    this.here = node("a", { href: "#" }, labels.address);
    return [node("p", { class: "name" }, labels.python), this.code, this.pythonNote, node("p", { class: "small-text" }, this.here)];
  }

  async begin() {
    const given = this.address && fromAddress(location.hash, this.translator.header);
    if (given) {
      this.box.input.value = given.sentence;
      this.setting = { ...this.setting, ...given.setting };
      await this.repeat(given.setting.training).catch(() => this.learn(null)); // a sentence that cannot be read
    }
    this.run();
  }

  tell = (token) => this.translator.gloss(this.translator.targetTokens[token], this.shown?.words);

  name = (part) => nameOf(this.labels, part);

  later() {
    clearTimeout(this.timer);
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
    if (change === null) this.setting = { ...PLAIN, method: this.setting.method };
    else this.setting = without(this.setting, change);
    if (change === null || change.kind === "training") this.learn(null);
    await this.run();
    (this.undoing.querySelector("button") ?? this.status).focus({ preventScroll: true }); // its button is gone
  }

  // The model of a course, or the one that came.
  learn(course) {
    if (course === null) this.course?.stop();
    Object.assign(this, { course, model: course?.model ?? this.base, spoiled: course && this.harm(course.model) });
    this.setting = { ...this.setting, training: course?.setting ?? null };
  }

  taught = (course) => {
    this.learn(course);
    this.run();
  };

  // The training of which an address tells, step by step as it was.
  async repeat(training) {
    if (!training) return;
    const course = new Course(this.translator, training);
    await inSlices(course.steps(training.steps));
    this.learn(course);
  }

  // How many of the examples a model that was trained here translates otherwise.
  harm(model) {
    const { translator, examples, base } = this, { longest } = translator.header;
    const write = (one, source) => String(greedy(one, source, { longest }));
    const sources = examples.map((text) => translator.encode(translator.read(text)));
    const count = sources.filter((source) => write(base, source) !== write(model, source)).length;
    return { count, all: examples.length };
  }

  lookAt(panel) {
    this.panel = panel;
    const { part } = this.current();
    if (this.stage.firstChild !== part) this.stage.replaceChildren(part); // else all of it is laid out again
    this.current().show(this.shown);
  }

  // A panel out of sight is worked out when it comes into sight.
  appear(inSight) {
    this.inSight = inSight;
    if (inSight && this.stale) this.renew();
  }

  renew() {
    this.stale = this.inSight === false;
    if (!this.stale) this.lookAt(this.panel);
  }

  current() {
    const { labels, panel, set, choose, tell, name, translator, donor, taught } = this, { config } = translator.header;
    this.panels[panel] ??= new PANELS[panel]({ labels: labels[panel], set, choose, tell, name, config, translator, donor, taught });
    return this.panels[panel];
  }

  async run() {
    clearTimeout(this.timer);
    const turn = this.turn = {}, { translator, box, setting, base, model } = this;
    const wanted = () => this.turn === turn, began = performance.now();
    const words = box.read(translator);
    this.live.classList.toggle("cleared", !words); // what stands there is of another sentence
    if (!words) return;
    box.say(translator.warning(words));
    const source = translator.encode(words), sentence = words.join(" ");
    const trained = await this.once(`trained ${sentence}`, () => this.begun(base, source, UNCHANGED), {}, wanted);
    if (!trained) return;
    const altered = altersModel(setting), usual = !altered && setting.method === "greedy";
    const change = altered ? this.change() : UNCHANGED;
    const search = setting.method === "beam" ? await this.search(sentence, source, change, wanted) : null;
    if (setting.method === "beam" && !search) return;
    const changed = usual ? trained : await this.once(`changed ${sentence} ${JSON.stringify(setting)}`,
      () => this.begun(model, source, change, setting), { choose: this.chooser(search) }, wanted);
    if (!changed || !wanted()) return;
    this.shown = { words, setting, trained, changed, search, course: this.course, spoiled: this.spoiled,
      at: Math.min(this.at, changed.steps.length - 1), written: translator.translation(words, changed.tokens),
      asTrained: altered ? this.forced(source, changed.tokens) : () => null };
    this.draw(usual, performance.now() - began);
    this.live.hidden = false;
    await pause(); // the translation is seen before the panel is worked out
    if (!wanted()) return;
    this.renew();
    this.seen();
  }

  // A translation that begins, with the memory that this source has under this encoder.
  begun(model, source, change, setting = PLAIN) {
    return begun(model, source, change, this.memories.of(model, source, change, encoderPart(setting)));
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

  async search(sentence, source, change, wanted) {
    const { beam, lengthPenalty } = this.setting, { longest } = this.translator.header;
    const key = JSON.stringify([sentence, this.setting]);
    if (this.searched?.key === key) return this.searched;
    const found = await inSlices(beamSteps(this.model, source, { beam, longest, lengthPenalty, change }), wanted);
    return found && (this.searched = { key, ...found });
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
    return (at) => softmaxWithTemperature(rowOf(logits ??= this.base.forward(source, tokens), at), 1);
  }

  draw(usual, milliseconds) {
    const { labels, shown, translator, setting } = this, { words, trained, changed, written, at } = shown;
    const ended = ({ steps }) => steps.at(-1).token === EOS, marked = differing(trained.tokens, changed.tokens);
    this.trained.part.hidden = usual;
    if (!usual) this.trained.show(translator.translation(words, trained.tokens), { ended: ended(trained) });
    this.changed.title.textContent = usual ? labels.as_is : altersModel(setting) ? labels.changed : labels.chosen[setting.method];
    this.changed.show(written, { at, ended: ended(changed), marked: usual ? [] : marked });
    const same = String(trained.tokens) === String(changed.tokens);
    setText(this.status, usual ? "" : same ? labels.same : fill(labels.differs, { count: marked.length, all: changed.tokens.length }));
    this.showChanges();
    const address = toAddress(this.box.value, setting);
    if (this.address) {
      this.code.textContent = [...imports(setting), python(words.join(" "), setting)].join("\n");
      this.pythonNote.textContent = setting.training ? labels.python_notes.trained : labels.python_notes[setting.method];
      this.here.setAttribute("href", address);
    }
    this.link?.setAttribute("href", `${this.page}${address}`);
    this.about.textContent = fill(labels.about, { ...this.facts, ms: number(milliseconds, 0) });
  }

  showChanges() {
    const { labels, setting } = this, all = listed(setting).filter(({ kind }) => kind in labels.changes);
    const chips = all.map((change) => {
      const text = changeOf(labels, change);
      return button(`${text} ×`, () => this.undo(change), fill(labels.undo, { change: text }));
    });
    this.undoing.replaceChildren(...(all.length ? [node("span", { class: "name" }, labels.active), ...chips] : []),
      ...(all.length > 1 ? [button(labels.undo_all, () => this.undo(null))] : []));
  }
}
