import assert from "node:assert/strict";
import { test } from "node:test";

import { changes, namesOf } from "../../../src/bottomup/explorables/engine/changes.js";
import { greedy } from "../../../src/bottomup/explorables/engine/decoding.js";
import { rowOf } from "../../../src/bottomup/explorables/engine/matrices.js";
import { argmax } from "../../../src/bottomup/explorables/engine/operations.js";
import { translatorOf } from "../../../src/bottomup/explorables/engine/payload.js";
import { BOS, EOS } from "../../../src/bottomup/explorables/engine/transformer.js";
import { given } from "../given.js";
import { largestDifference } from "./numbers.js";

const LOGITS = 1e-4, WEIGHTS = 1e-5;
const { longest } = given.payload;
const { model } = translatorOf(given.payload);

function rows({ rows: count, cols, data }) {
  return Array.from({ length: count }, (_, row) => [...rowOf({ data, cols }, row)]);
}

for (const { name, changes: options, shown, written } of given.changes)
  test(`${name}: logits, weights and states are PyTorch's, and so is what is written`, () => {
    const change = changes(options);
    shown.forEach(({ logits, weights, last }, place) => {
      const [source, target] = given.pairs[place], trace = new Map();
      const found = model.forward([...source, EOS], target, change, trace);
      assert.ok(largestDifference(rows(found), logits) < LOGITS);
      for (const [attention, expected] of Object.entries(weights))
        assert.ok(largestDifference([...trace.get(attention).weights], expected) < WEIGHTS, attention);
      for (const [station, expected] of Object.entries(last)) {
        const state = trace.get(station);
        assert.ok(largestDifference([...rowOf(state, state.rows - 1)], expected) < LOGITS, station);
      }
    });
    written.forEach((tokens, place) =>
      assert.deepEqual(greedy(model, [...given.pairs[place][0], EOS], { longest, change }), tokens));
  });

test("every name of a change is tried", () => {
  const tried = (kind) => new Set(given.changes.flatMap(({ changes: each }) => each[kind]));
  const { heads, sublayers, positions, stations } = namesOf(model.config);
  assert.deepEqual([...tried("heads")].sort(), heads.sort());
  assert.deepEqual([...tried("skips")].sort(), sublayers.sort());
  assert.deepEqual([...tried("updates")].sort(), sublayers.sort());
  assert.deepEqual([...tried("positions")].sort(), positions.sort());
  const patched = given.changes.flatMap(({ changes: { patches } }) => patches.map(({ station }) => station));
  assert.deepEqual([...new Set(patched)].sort(), stations.sort());
});

test("a step gives the logits that a pass over all tokens gives, with and without a cache", () => {
  const [source, target] = given.pairs[0];
  for (const change of [changes(), changes({ causal: false })]) {
    let state = model.start([...source, EOS], change), logits;
    const states = [state];
    [BOS, ...target].forEach((token, i) => {
      [logits, state] = model.step(token, state);
      states.push(state);
      const whole = model.forward([...source, EOS], target.slice(0, i), change);
      assert.ok(largestDifference([...logits], [...rowOf(whole, i)]) < 1e-5);
    });
    // A state goes on more than once, and in another way than the first time.
    const [again] = model.step(target[0], states[1]), [other] = model.step(target[1], states[1]);
    assert.deepEqual(again, model.step(target[0], states[1])[0]);
    assert.notDeepEqual(again, other);
  }
});

test("a state between layers is unembedded as the last one is", () => {
  const [source, target] = given.pairs[0], trace = new Map();
  const logits = model.forward([...source, EOS], target, undefined, trace);
  assert.deepEqual(model.unembed(trace.get("decoder_layers.1")), logits);
  const early = model.unembed(trace.get("decoder_layers.0"));
  assert.ok(rows(early).every((row) => argmax(row) < given.payload.target_tokens.length));
});

test("what the model does not have is refused", () => {
  assert.throws(() => changes({ head: [] }), /expected some of heads,/);
  const source = [4, EOS], patch = { station: "memory", position: 0, state: [] };
  for (const options of [{ heads: ["encoder_layers.0.attention:4"] }, { heads: ["encoder_layers.2.attention:0"] },
    { skips: ["encoder_layers.0.cross_attention"] }, { updates: ["decoder_layers.0"] }, { positions: ["memory"] },
    { patches: [{ ...patch, station: "encoder_norm" }] }, { patches: [patch] }])
    assert.throws(() => model.encode(source, changes(options)), /expected/);
  assert.throws(() => model.encode(Array(model.config.max_length + 1).fill(4)), /at most \d+ positions/);
});

test("parameters have one copy for each translator, and a copy of a model its own", () => {
  const one = model.copy(), name = "encoder_norm.gain";
  one.parameters[name].data[0] += 1;
  assert.notEqual(one.parameters[name].data[0], model.parameters[name].data[0]);
});
