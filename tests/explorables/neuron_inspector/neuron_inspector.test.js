import assert from "node:assert/strict";
import { test } from "node:test";

import { said } from "../../../src/bottomup/explorables/neuron_inspector/neuron_inspector.js";
import { given } from "../given.js";

const { labels, names, attributes, neurons } = given;
const sentences = neurons.map((shown, neuron) => said(labels, names, attributes, neuron, shown));

test("a neuron's favourite attribute is compared with what its value promotes most", () => {
  assert.deepEqual(sentences.slice(0, 3).map((text) => text.split(". ").at(-1)), [
    "Its value promotes “tennis” most too.",
    "Its value promotes “chess” most.",
    "Its value promotes no attribute.",
  ]);
});

test("the share of the favourite is said, and how many attributes make one half", () => {
  assert.ok(sentences[1].startsWith("Neuron 2 is active for 2 of 2 names. "
    + "“tennis” has 0.67 of its activation; to reach one half takes 1 of 2 attributes."));
  assert.match(sentences[2], /“tennis” has 0\.50 of its activation; to reach one half takes 1 of 2/);
});

test("a silent neuron says so", () => {
  assert.equal(sentences[3], "Neuron 4 is active for none of the 2 names.");
});
