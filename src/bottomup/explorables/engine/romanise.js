// Revised Romanisation of Korean, with the rules and the names of bottomup.data.minilang.romanise,
// and its tables.

import { syllables } from "./hangul.js";

export function romanisation({ letters, latin, sounds }) {
  const { isSyllable, split } = syllables(letters);
  const neutral = (final) => sounds.neutral[final] ?? final;
  const double = (final) => sounds.double[final] ?? ["", final]; // what stays, and what moves on

  // "책을 읽었다." -> "chaegeul ilgeotda."
  function romanise(text) {
    let written = "", word = [];
    for (const character of text.normalize("NFC")) {
      const syllable = syllableOf(character);
      if (syllable) {
        word.push(syllable);
        continue;
      }
      written += romaniseWord(word) + character;
      word = [];
    }
    return written + romaniseWord(word);
  }

  // A letter without a vowel is read as a final.
  function syllableOf(character) {
    if (isSyllable(character)) return split(character);
    return letters.finals.includes(character) ? ["", "", character] : null;
  }

  function romaniseWord(word) {
    for (let i = 0; i + 1 < word.length; i++)
      [word[i][2], word[i + 1][0]] = meet(word[i][2], word[i + 1][0], word[i + 1][1]);
    if (word.length) word.at(-1)[2] = neutral(word.at(-1)[2]);
    return word.reduce((text, [initial, vowel, final]) => {
      const opening = initial === "ㄹ" && text.endsWith("l") ? "l" : (latin.initials[initial] ?? "");
      return text + opening + (latin.vowels[vowel] ?? "") + latin.finals[final];
    }, "");
  }

  // The sounds of a final consonant and the initial one after it.
  function meet(final, initial, vowel) {
    if (!final) return [final, initial];
    if (initial === "ㅇ") return linked(final, vowel);
    const [stays, moves] = double(final);
    if (moves === "ㅎ" && initial in sounds.aspirated) return [stays, sounds.aspirated[initial]];
    if (moves === "ㅎ" && initial === "ㅅ") return [stays, initial];
    if (final === "ㄺ" && initial === "ㄱ") return ["ㄹ", initial];
    if (initial === "ㅎ") {
      const closed = moves === "ㅈ" ? "ㅈ" : neutral(moves);
      if (closed in sounds.aspirated) return [stays, sounds.aspirated[closed]];
    }
    return assimilated(neutral(final), initial);
  }

  function linked(final, vowel) {
    if (final === "ㅇ") return [final, "ㅇ"];
    const [stays, moves] = double(final);
    if (moves === "ㅎ") return stays ? ["", stays] : ["", "ㅇ"];
    if (vowel === "ㅣ" && "ㄷㅌ".includes(moves)) return [stays, moves === "ㄷ" ? "ㅈ" : "ㅊ"];
    return [stays, moves];
  }

  function assimilated(final, initial) {
    if ("ㄴㅁ".includes(initial) && initial && final in sounds.nasal) return [sounds.nasal[final], initial];
    if (["ㄴㄹ", "ㄹㄴ"].includes(final + initial)) return ["ㄹ", "ㄹ"];
    if (initial === "ㄹ" && final !== "ㄹ") return [sounds.nasal[final] ?? final, "ㄴ"];
    return [final, initial];
  }

  return romanise;
}
