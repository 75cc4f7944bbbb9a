import assert from "node:assert/strict";
import { test } from "node:test";

import { closeMatches } from "../../../src/bottomup/explorables/engine/close_matches.js";
import { changes } from "../../../src/bottomup/explorables/engine/changes.js";
import { fromHalf, read, translatorOf } from "../../../src/bottomup/explorables/engine/payload.js";
import { UnknownWordsError } from "../../../src/bottomup/explorables/engine/translator.js";
import { given } from "../given.js";

const live = translatorOf(given.payload);

for (const { sentence, changes: options, source, tokens, glosses, hangul, romanised } of given.translations)
  test(`${sentence} is translated as in Python`, () => {
    const found = live.translate(sentence, options ? changes(options) : undefined);
    assert.deepEqual({ ...found, numbers: undefined }, { source, tokens, glosses, hangul, romanised, numbers: undefined });
    assert.deepEqual(live.decode(found.numbers), tokens);
  });

for (const { sentence, message, words } of given.refused)
  test(`“${sentence.slice(0, 40)}” is answered as in Python`, () => {
    assert.throws(() => live.read(sentence), (error) => {
      assert.equal(error.message, message);
      assert.equal(error instanceof UnknownWordsError, words !== null);
      if (words !== null) assert.deepEqual(error.words, words);
      return true;
    });
  });

test("a warning names what Python finds, and whether the sentence begins so", () => {
  for (const [text, unseen, words] of given.warned) {
    const found = live.warning(words);
    if (!unseen.length) assert.equal(found, "", text);
    else assert.ok(found.includes(`“${unseen.join(" ")}”`), `${text}: ${found}`);
  }
  assert.match(live.warning(live.read("it rained")), /begins with .* “it rained”/);
  assert.match(live.warning(live.read("the man is a doctor")), /in a row: “man is a”/);
  assert.ok(given.warned.filter(([, unseen]) => unseen.length).length > 100);
});

test("words near an unknown one are difflib's", () => {
  for (const { word, near } of given.near) assert.deepEqual(closeMatches(word, live.known), near, word);
});

test("all glosses are Python's", () => {
  assert.deepEqual(live.targetTokens.map((token) => live.gloss(token)), given.glosses);
});

test("every 16-bit number is read bit for bit", () => {
  for (const [bits, number] of given.halves) assert.equal(fromHalf(bits), number);
});

test("bytes too few or too many are refused", () => {
  const header = { parameters: [["gain", [2]]] };
  assert.deepEqual([...read(header, Uint8Array.of(0x3c, 0xc0, 0, 0)).gain.data], [1, -2]);
  for (const bytes of [2, 6]) assert.throws(() => read(header, new Uint8Array(bytes)), /expected 4 bytes, got/);
});
