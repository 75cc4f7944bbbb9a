import assert from "node:assert/strict";
import { test } from "node:test";

import { beyond, distance } from "../../../src/bottomup/explorables/superposition_map/superposition_map.js";

test("the distance of a point from a line ends where the line ends", () => {
  assert.equal(distance([2, 3], [0, 0], [4, 0]), 3);
  assert.equal(distance([7, 4], [0, 0], [4, 0]), 5);
  assert.equal(distance([3, 4], [0, 0], [0, 0]), 5);
});

test("a number stands beyond the tip, in the arrow's direction", () => {
  assert.deepEqual(beyond([260, 160], []), [273, 160]);
  assert.deepEqual(beyond([160, 100], []), [160, 87]);
});

test("numbers of arrows in one direction do not cover each other", () => {
  const taken = [];
  for (let feature = 0; feature < 5; feature += 1) taken.push(beyond([260, 160], taken));
  const gaps = taken.flatMap(([x, y], index) => taken.slice(index + 1).map((other) => Math.hypot(x - other[0], y - other[1])));
  assert.equal(gaps.length, 10);
  assert.ok(Math.min(...gaps) > 18);
});
