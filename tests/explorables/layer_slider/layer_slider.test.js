import assert from "node:assert/strict";
import { test } from "node:test";

import { ticks } from "../../../src/bottomup/explorables/layer_slider/curves.js";
import { fullBar, middle, withRest } from "../../../src/bottomup/explorables/layer_slider/layer_slider.js";
import { TALL, WIDTH, fitted, labelled, overlap } from "../../../src/bottomup/explorables/layer_slider/plane.js";
import { close, given } from "../given.js";

const LETTER = 7.5; // wide, about as in the page's fonts

test("points have one scale for all stations, and the second axis leads up", () => {
  given.points.forEach((stations, network) => assert.ok(close(fitted(stations), given.places[network], 1e-6)));
});

test("tokens in one place stand in the middle", () => {
  assert.deepEqual(fitted([[[1, 1], [1, 1]]]), [[[170, 150], [170, 150]]]);
});

test("names stay inside and hardly cover each other", () => {
  const widths = given.tokens.map((token) => LETTER * token.length);
  for (const stations of given.points.map(fitted))
    for (const dots of stations) {
      const boxes = labelled(dots, widths, []).map(([x, y], index) => [x, y - 10, x + widths[index], y]);
      for (const [left, top, right, bottom] of boxes)
        assert.ok(left >= 0 && top >= 0 && right <= WIDTH && bottom <= TALL);
      const shared = boxes.flatMap((box, index) => boxes.slice(index + 1).map((other) => overlap(box, other)));
      assert.ok(Math.max(...shared) <= 25); // about half a letter
    }
});

test("boxes share the area that both cover", () => {
  assert.equal(overlap([0, 0, 4, 4], [1, 2, 9, 9]), 6);
  assert.equal(overlap([0, 0, 4, 4], [5, 5, 9, 9]), 0);
});

for (const [entropy, low] of [[4.51, 2], [0.05, 0], [2.0, 1], [30.0, 15]])
  test(`up to ${entropy} nats the axis begins below the least number and never below zero`, () => {
    const values = ticks(entropy, [[entropy / 2, entropy], [entropy]]);
    assert.equal(values[0], low);
    assert.ok(values.length >= 1 && values.length <= 7);
    assert.ok(values.at(-1) <= entropy);
  });

test("a bar is full for the largest distance, in tenths", () => {
  assert.equal(fullBar([[0.31, 0.02], [0.44]]), 0.5);
  assert.equal(fullBar([[0.01]]), 0.1);
});

test("others are named where the listed types are not all", () => {
  assert.deepEqual(withRest([["a", 0.5], ["b", 0.25]]), [["a", 0.5], ["b", 0.25], [null, 0.25]]);
  assert.deepEqual(withRest([["a", 0.75], ["b", 0.25]]), [["a", 0.75], ["b", 0.25]]);
});

for (const [count, station] of [[2, 1], [3, 1], [7, 3], [13, 6]])
  test(`of ${count} stations the figure starts at ${station}`, () => {
    assert.equal(middle(Array.from({ length: count })), station);
  });
