// A few steps of gradient descent on this sentence, towards a translation with one other token.

import { button, chooser, radios } from "../shared/controls.js";
import { live, node, setText, svg } from "../shared/elements.js";
import { scale } from "../shared/numbers.js";
import { fill, number } from "../shared/words.js";
import { softmaxWithTemperature } from "../engine/decoding.js";
import { EOS } from "../engine/transformer.js";
import { Course, MOST_STEPS, RATES } from "./course.js";
import { best, pause } from "./writing.js";

const OFFERED = 8;
const WIDTH = 320, HEIGHT = 120, LEFT = 34, BOTTOM = 22, TOP = 8; // of the curve

export class TrainPanel {
  constructor({ labels, tell, translator, taught }) {
    Object.assign(this, { labels, tell, translator, taught, rate: RATES[1] });
    this.other = chooser(labels.instead_here, [], () => {});
    this.select = this.other.querySelector("select");
    this.rates = radios("rate", labels.rate, RATES.map((rate) => [String(rate), () => { this.rate = rate; }]), 1);
    this.buttons = [1, 10].map((count) => button(fill(count === 1 ? labels.one_step : labels.steps, { count }), () => this.train(count)));
    this.undo = button(labels.untrain, () => this.taught(null));
    this.curve = node("div", { class: "curve" });
    this.summary = live("summary");
    this.part = node("div", {}, node("p", { class: "note" }, fill(labels.train_note, { most: MOST_STEPS })),
      node("div", { class: "controls" }, this.other, this.rates, ...this.buttons, this.undo), this.curve, this.summary);
  }

  show(shown) {
    this.shown = shown;
    const { changed, at, course, words } = shown, { labels, tell } = this, token = changed.steps[at].token;
    this.offered = best(softmaxWithTemperature(changed.steps[at].logits, 1), OFFERED).map(([one]) => one)
      .filter((one) => one !== token && one > EOS);
    this.select.replaceChildren(...this.offered.map((one) => node("option", {}, tell(one))));
    this.other.firstChild.textContent = fill(labels.instead_here, { place: at + 1, word: tell(token) });
    this.planned = { sentence: words.join(" "), place: at };
    // The target and the rate stay those of the first step until all is undone.
    for (const part of [this.select, ...this.rates.querySelectorAll("input")]) part.disabled = course !== null;
    this.undo.disabled = !course;
    for (const one of this.buttons) one.disabled = course ? course.losses.length >= MOST_STEPS : at >= changed.tokens.length;
    this.draw(course);
  }

  async train(count) {
    const { taught, shown, planned, translator, rate } = this;
    if (this.busy) return;
    this.busy = true;
    const target = shown.changed.tokens.with(planned.place, this.offered[this.select.selectedIndex]);
    const course = shown.course ?? new Course(translator, { sentence: planned.sentence, target, rate });
    for (const _ of course.steps(count)) {
      this.draw(course);
      await pause();
    }
    this.busy = false;
    if (!course.stopped) taught(course);
  }

  draw(course) {
    const { labels } = this, losses = course?.losses ?? [];
    this.curve.replaceChildren(...(losses.length ? [curve(losses, labels)] : []));
    setText(this.summary, losses.length ? fill(labels.fell, { first: number(losses[0], 3), last: number(losses.at(-1), 3),
      count: losses.length, sentence: course.sentence, target: course.target.map(this.tell).join(" "), others: this.others() }) : "");
  }

  // How many of the examples the trained model translates otherwise.
  others() {
    return this.shown.spoiled === null ? "" : fill(this.labels.others, this.shown.spoiled);
  }
}

function curve(losses, labels) {
  const top = Math.max(...losses), x = scale([0, Math.max(losses.length - 1, 1)], [LEFT, WIDTH - 8]);
  const y = scale([0, top], [HEIGHT - BOTTOM, TOP]);
  const points = losses.map((loss, step) => `${x(step)},${y(loss)}`).join(" ");
  const word = (across, down, anchor, text) => svg("text", { x: across, y: down, "text-anchor": anchor }, text);
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": labels.curve },
    ...[0, top].flatMap((value) => [svg("line", { class: "grid", x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value) }),
      word(LEFT - 5, y(value) + 4, "end", number(value, 2))]),
    svg("polyline", { class: "line", points }), ...losses.map((loss, step) => svg("circle", { cx: x(step), cy: y(loss), r: 3 })),
    word(LEFT, HEIGHT - 4, "start", labels.first_step), word(WIDTH - 8, HEIGHT - 4, "end", fill(labels.last_step, { count: losses.length })));
}
