// A model without changes: what both checkpoints are asked, and what a planted fault must fail.

import assert from "node:assert/strict";
import { test } from "node:test";

import { greedy } from "../../../src/bottomup/explorables/engine/decoding.js";
import { rowOf } from "../../../src/bottomup/explorables/engine/matrices.js";
import { translatorOf } from "../../../src/bottomup/explorables/engine/payload.js";
import { EOS } from "../../../src/bottomup/explorables/engine/transformer.js";
import { given } from "../given.js";
import { largestDifference } from "./numbers.js";

const LOGITS = 5e-5; // 1e-5 is found; epsilon outside the root makes 1e-4
const { longest } = given.payload, { model } = translatorOf(given.payload);

test("logits of sentences are PyTorch's", () => {
  for (const { source, target, logits } of given.logits) {
    const found = model.forward([...source, EOS], target);
    const rows = Array.from({ length: found.rows }, (_, row) => [...rowOf(found, row)]);
    assert.ok(largestDifference(rows, logits) < LOGITS);
  }
});

test("greedy decoding writes what PyTorch writes", () => {
  for (const { source, written } of given.greedy)
    assert.deepEqual(greedy(model, [...source, EOS], { longest }), written);
});
