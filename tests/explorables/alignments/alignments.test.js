import assert from "node:assert/strict";
import { test } from "node:test";

import { brief, farthest, goldOf, hits, largest, shown, verdict } from "../../../src/bottomup/explorables/alignments/alignments.js";
import { binNames, placesOf } from "../../../src/bottomup/explorables/alignments/chart.js";

// Target 0 has a sure link, 1 a possible one, 2 none, 3 a sure link that leads far.
const SENTENCE = {
  source: ["a", "b", "c", "d"], target: ["w", "x", "y", "z"],
  links: [[0, 0, true], [1, 2, false], [3, 0, true]],
};
const WEIGHTS = [[0.6, 0.4, 0, 0], [0, 0.2, 0.8, 0], [1, 0, 0, 0], [0, 0, 0, 0.5]];

test("the first of the largest weights is meant, and none of a row of zeros", () => {
  assert.equal(largest([0.1, 0.4, 0.4]), 1);
  assert.equal(largest([0, 0]), null);
});

test("what a token reads most is compared with its gold links", () => {
  assert.deepEqual([...goldOf(SENTENCE, 0)], [[0, true]]);
  assert.deepEqual(WEIGHTS.map((weights, index) => verdict(SENTENCE, weights, index)),
    ["on_sure", "on_possible", "unlinked", "off"]);
  assert.equal(verdict(SENTENCE, [0, 0, 0, 0], 0), "off");
  assert.deepEqual(hits(SENTENCE, WEIGHTS), { right: 2, all: 3 });
});

test("the figure starts at the token whose sure link leads farthest, else at the first", () => {
  assert.equal(farthest(SENTENCE), 3);
  assert.equal(farthest({ ...SENTENCE, links: [[1, 2, false]] }), 0);
});

test("a weight that would be written 0.00 is not shown", () => {
  assert.deepEqual([0.004, 0.005, 1].map(shown), [null, "0.01", "1.00"]);
});

const BINS = [[4, 4], [5, 6], [7, 9]];

test("a sentence has a bin, or none, and so has what was not trained", () => {
  assert.deepEqual(placesOf(BINS, 6, 6), { here: 1, unseen: 2 });
  assert.deepEqual(placesOf(BINS, 10, null), { here: -1, unseen: -1 });
});

test("bins have names, no more than there is room for", () => {
  assert.deepEqual(binNames(BINS), ["4", "5–6", "7–9"]);
  const many = Array.from({ length: 10 }, (_, index) => [index, index]);
  assert.deepEqual(binNames(many), ["0", "", "2", "", "4", "", "6", "", "8", ""]);
});

test("a long word is cut beside all weights", () => {
  assert.deepEqual(["grandmothers'", "in.order.to.do", "in.order.to.see"].map(brief),
    ["grandmothers'", "in.order.to.do", "in.order.to.s…"]);
});
