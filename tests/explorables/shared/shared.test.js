import assert from "node:assert/strict";
import { test } from "node:test";

import { Axes } from "../../../src/bottomup/explorables/shared/axes.js";
import { hundredths, mostVaried, ranked, reading, sizes } from "../../../src/bottomup/explorables/shared/heads.js";
import { direction, dot, least, scale, sum, within } from "../../../src/bottomup/explorables/shared/numbers.js";
import { onPaper } from "../../../src/bottomup/explorables/shared/plane.js";
import { fill, number, signed } from "../../../src/bottomup/explorables/shared/words.js";

test("a sentence is filled once: what is filled in is not filled again", () => {
  assert.equal(fill("{a} and {b}, {c}", { a: "{b}", b: 2 }), "{b} and 2, {c}");
});

test("a Korean sentence has the particle that fits what was filled in", () => {
  const said = (word) => fill("“{word}”을(를) {word}와(과) {word}(으)로, {word}이(가)", { word });
  assert.equal(said("meat"), "“meat”를 meat와 meat로, meat가");
  assert.equal(said("고양이"), "“고양이”를 고양이와 고양이로, 고양이가");
  assert.equal(said("말"), "“말”을 말과 말로, 말이");
  assert.equal(said("0.3"), "“0.3”을 0.3과 0.3으로, 0.3이");
  assert.equal(fill("{row}을(를)", {}), "{row}을(를)");
});

test("numbers have a minus of their own, and no zero has a sign", () => {
  assert.equal(number(-1.25, 1), "−1.3");
  assert.equal(number(-0.004, 2), "0.00");
  assert.equal(number(-0, 0), "0");
});

test("a gain has its sign, and no change has none", () => {
  assert.deepEqual([0.5, -0.5, 0.004, -0.004].map((value) => signed(value, 2)), ["+0.50", "−0.50", "0.00", "0.00"]);
});

test("a value is kept between its ends, also an endless one", () => {
  assert.deepEqual([-Infinity, 2, Infinity].map((value) => within(value, 0, 5)), [0, 2, 5]);
});

test("a scale leads its ends to the other ends", () => {
  const x = scale([1, 3], [10, -10]);
  assert.deepEqual([1, 2, 3, 4].map(x), [10, 0, -10, -20]);
});

test("the least is found where it is near enough, the first of equals", () => {
  assert.equal(least([3, 1, 1]), 1);
  assert.equal(least([3, 1], 1), 1);
  assert.equal(least([3, 2], 1), null);
});

test("a vector of length zero has no direction", () => {
  assert.deepEqual(direction([3, -4]), [0.6, -0.8]);
  assert.deepEqual(direction([0, 0]), [0, 0]);
  assert.equal(dot([3, -4], [2, 1]), 2);
  assert.equal(sum([1, 2, 4]), 7);
});

test("the second axis of a plane leads up", () => {
  assert.deepEqual(onPaper([1, 2], 10), [170, 140]);
});

test("axes keep the first and the last place off the frame", () => {
  const { x, y } = new Axes({ left: 20, right: 100, top: 10, bottom: 60, inset: 10 }, 4, [0, 1]);
  assert.deepEqual([0, 1, 3].map(x), [30, 50, 90]);
  assert.deepEqual([0, 0.5, 1].map(y), [60, 35, 10]);
});

// ---- Heads

const LABELS = { reads: "{head} {query}: {words}.", quoted: "{word} {weight}", nothing: "none", agree: "{count} of {all}: {word}." };
const HEADS = [
  { name: "1.1", weights: [[20, 10, 70, 5], [0, 0, 0, 0]] },
  { name: "1.2", weights: [[0, 0, 90, 0], [10, 0, 0, 0]] },
  { name: "1.3", weights: [[0, 0, 0, 0], [0, 10, 0, 0]] },
];

test("keys are ranked by weight, without those that are not read", () => {
  assert.deepEqual(ranked([20, 0, 70, 20]), [2, 0, 3]);
  assert.equal(hundredths(7), "0.07");
});

test("a reading names three keys and counts the heads that agree on the first", () => {
  const said = (head, query) => reading(LABELS, HEADS, HEADS[head], query, ["x", "y"], ["a", "b", "c", "d"]);
  assert.deepEqual(said(0, 0), ["1.1 x: c 0.70, a 0.20, b 0.10.", "2 of 3: c."]);
  assert.deepEqual(said(2, 0), ["1.3 x: none."]);
});

test("the query for which the heads read the most different keys comes first", () => {
  assert.equal(mostVaried(HEADS, 2), 1);
});

test("a map is as wide as its keys and its longest query", () => {
  assert.deepEqual(sizes(["a", "abc"], ["x", "y", "z", "w"]), { style: "--keys: 4; --letters: 3" });
});
