// A figure begins as the table that was recorded, and comes alive when a reader is near. Where the
// model cannot be loaded, the table stays.

import { node } from "../shared/elements.js";
import { load } from "../engine/load.js";
import { whenWanted } from "../shared/near.js";

// The figures stand in the model's script, with their style. The table, a slot, stays until they show
// something.
export function open(element, payload, { box, table, stage, link }) {
  const { labels, model, address } = payload;
  element.querySelector("[data-live]")?.removeAttribute("data-live");
  element.dataset.live = "translator";
  box.say(labels.waiting);
  const start = async () => {
    box.say(labels.loading);
    const loaded = await load(model).catch(() => null);
    if (loaded === null) {
      box.say(labels.failed);
      element.addEventListener("input", start, { once: true });
      return;
    }
    const { begin, style } = globalThis.bottomupFigures, seen = () => {
      table.hidden = true;
      element.dataset.liveReady = "";
    };
    box.say("");
    stage.before(node("style", {}, style));
    begin(loaded, payload, { box, stage, link, seen });
  };
  const wanted = whenWanted(element, start);
  if (address && new URLSearchParams(location.hash.slice(1)).has("live")) {
    wanted();
    element.scrollIntoView();
  }
}
