import assert from "node:assert/strict";
import { test } from "node:test";

import { largest, sentences, shown } from "../../../src/bottomup/explorables/patching_board/patching_board.js";
import { given } from "../given.js";

const { labels } = given;
const pair = { clean: ["cat", "."], corrupted: ["dog", "."], answers: ["kat", "hund"] };
const EFFECTS = [[10, -30, 5], [40, 0, 45], [90, 5, 100]];
const WEIGHTS = [[20, 80], [55, 45]];

function said(direction, chosen) {
  const metric = { name: "m", label: "logit" };
  const named = (row, column, run) => ({
    name: ["1.1", "1.2"][row], head: row < 2 ? `Head ${["1.1", "1.2"][row]}` : labels.every_head,
    place: column < 2 ? `at “${pair[run][column]}”` : labels.everywhere,
  });
  return sentences(labels, { chosen, direction, metric, pair, named }, EFFECTS, WEIGHTS);
}

test("the largest number of a table is found, the first of several", () => {
  assert.deepEqual(largest([[1, 2], [5, 5]]), [1, 0]);
  assert.deepEqual(largest([[-3, -2]]), [0, 1]);
});

test("hundredths are written as shares, with a minus and without a zero's sign", () => {
  assert.deepEqual([80, -30, 104, 0].map(shown), ["0.80", "−0.30", "1.04", "0.00"]);
});

test("a cell says its effect and its weight, and where the largest are", () => {
  assert.deepEqual(said("denoising", [0, 1]), [
    "Head 1.1 at “.”, as in the clean run: −0.30 of the logit between “kat” and “hund” comes back.",
    "The head gives this word the weight 0.80.",
    "The largest effect of one head at one word is 0.40, of head 1.2 at “dog”; the largest weight is 0.80, of head 1.1 at “.”.",
  ]);
});

test("with noising it is lost, and words are those of the clean run", () => {
  const [first, , last] = said("noising", [1, 0]);
  assert.equal(first, "Head 1.2 at “cat”, as in the corrupted run: 0.40 of the logit between “kat” and “hund” is lost.");
  assert.ok(last.includes("of head 1.2 at “cat”;"));
});

test("all heads and all positions have no weight", () => {
  assert.equal(said("denoising", [2, 2]).length, 2);
  assert.equal(said("denoising", [1, 2]).length, 2);
  assert.ok(said("denoising", [2, 2])[0].startsWith("All heads at all positions, as in the clean run: 1.00"));
});
