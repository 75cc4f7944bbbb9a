import assert from "node:assert/strict";
import { test } from "node:test";

import { sentences } from "../../../src/bottomup/explorables/head_dictionary/head_dictionary.js";
import { Computed, Recorded, near } from "../../../src/bottomup/explorables/head_dictionary/words.js";
import { close, given } from "../given.js";

const { labels, recorded, count, computed, scores } = given;

test("recorded answers are read, both ways", () => {
  const words = new Recorded(recorded, count);
  assert.deepEqual(words.words, ["jordan", "king"]);
  assert.deepEqual(words.answers("jordan", 0), [["michael", 8.3], ["andy", 6.7]]);
  assert.deepEqual(words.answers("jordan", 1), [["king", 6.2], ["sri", -1.1]]);
});

test("computed answers are those of the package, both ways", () => {
  const words = new Computed(computed);
  words.words.forEach((word, at) => [scores[at], scores.map((row) => row[at])].forEach((wanted, way) => {
    const order = [...wanted.keys()].sort((a, b) => wanted[b] - wanted[a]);
    const found = words.answers(word, way);
    assert.equal(found.length, 8);
    assert.ok(close(found.map(([, score]) => score), order.slice(0, 8).map((other) => wanted[other]), 1e-5));
  }));
});

test("near a word are those that it begins, else those that are spelt like it", () => {
  const known = ["king", "kingdom", "kings", "dog", "cat"];
  assert.deepEqual(near(known, "kin"), ["king", "kingdom", "kings"]);
  assert.deepEqual(near(known, "kingg"), ["king", "kings", "kingdom"]);
  assert.deepEqual(near(known, "zzz"), []);
});

function said(changed) {
  const at = { word: "jordan", way: 0, typical: 5.4, answers: [["michael", 8.3], ["andy", 6.7]], near: 0, count: "200" };
  return sentences(labels, { ...at, ...changed });
}

test("an answer is told with its score, and beside what other words find", () => {
  assert.deepEqual(said({}), [
    "“jordan” looks most for “michael”, with a score of 8.3, and then for “andy”, 6.7.",
    "Half of all words have a first score below 5.4.",
  ]);
  assert.deepEqual(said({ way: 1, answers: [["king", 4], ["sri", 3.96]] }), [
    "“king” looks most for “jordan”, with a score of 4.0, and then “sri”, 4.0.",
    "Half of all words have a first score above 5.4.",
  ]);
});

test("an unknown word is told, and where there are words near it", () => {
  assert.deepEqual(said({ answers: [] }), ["“jordan” is not one of the 200 words that can be asked here."]);
  assert.equal(said({ answers: [], near: 2 })[1], "Known words near it:");
  assert.deepEqual(said({ word: "", answers: [] }), ["Type a word."]);
});
