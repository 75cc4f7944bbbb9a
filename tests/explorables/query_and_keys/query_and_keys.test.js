import assert from "node:assert/strict";
import { test } from "node:test";

import { angle, cosine, sentences, softmax } from "../../../src/bottomup/explorables/query_and_keys/query_and_keys.js";
import { dot } from "../../../src/bottomup/explorables/shared/numbers.js";
import { close, given } from "../given.js";

const { labels, words } = given;

// What is said of a query and keys, with temperature 1.
function said(score, query, keys) {
  const scores = keys.map((key) => (score === "dot" ? dot(query, key) : cosine(query, key)));
  const names = words.slice(0, keys.length + 1);
  return sentences(labels, names, score, keys.map((key) => angle(query, key)), scores, softmax(scores));
}

test("scores, angles and weights are those of torch at every temperature", () => {
  for (const { query, keys, dots, cosines, angles, temperatures } of given.cases) {
    assert.ok(close(keys.map((key) => dot(query, key)), dots));
    assert.ok(close(keys.map((key) => cosine(query, key)), cosines));
    assert.ok(close(keys.map((key) => angle(query, key)), angles, 0.501));
    for (const { temperature, weights } of temperatures)
      assert.ok(close(softmax(dots.map((score) => score / temperature)), weights));
  }
});

test("a vector of length zero has the cosine 0 and no angle", () => {
  assert.equal(cosine([0, 0], [1, 2]), 0);
  assert.equal(angle([0, 0], [1, 2]), null);
});

test("what points closer but is shorter is named", () => {
  const [most, closer] = said("dot", [1, 0], [[0.5, 0], [2, 1]]);
  assert.equal(most, "“it” reads “street” most, with weight 0.818.");
  assert.equal(closer, "“animal” points closer (0° against 27°) but is shorter.");
});

test("with the cosine lengths do not count", () => {
  const [most, none] = said("cosine", [1, 0], [[0.5, 0], [2, 1]]);
  assert.ok(most.startsWith("“it” reads “animal” most"));
  assert.equal(none, labels.no_length);
});

test("a key at a right angle scores zero, one behind it below zero", () => {
  assert.equal(said("dot", [1.6, 1.2], [[1, 1], [1.2, -1.6]]).at(-1), "“street” scores zero at 90°.");
  assert.equal(said("dot", [1, 0], [[1, 1], [-1, 0]]).at(-1),
    "“street” scores below zero at 180°; opposite would be 180°.");
});

test("a query of length zero reads all keys alike", () => {
  assert.deepEqual(said("dot", [0, 0], [[1, 0], [0, 2]]), ["“it” reads all keys alike, with weight 0.500 each."]);
});
