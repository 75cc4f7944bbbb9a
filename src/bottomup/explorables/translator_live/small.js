// The translator, small: a sentence, its translation as it grows, and what each token read.

import { assign, live, node, setText } from "../shared/elements.js";
import { LargeMap, ranked, sizes } from "../shared/heads.js";
import { fill } from "../shared/words.js";
import { UNCHANGED } from "../engine/changes.js";
import { EOS } from "../engine/transformer.js";
import { Tokens } from "./tokens.js";
import { begun, finished, rowsOf } from "./writing.js";

const DELAY = 150, PACE = 170; // milliseconds without a key, and between two tokens
const MOST_NUMBERS = 12; // keys, whose cells are wide enough for a number

export class SmallFigure {
  constructor({ labels }, { box, seen }, translator) {
    Object.assign(this, { labels, box, seen, translator });
    this.tokens = new Tokens({ ...labels.tokens, title: labels.as_is });
    this.tokens.part.setAttribute("data-live-output", "");
    this.map = new LargeMap(labels, (at) => this.look(at));
    this.grid = node("div", { class: "panes" }, node("div", { class: "grid" }, this.map.title, this.map.part));
    this.summary = live("summary");
    this.about = node("p", { class: "note" });
    this.live = node("div", { hidden: "" }, this.tokens.part, this.grid, this.summary, this.about);
    this.parts = [this.live];
  }

  begin() {
    const { labels, translator } = this, { training } = translator.header;
    this.about.textContent = fill(labels.about, { parameters: training.parameters.toLocaleString("en"),
      steps: training.steps.toLocaleString("en"), words: translator.known.filter((word) => /\w/.test(word)).length });
    this.run();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), DELAY);
  }

  async run() {
    const turn = this.turn = {}, wanted = () => this.turn === turn, { translator, box } = this;
    const words = box.read(translator);
    this.live.classList.toggle("cleared", !words); // what stands there is of another sentence
    if (!words) {
      this.words = null;
      return;
    }
    box.say(translator.warning(words));
    if (this.words?.join(" ") === words.join(" ")) return;
    const writing = begun(translator.model, translator.encode(words), UNCHANGED);
    if (!await finished(writing, { longest: translator.header.longest, wanted })) return;
    this.words = words;
    this.lay(writing);
    this.live.hidden = false;
    this.seen();
    await this.grow(wanted);
  }

  // All has its place from the start, so that nothing moves while it is written.
  lay(writing) {
    const { translator, labels, words } = this;
    const whole = translator.translation(words, writing.tokens), ended = writing.steps.at(-1).token === EOS;
    this.written = [...whole.glosses, ...(ended ? [labels.end] : [])];
    this.writing = writing;
    this.tokens.show(whole, { ended });
    this.queries = [labels.begin, ...whole.glosses].slice(0, writing.steps.length);
    this.keys = [...words, labels.end];
    const layer = translator.header.config.decoder_layers - 1;
    this.weights = rowsOf(writing, `decoder_layers.${layer}.cross_attention`, null)
      .map((row) => row.map((weight) => Math.round(100 * weight)));
    assign(this.grid, sizes(this.queries, this.keys));
    this.map.setWords(this.queries, this.keys);
  }

  // Token by token, unless the reader wants nothing to move.
  async grow(wanted) {
    const { tokens, writing, translator, words } = this, all = this.written.length;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (let shown = still ? all : 1; shown <= all; shown++) {
      const { hangul, romanised } = translator.translation(words, writing.tokens.slice(0, shown));
      tokens.hangul.textContent = hangul;
      tokens.sound.textContent = romanised;
      [...tokens.list.children].forEach((token, at) => token.classList.toggle("unwritten", at >= shown));
      this.map.rows.forEach(({ part }, at) => part.classList.toggle("unwritten", at >= shown));
      this.look(shown < all ? shown - 1 : this.clearest(), shown === all);
      if (shown < all) await new Promise((resolve) => { setTimeout(resolve, PACE); });
      if (!wanted()) return;
    }
  }

  // The row that reads one word more than any other does.
  clearest() {
    const most = this.weights.map((row) => Math.max(...row));
    return most.indexOf(Math.max(...most));
  }

  look(at, aloud = true) {
    const { labels, map, weights, queries, keys, written } = this;
    map.show(labels.map, at, weights);
    if (keys.length > MOST_NUMBERS) for (const { cells } of map.rows) for (const cell of cells) cell.textContent = "";
    if (aloud)
      setText(this.summary, fill(labels.said, { read: queries[at], word: keys[ranked(weights[at])[0]], written: written[at] }));
  }
}
