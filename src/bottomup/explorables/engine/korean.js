// From tokens to written Korean, as bottomup.data.minilang writes it; its tables come with the model.

import { conjugation } from "./conjugation.js";
import { romanisation } from "./romanise.js";

// Returns { conjugate, detokenize, romanise }.
export function writer(tables) {
  const conjugate = conjugation(tables), romanise = romanisation(tables);

  // ["듣", "-었", "-다", "."] -> "들었다." Any sequence has a written form.
  function detokenize(tokens) {
    const words = [];
    for (const token of tokens.map((each) => each.normalize("NFC"))) {
      const bound = token.startsWith("-") && words.length > 0 && !tables.spaced.includes(token);
      if (bound) words.at(-1).push(token);
      else words.push([token.replace(/^-/, "")]);
    }
    return words.map(written).filter((word) => word).join(" ").replaceAll(" .", ".");
  }

  function written([head, ...bound]) {
    if (tables.endings.includes(bound[0])) return conjugate(head, bound);
    const first = bound[0] === "-가" ? (tables.pronouns[head] ?? head) : head;
    return first + bound.map((token) => token.replace(/^-/, "")).join("");
  }

  return { conjugate, detokenize, romanise };
}
