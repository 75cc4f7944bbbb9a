// The head's dictionary: type a word, and see which words a head looks for. Recorded answers come with
// the page; when a reader is near, a script brings queries and keys, and every word can be asked.

import { button, radios } from "../shared/controls.js";
import { draw, legend, legendKey, live, node, sample, setText, svg } from "../shared/elements.js";
import { whenWanted } from "../shared/near.js";
import { measure, table, tableRow } from "../shared/tables.js";
import { fill, number } from "../shared/words.js";
import { available, load } from "../engine/load.js";
import { Computed, Recorded, near } from "./words.js";

class HeadDictionary {
  constructor({ labels, start, examples, recorded, typical, most, count }) {
    Object.assign(this, { labels, typical, most, way: 0 });
    this.input = node("input", { id: "word", type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
      enterkeyhint: "done", lang: "en" });
    this.input.addEventListener("input", () => this.show());
    const ways = radios("way", labels.way, labels.ways.map((text, way) => [text, () => this.show({ way })]));
    ways.classList.add("row");
    this.rows = node("tbody", {});
    this.table = table({}, null, labels.heads, this.rows);
    this.chips = node("div", { class: "chips", role: "group", "aria-label": labels.near });
    this.summary = live("summary");
    this.source = node("p", { class: "note" });
    this.parts = [
      node("div", { class: "controls" },
        node("div", { class: "field" }, node("label", { for: "word", class: "name" }, labels.word), this.input), ways),
      node("div", { class: "chips examples", role: "group", "aria-label": labels.examples },
        ...examples.map((word) => button(word, () => this.ask(word)))),
      this.summary, this.chips, this.table,
      legend(legendKey(sample(svg("line", { class: "typical", x1: 14, x2: 14, y1: 0, y2: 12 })), labels.typical)),
      this.source, node("p", { class: "note" }, labels.note), node("p", { class: "note" }, `${labels.notice}.`)];
    this.know(new Recorded(recorded, count));
    this.ask(start);
  }

  know(words) {
    this.words = words;
    const { labels } = this, counts = { known: written(words.words.length), count: written(words.count) };
    this.source.textContent = fill(words instanceof Computed ? labels.computed : labels.recorded, counts);
  }

  ask(word) {
    this.input.value = word.trim();
    this.show();
  }

  show({ way = this.way } = {}) {
    this.way = way;
    const word = this.input.value.normalize("NFC").trim().toLowerCase(), known = this.words.words.includes(word);
    const answers = known ? this.words.answers(word, way) : [];
    const others = known || !word ? [] : near(this.words.words, word);
    this.table.style.setProperty("--typical", this.typical[way] / this.most);
    this.rows.replaceChildren(...answers.map((answer) => this.row(...answer)));
    this.chips.replaceChildren(...others.map((other) => button(other, () => {
      this.ask(other);
      this.input.focus();
    })));
    setText(this.summary, sentences(this.labels, { word, way, typical: this.typical[way], answers,
      near: others.length, count: written(this.words.words.length) }).join(" "));
  }

  // A word, which can be asked in its turn if it is known, and its score.
  row(word, score) {
    const said = this.words.words.includes(word)
      ? button(word, () => this.ask(word), fill(this.labels.ask, { word })) : word;
    return tableRow(said, measure(node("td", {}), score / this.most, number(score, 1)));
  }
}

export function mount(element, payload, style) {
  const figure = new HeadDictionary(payload), { model } = payload;
  draw(element, style, figure.parts);
  if (!available(model)) return;
  figure.input.setAttribute("data-live-input", "");
  whenWanted(element, async () => {
    const loaded = await load(model).catch(() => null);
    if (loaded === null) return; // what is recorded stays
    figure.know(new Computed(loaded));
    figure.show();
    element.dataset.liveReady = "";
  });
}

function written(count) {
  return count.toLocaleString("en");
}

// What a word finds, beside what other words find; or what is wrong with the word.
export function sentences(labels, { word, way, typical, answers, near: found, count }) {
  if (!word) return [labels.none];
  if (!answers.length) return [fill(labels.unknown, { word, count }), ...(found ? [labels.near] : [])];
  const [[first, score], [second, next]] = answers;
  return [
    fill(labels.looks[way], { word, first, score: number(score, 1), second, next: number(next, 1) }),
    fill(score > typical ? labels.more : labels.less, { typical: number(typical, 1) })];
}
