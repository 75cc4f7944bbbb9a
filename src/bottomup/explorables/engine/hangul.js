// Hangul syllables as arithmetic on code points, as in bottomup.data.minilang.hangul:
// 0xAC00 + (initial * 21 + vowel) * 28 + final.

const FIRST = 0xac00, LAST = 0xd7a3;

// letters: { initials, vowels, finals }, lists in Unicode's order.
export function syllables({ initials, vowels, finals }) {
  function isSyllable(character) {
    const number = character.codePointAt(0);
    return character.length === 1 && number >= FIRST && number <= LAST;
  }

  // 값 -> [ㄱ, ㅏ, ㅄ]: initial, vowel, final
  function split(character) {
    if (!isSyllable(character)) throw new Error(`character: expected one Hangul syllable, got ${character}`);
    const number = character.codePointAt(0) - FIRST, block = Math.floor(number / finals.length);
    return [initials[Math.floor(block / vowels.length)], vowels[block % vowels.length], finals[number % finals.length]];
  }

  function join(initial, vowel, final = "") {
    const block = initials.indexOf(initial) * vowels.length + vowels.indexOf(vowel);
    return String.fromCodePoint(FIRST + block * finals.length + finals.indexOf(final));
  }

  // The final consonant of the last syllable, "" if it has none.
  function finalOf(text) {
    return isSyllable(text.slice(-1)) ? split(text.slice(-1))[2] : "";
  }

  // (가, ㄴ) -> 간
  function withFinal(text, final) {
    const [initial, vowel] = split(text.slice(-1));
    return text.slice(0, -1) + join(initial, vowel, final);
  }

  return { isSyllable, split, join, finalOf, withFinal };
}
