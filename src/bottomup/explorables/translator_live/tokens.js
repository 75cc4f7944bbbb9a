// A translation as tokens with their glosses, in Hangul, and as it sounds.

import { node } from "../shared/elements.js";

export class Tokens {
  // With `choose` each token, and the end, is a radio button.
  constructor({ title, token, end }, choose = null) {
    Object.assign(this, { choose, end });
    this.title = node("p", { class: "title" }, title);
    this.list = node("div", { class: "tokens", ...(choose && { role: "radiogroup", "aria-label": token }) });
    this.hangul = node("span", { class: "hangul", lang: "ko" });
    this.sound = node("span", { class: "sound", lang: "ko-Latn" });
    this.part = node("div", { class: "translation" }, this.title, this.list,
      node("p", { class: "written" }, this.hangul, " ", this.sound));
  }

  // `at`: the place that is chosen; `ended`: whether the end was written; `marked`: places that stand out.
  show({ tokens, glosses, hangul, romanised }, { at = null, ended = false, marked = [] } = {}) {
    const words = ended ? [...tokens, ""] : tokens;
    this.list.replaceChildren(...words.map((token, place) => this.token(token, glosses[place] ?? this.end, place,
      { chosen: place === at, marked: marked.includes(place) })));
    this.hangul.textContent = hangul;
    this.sound.textContent = romanised;
  }

  token(token, gloss, place, { chosen, marked }) {
    const inside = [node("span", { class: "korean", lang: "ko" }, token || "·"), node("span", { class: "gloss" }, gloss)];
    const kind = `token${marked ? " differs" : ""}`;
    if (!this.choose) return node("span", { class: kind }, ...inside);
    const radio = node("input", { type: "radio", name: "token" });
    radio.checked = chosen;
    radio.addEventListener("change", () => this.choose(place));
    return node("label", { class: kind }, radio, ...inside);
  }

  // Another place is chosen; the focus stays.
  mark(at) {
    for (const [place, radio] of [...this.list.querySelectorAll("input")].entries()) radio.checked = place === at;
  }
}
