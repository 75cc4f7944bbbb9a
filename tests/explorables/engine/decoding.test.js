import assert from "node:assert/strict";
import { test } from "node:test";

import { beamSearch, keepTopK, keepTopP, probabilities, sample } from "../../../src/bottomup/explorables/engine/decoding.js";
import { translatorOf } from "../../../src/bottomup/explorables/engine/payload.js";
import { given } from "../given.js";
import { largestDifference } from "./numbers.js";

const ROUNDING = 1e-4; // log P of PyTorch is a sum of 32-bit numbers
const { longest } = given.payload;
const { model } = translatorOf(given.payload);

for (const { source, options, tokens, scores, totals, ended, steps } of given.beams)
  test(`a beam of ${options.beam} finds PyTorch's sequences by PyTorch's steps`, () => {
    const found = beamSearch(model, source, { longest, ...options });
    assert.deepEqual(found.sequences.map((one) => one.tokens), tokens);
    assert.ok(largestDifference(found.sequences.map((one) => one.score), scores) < ROUNDING);
    assert.ok(largestDifference(found.sequences.map((one) => one.logProbability), totals) < ROUNDING);
    assert.deepEqual(found.sequences.map((one) => one.ended), ended);
    assert.equal(found.steps.length, steps.length);
    found.steps.forEach((step, n) => {
      for (const key of ["parent", "token", "continued", "ended"])
        assert.deepEqual(step.map((one) => one[key]), steps[n][key], `${key} of step ${n}`);
      assert.ok(largestDifference(step.map((one) => one.logProbability), steps[n].log_probability) < ROUNDING);
      assert.ok(largestDifference(step.map((one) => one.score), steps[n].score) < ROUNDING);
    });
  });

for (const { options, shares } of given.samplings)
  test(`${JSON.stringify(options)}: tokens are drawn with PyTorch's probabilities`, () => {
    shares.forEach((expected, row) => {
      const logits = Float32Array.from(given.rows[row]), p = [...probabilities(logits, options)];
      assert.ok(largestDifference(p, expected) < 1e-6);
      assert.deepEqual(p.map((each) => each > 0), expected.map((each) => each > 0));
      // The middle of a token's share gives the token.
      let sum = 0;
      expected.forEach((share, token) => {
        if (share > 1e-4) assert.equal(sample(logits, { ...options, number: sum + share / 2 }), token);
        sum += share;
      });
      const kept = expected.findLastIndex((share) => share > 0);
      assert.equal(sample(logits, { ...options, number: 1 - 2 ** -53 }) <= kept, true);
    });
  });

test("of equal logits the first are kept, and p = 1 keeps all", () => {
  assert.deepEqual(keepTopK([1, 2, 2, 0], 1), [-Infinity, 2, -Infinity, -Infinity]);
  assert.deepEqual(keepTopK([1, 2, 2, 0], 9), [1, 2, 2, 0]);
  assert.deepEqual(keepTopP([0, 0, 0, 0], 0.5), [0, 0, -Infinity, -Infinity]);
  assert.deepEqual(keepTopP([0, 0, 0, -Infinity], 1), [0, 0, 0, -Infinity]);
});
