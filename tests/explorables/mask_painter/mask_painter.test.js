import assert from "node:assert/strict";
import { test } from "node:test";

import { maskedSoftmax, power, sentences } from "../../../src/bottomup/explorables/mask_painter/mask_painter.js";
import { close, given } from "../given.js";

const { scores, cases, labels, words } = given;
const CAUSAL = words.map((_, query) => words.map((_, key) => Number(key <= query)));

function changed(...cells) {
  const mask = CAUSAL.map((row) => [...row]);
  for (const [query, key] of cells) mask[query][key] = 1 - mask[query][key];
  return mask;
}

test("weights are those of the package, zeros in a row where everything is masked", () => {
  for (const { mask, weights } of cases)
    assert.ok(close(mask.map((allowed, query) => maskedSoftmax(scores[query], allowed)), weights));
});

test("reach is the boolean power of the mask", () => {
  for (const { mask, reach } of cases)
    reach.forEach((expected, index) => assert.deepEqual(power(mask, index + 1), expected));
});

test("who sees the future is named, and who sees it only through others", () => {
  const said = (mask, layers) => sentences(labels, words, mask, power(mask, layers), layers).join(" ");
  assert.equal(said(CAUSAL, 4), "No position sees the future.");
  assert.equal(said(changed([1, 4]), 1), "Positions that see the future: “cat”.");
  assert.equal(said(changed([1, 4]), 2),
    "Positions that see the future: “cat”. Only through others, after 2 layers: “saw”, “it”.");
});

test("who reads nothing is named", () => {
  const mask = changed([0, 0], [1, 0], [1, 1]);
  assert.equal(sentences(labels, words, mask, mask, 1).at(-1),
    "Nothing to read, so zero weights and zero output: “the”, “cat”.");
});
