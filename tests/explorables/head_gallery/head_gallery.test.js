import assert from "node:assert/strict";
import { test } from "node:test";

import { changesAlone, isOff, switched } from "../../../src/bottomup/explorables/head_gallery/head_gallery.js";
import { close, given } from "../given.js";

const ALL_ON = { layer: 0, off: 0 };

function turned(...heads) {
  return heads.reduce((switches, [layer, index]) => switched(switches, { layer, index }), ALL_ON);
}

for (const heads of [[[0, 0]], [[0, 0], [0, 2]], [[1, 5], [1, 1], [1, 7]], [0, 1, 2, 3, 4, 5, 6, 7].map((index) => [1, index])])
  test(`heads ${heads.join("; ")} off: the place of the subset is the sum of 2^head`, () => {
    const switches = turned(...heads), [[layer]] = heads;
    assert.equal(switches.off, heads.reduce((place, [, index]) => place + 2 ** index, 0));
    for (let index = 0; index < 8; index += 1) {
      assert.equal(isOff(switches, { layer, index }), heads.some(([, head]) => head === index));
      assert.equal(isOff(switches, { layer: 1 - layer, index }), false);
    }
  });

test("a second switch of a head turns it on again", () => {
  assert.deepEqual(turned([0, 3], [0, 1], [0, 3]), { layer: 0, off: 2 });
});

test("a switch of another layer turns the first layer's heads on again", () => {
  assert.deepEqual(turned([0, 0], [0, 2], [1, 1]), { layer: 1, off: 2 });
});

test("heads that replace each other cost more together than alone", () => {
  const [subsets] = given.accuracy;
  assert.ok(close(subsets[0b101] - subsets[0], -530_000, 1e-9));
  assert.ok(close(changesAlone(subsets, 0b101), -30_000, 1e-9));
  assert.equal(changesAlone(subsets, 0), 0);
});
