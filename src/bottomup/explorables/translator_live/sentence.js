// The box for a sentence: examples one click away, words that complete what is typed, all words.

import { button } from "../shared/controls.js";
import { live, node, setText } from "../shared/elements.js";
import { fill } from "../shared/words.js";

const CHIPS = 6;

export class SentenceBox {
  constructor(labels, examples) {
    Object.assign(this, { labels, edited: () => {} }); // who reads the box says what an edit does
    this.input = node("input", { id: "sentence", type: "text", "data-live-input": "", autocomplete: "off", autocapitalize: "none",
      spellcheck: "false", enterkeyhint: "done", lang: "en" });
    this.input.value = examples[0];
    this.input.addEventListener("input", () => this.edited());
    this.chips = node("div", { class: "chips", role: "group", "aria-label": labels.words });
    this.said = live("note");
    this.examples = node("div", { class: "examples", role: "group", "aria-label": labels.examples },
      ...examples.map((text) => button(text.replace(/ \.$/, ""), () => this.set(text))));
    this.words = node("select", { "aria-label": labels.add, hidden: "" });
    this.words.addEventListener("change", () => {
      if (this.words.value) this.set(withWord(this.value, this.words.value));
      this.words.value = "";
    });
    this.parts = [node("div", { class: "above" }, node("label", { for: "sentence", class: "name" }, labels.sentence), this.words),
      this.input, this.chips, this.said, this.examples];
  }

  get value() {
    return this.input.value.normalize("NFC"); // a letter and its accent as one character
  }

  set(text) {
    this.input.value = text;
    this.edited();
  }

  // The model is there: its words can be chosen.
  know({ header: { classes }, sourceWords }) {
    const groups = classes.names.map((name, number) => node("optgroup", { label: name },
      ...sourceWords.filter((_, at) => at > 3 && classes.source[at] === number).sort()
        .map((word) => node("option", { value: word }, word)))).filter((group) => group.children.length);
    this.words.append(node("option", { value: "" }, `${this.labels.add} …`), ...groups);
    this.words.hidden = false;
    this.known = sourceWords.slice(4);
  }

  // The words that the model reads, or null beside what keeps it from reading.
  read(translator) {
    try {
      const words = translator.read(this.value);
      this.advise(null);
      return words;
    } catch (error) {
      this.advise(error);
      return null;
    }
  }

  // What keeps the model from reading, and words that would not; null: nothing does.
  advise(error) {
    const typed = this.value, [word, words] = this.instead(error, typed);
    this.chips.replaceChildren(...words.map((one) => button(one, () => {
      this.set(replaced(typed, word, one));
      this.input.focus();
    }, fill(this.labels.instead, { word: one, typed: word }))));
    const typing = words.length && error.words.length === 1 && typed.toLowerCase().endsWith(word);
    setText(this.said, error && !typing ? error.message : "");
  }

  // An unknown word, the last one first since it may be half typed, and what it might become.
  instead(error, typed) {
    for (const word of [...(error?.words ?? [])].reverse()) {
      const found = typed.toLowerCase().endsWith(word) ? completions(this.known, word) : [];
      const words = found.length ? found.slice(0, CHIPS) : error.near[word] ?? [];
      if (words.length) return [word, words];
    }
    return ["", []];
  }

  say(text) {
    setText(this.said, text);
  }
}

// Known words that begin as typed, the shortest first.
export function completions(known, typed) {
  return known.filter((word) => word.startsWith(typed) && word !== typed)
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

// The sentence with another word in its last place where `word` stands.
export function replaced(sentence, word, other) {
  const at = sentence.toLowerCase().lastIndexOf(word), end = at + word.length;
  if (at < 0) return sentence;
  return `${sentence.slice(0, at)}${other}${sentence.slice(end) || " "}`;
}

// The sentence with a word more, before its full stop.
export function withWord(sentence, word) {
  const [, words, stop] = /^(.*?)\s*(\.?)\s*$/.exec(sentence);
  return [words, word, stop].filter(Boolean).join(" ");
}
