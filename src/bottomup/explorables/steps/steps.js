// A drawing in steps: the slider, its arrow keys or the buttons lead from one picture to the next.

import { slider, stepper } from "../shared/controls.js";
import { drawing } from "../shared/drawing.js";
import { draw, live, node, setText } from "../shared/elements.js";
import { within } from "../shared/numbers.js";
import { fill } from "../shared/words.js";

export function mount(element, { labels, pictures, says }, style) {
  const last = pictures.length - 1;
  const frames = pictures.map(drawing);
  const stage = node("div", { class: "stage" });
  const said = live("summary ruled");
  const names = pictures.map((_, at) => fill(labels.of, { step: at + 1, steps: last + 1 }));
  const control = slider(labels.step, names, show);
  let at = 0;
  function show(step) {
    at = within(step, 0, last);
    control.set(at);
    stage.replaceChildren(frames[at]);
    setText(said, says[at]);
  }
  const head = stepper(control.part, ["←", labels.before], ["→", labels.after], (by) => show(at + by));
  draw(element, style, [node("p", { class: "title" }, labels.title), head, stage, said]);
  show(0);
}
