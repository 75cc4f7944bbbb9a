import assert from "node:assert/strict";
import { test } from "node:test";

import { known, longest, reachOf, sentences } from "../../../src/bottomup/explorables/segments/segments.js";
import { given } from "../given.js";

const { cases, labels } = given;

test("the reach at the end of a segment is the package's", () => {
  for (const { layers, segment, memory, reach } of cases) {
    const setting = { layers, segment, memory, position: 40 * segment - 1 };
    assert.equal(reachOf(setting), reach);
    assert.equal(longest(setting), reach);
  }
});

test("what is known by hand: two layers, segments of two, a memory of two", () => {
  const levels = known({ layers: 2, segment: 2, memory: 2, position: 6 });
  assert.deepEqual(levels.map((reached) => [...reached].sort()), [[2, 3, 4, 5, 6], [4, 5, 6], [6]]);
});

test("without memory it knows of its own segment alone", () => {
  assert.equal(reachOf({ layers: 3, segment: 4, memory: 0, position: 9 }), 1);
});

test("it says how far, where the text begins, and the rule", () => {
  const said = (setting) => sentences(labels, { layers: 2, segment: 4, memory: 4, ...setting });
  assert.deepEqual(said({ position: 31 }), ["Position 31 knows of 11 positions before it.",
    "At the end of a segment it is (2 − 1) · 4 + 4 + 4 − 1 = 11."]);
  assert.deepEqual(said({ position: 1 }).slice(0, 2), ["Position 1 knows of 1 position before it.",
    "There the text begins; more would be in reach."]);
  assert.equal(said({ memory: 0, position: 8 })[0], "Position 8 knows of no position before it.");
});
