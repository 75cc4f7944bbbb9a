// A live figure as a page holds it: a box for a sentence, and translations that were recorded. All
// that computes comes with the model (whole.js).

import { draw, node } from "../shared/elements.js";
import { available } from "../engine/load.js";
import { open } from "./opening.js";
import { SentenceBox } from "./sentence.js";

export function mount(element, payload, style) {
  if (!available(payload.model)) return; // the table stays
  const { labels, examples, link } = payload, box = new SentenceBox(labels.box, examples);
  const table = node("slot", {}), stage = node("div", {}), more = link && node("a", { href: here(link) }, labels.link);
  draw(element, style, [...box.parts, table, stage, ...(more ? [node("p", { class: "small-text" }, more)] : [])]);
  open(element, payload, { box, table, stage, link: more });
}

// A notebook's name, and on the site that of its page.
function here(link) {
  return document.querySelector('meta[name^="bottomup-model-"]') ? link.replace(".ipynb", ".html") : link;
}
