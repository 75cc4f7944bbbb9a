import assert from "node:assert/strict";
import { test } from "node:test";

import { writer } from "../../../src/bottomup/explorables/engine/korean.js";
import { given } from "../given.js";

const { conjugate, detokenize, romanise } = writer(given.tables);

test("sentences are written and romanised as in Python", () => {
  for (const { tokens, hangul, romanised } of given.sentences) {
    assert.equal(detokenize(tokens), hangul);
    assert.equal(romanise(hangul), romanised);
  }
});

test("so is what no grammar allows", () => {
  for (const { tokens, hangul, romanised } of given.wild) {
    assert.equal(detokenize(tokens), hangul, tokens.join(" "));
    assert.equal(romanise(hangul), romanised, hangul);
  }
});

test("every stem takes every ending as in Python", () => {
  for (const { stem, endings, word } of given.forms) assert.equal(conjugate(stem, endings), word, `${stem} ${endings}`);
});

test("every pair of syllables sounds as in Python", () => {
  for (const [text, sound] of given.sounds) assert.equal(romanise(text), sound, text);
});
