// What comes with a model and is no part of a page: the engine, and the figures that compute with it.

import { translatorOf } from "../engine/payload.js";
import { LiveFigure } from "./figure.js";
import { SmallFigure } from "./small.js";

const FIGURES = { live: LiveFigure, small: SmallFigure };
const translators = new Map(); // one for all figures of a page: each trains a copy

// Begins a figure in its place: `page` has the box of the sentence, the stage, and `seen`, which is
// called when there is something to see.
export function begin(model, payload, page) {
  if (!translators.has(model)) translators.set(model, translatorOf(model));
  const translator = translators.get(model), figure = new FIGURES[payload.figure](payload, page, translator);
  page.box.know(translator);
  page.box.edited = () => figure.later();
  page.stage.append(...figure.parts);
  figure.begin();
  return figure;
}
