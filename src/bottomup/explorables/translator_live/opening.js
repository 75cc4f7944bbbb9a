// A figure with the model: it begins as the table that was recorded, and comes alive when a reader is
// near. Where the model cannot be loaded, the table stays.

import { load } from "../engine/load.js";
import { translatorOf } from "../engine/payload.js";
import { whenWanted } from "./near.js";

export const MODEL = "encoder_decoder";

// `ready(translator, shown)` translates, and calls `shown` when there is something to see: the table, a
// slot, is then hidden.
export function open(element, { box, labels, table, ready }) {
  element.querySelector("[data-live]")?.removeAttribute("data-live");
  element.dataset.live = "translator";
  box.say(labels.waiting);
  const start = async () => {
    box.say(labels.loading);
    const model = await load(MODEL).catch(() => null);
    if (model === null) {
      box.say(labels.failed);
      element.addEventListener("input", start, { once: true });
      return;
    }
    const translator = translatorOf(model);
    box.say("");
    box.know(translator);
    ready(translator, () => {
      table.hidden = true;
      element.dataset.liveReady = "";
    });
  };
  return whenWanted(element, start);
}
