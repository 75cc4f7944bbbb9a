// How a Korean stem and its endings melt into one word, with the rules and the names of
// bottomup.data.minilang.grammar.conjugation, and its tables.

import { syllables } from "./hangul.js";

export function conjugation(tables) {
  const { isSyllable, split, join, finalOf, withFinal } = syllables(tables.letters);
  const { present, past, honorific, adnominal, prospective, polite, purpose } = tables.named_endings;
  const bare = (token) => token.replace(/^-/, "");

  // ("읽", ["-으시", "-었", "-다"]) -> 읽으셨다
  function conjugate(stem, endings) {
    const rest = [...endings];
    let word = stem, kind = irregularClass(stem);
    while (rest.length) {
      const ending = rest.shift();
      word = ending === present ? presentOf(word, rest) : attach(word, ending, kind);
      kind = "";
    }
    return word;
  }

  function irregularClass(stem) {
    return stem.endsWith("하") ? "하" : (tables.irregular[stem] ?? "");
  }

  // -느 melts with what follows: -느 -다 is -ㄴ다 or -는다, -느 -ㄴ is -는.
  function presentOf(stem, rest) {
    const following = rest.shift() ?? "", open = dropL(stem), tail = bare(following);
    if (following === adnominal) return `${open}는`;
    if (isSyllable(open.slice(-1)) && !finalOf(open)) return withFinal(open, "ㄴ") + tail;
    return `${stem}는${tail}`;
  }

  function attach(stem, ending, kind) {
    const sound = bare(ending);
    if (!isSyllable(stem.slice(-1))) return stem + sound;
    if (ending === past) return pastOf(stem, kind);
    if (ending === honorific || ending === purpose) return withEu(stem, kind, sound.slice(1), ending === purpose);
    if (ending === adnominal || ending === prospective) return withFinalLetter(stem, kind, sound);
    if (ending === polite) {
      const open = dropL(stem);
      return finalOf(open) ? `${stem}습니다` : `${withFinal(open, "ㅂ")}니다`;
    }
    return stem + sound;
  }

  function dropL(stem) {
    return finalOf(stem) === "ㄹ" ? withFinal(stem, "") : stem;
  }

  // The stem before an ending in 으: 듣 -> 들, 돕 -> 도우, 짓 -> 지, 빨갛 -> 빨가.
  function softened(stem, kind) {
    if (kind === "ㄷ") return withFinal(stem, "ㄹ");
    if (kind === "ㅂ") return `${withFinal(stem, "")}우`;
    return kind === "ㅅ" || kind === "ㅎ" ? withFinal(stem, "") : stem;
  }

  function withEu(stem, kind, tail, keepL) {
    const soft = softened(stem, kind);
    if (kind === "ㄷ" || kind === "ㅅ") return `${soft}으${tail}`;
    if (finalOf(soft) === "ㄹ") return (keepL ? soft : dropL(soft)) + tail;
    return soft + (finalOf(soft) ? "으" : "") + tail;
  }

  function withFinalLetter(stem, kind, letter) {
    const soft = softened(stem, kind);
    const opens = ["", "ㄹ"].includes(finalOf(soft)) && kind !== "ㄷ" && kind !== "ㅅ";
    return opens ? withFinal(soft, letter) : soft + join("ㅇ", "ㅡ", letter);
  }

  function pastOf(stem, kind) {
    if (kind === "하") return `${stem.slice(0, -1)}했`;
    if (kind === "르") return doubledL(stem);
    if (kind === "ㅎ") {
      const [initial, vowel] = split(stem.slice(-1));
      return stem.slice(0, -1) + join(initial, vowel === "ㅑ" ? "ㅒ" : "ㅐ", "ㅆ");
    }
    const soft = softened(stem, kind);
    if (kind === "ㅂ") return soft.slice(0, -1) + (stem === "돕" ? "왔" : "웠");
    const vowel = harmony(soft);
    if (tables.whole.includes(stem) || kind || finalOf(soft)) return soft + join("ㅇ", vowel, "ㅆ");
    return contracted(soft, vowel);
  }

  // ㅏ behind a bright vowel (ㅏ ㅑ ㅗ), ㅓ behind all others.
  function harmony(stem) {
    return stem && "ㅏㅑㅗ".includes(split(stem.slice(-1))[1]) ? "ㅏ" : "ㅓ";
  }

  // 부르 -> 불렀: the ㄹ closes the syllable before it and opens the next.
  function doubledL(stem) {
    const before = stem.slice(0, -1);
    return withFinal(before, "ㄹ") + join("ㄹ", harmony(before), "ㅆ");
  }

  function contracted(stem, vowel) {
    const before = stem.slice(0, -1), [initial, last] = split(stem.slice(-1));
    if (last === "ㅡ") return before + join(initial, harmony(before), "ㅆ");
    if (tables.absorbs.includes(last)) return before + join(initial, last, "ㅆ");
    if (last in tables.contracted) return before + join(initial, tables.contracted[last], "ㅆ");
    return stem + join("ㅇ", vowel, "ㅆ");
  }

  return conjugate;
}
