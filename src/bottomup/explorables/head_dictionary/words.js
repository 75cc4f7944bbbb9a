// Who looks for whom: as it was recorded for some words, or computed with queries and keys.

import { closeMatches } from "../engine/close_matches.js";

const MOST = 8; // answers
const MOST_NEAR = 6;

// Answers that were recorded: "michael 8.3 andy 6.7", for both ways.
export class Recorded {
  constructor(recorded, count) {
    Object.assign(this, { recorded, count, words: Object.keys(recorded) });
  }

  answers(word, way) {
    const parts = this.recorded[word][way].split(" ");
    return Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at], Number(parts[2 * at + 1])]);
  }
}

// Answers of all words, from a signed byte for each number of a query and of a key.
export class Computed {
  constructor({ words, scale, query, key }) {
    this.words = words.split(" ");
    this.count = this.words.length;
    this.sides = [bytes(query), bytes(key)];
    this.scale = scale;
  }

  // The word's query times all keys, or its key times all queries.
  answers(word, way) {
    const width = this.scale.length, at = this.words.indexOf(word) * width;
    const own = this.scale.map((scale, place) => scale * this.sides[way][at + place]);
    const others = this.sides[1 - way];
    const scores = this.words.map((_, other) =>
      own.reduce((total, value, place) => total + value * others[other * width + place], 0));
    return [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, MOST)
      .map((other) => [this.words[other], scores[other]]);
  }
}

function bytes(text) {
  return Int8Array.from(atob(text), (byte) => byte.charCodeAt(0));
}

// Known words that begin as typed, else those with a similar spelling.
export function near(known, typed) {
  const longer = typed ? known.filter((word) => word.startsWith(typed)) : [];
  return longer.length ? longer.slice(0, MOST_NEAR) : closeMatches(typed, known, MOST_NEAR);
}
