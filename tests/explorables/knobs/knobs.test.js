import assert from "node:assert/strict";
import { test } from "node:test";

import { most, tableAt } from "../../../src/bottomup/explorables/knobs/knobs.js";
import { given } from "../given.js";

test("the table for each place of the knobs is what the function gives there", () => {
  const { payload, places, expected } = given;
  assert.deepEqual(places.map((place) => tableAt(payload, place).values), expected);
  assert.equal(places.length, 12);
});

test("of each column the largest number is named, and a cut one is none", () => {
  const values = [1, null, 3, -1, 2, -2];
  assert.deepEqual(most(["a", "b", "c"], ["x", "y"], values), [["x", "b", 3], ["y", "b", -1]]);
});
