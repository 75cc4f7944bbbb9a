import assert from "node:assert/strict";
import { test } from "node:test";

import { decoded, highest, reader, sentences } from "../../../src/bottomup/explorables/names_board/names_board.js";
import { close, given } from "../given.js";

const { payload, intact, frozen } = given, { labels, first, last, stations, professions } = payload;
const sizes = [first.length, last.length, stations.length, professions.length];
const readers = Object.values(payload.scores).map((text) => reader(decoded(text, payload.low, payload.step), sizes));

test("every score is read where it was stored, within half a step", () => {
  for (const [scores, read] of [[intact, readers[0]], [frozen, readers[1]]]) {
    scores.forEach((rows, one) => rows.forEach((along, other) => along.forEach((wanted, station) =>
      assert.ok(close(read({ first: one, last: other, station }), wanted, 0.5001 / payload.step)))));
  }
});

test("the highest score is the first of several", () => {
  assert.deepEqual([[0, 2, 2], [-3, -1, -2]].map(highest), [1, 1]);
});

function said(before, after, known = [0, 0, 0]) {
  const at = { name: "Anna King", station: "after layer 1", profession: 0, professions: ["acting", "chess"], known };
  return sentences(labels, at, { intact: before, frozen: after });
}

test("a score falls, rises or stays in two digits", () => {
  assert.equal(said([0.4, 0.1], [0.251, 0.1])[0],
    "Anna King, after layer 1: acting falls from 0.40 to 0.25 when the head is frozen.");
  assert.equal(said([-0.1, 0], [0.2, 0])[0],
    "Anna King, after layer 1: acting rises from −0.10 to 0.20 when the head is frozen.");
  assert.equal(said([0.401, 0], [0.399, 0])[0],
    "Anna King, after layer 1: acting stays at 0.40 when the head is frozen.");
});

test("the highest profession is named, both times, and a name that nobody has", () => {
  assert.deepEqual(said([0.4, 0.1], [0.2, 0.1]).slice(1), ["Both times, acting has the highest score of the 2."]);
  assert.deepEqual(said([0.4, 0.1], [0, 0.1], null).slice(1), [
    "The highest score is that of acting, and with the head frozen that of chess.",
    "Nobody on this board is called Anna King.",
  ]);
});
