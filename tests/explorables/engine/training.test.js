import assert from "node:assert/strict";
import { test } from "node:test";

import { gradOf } from "../../../src/bottomup/explorables/engine/matrices.js";
import { backward } from "../../../src/bottomup/explorables/engine/operations.js";
import { translatorOf } from "../../../src/bottomup/explorables/engine/payload.js";
import { saliency, trainStep } from "../../../src/bottomup/explorables/engine/training.js";
import { changes } from "../../../src/bottomup/explorables/engine/changes.js";
import { given } from "../given.js";
import { largestDifference } from "./numbers.js";

const GRADIENT = 1e-5;
const { model } = translatorOf(given.payload);

given.gradients.forEach(({ source, target, rate, losses, gradients, places, saliency: lengths }, number) => {
  test(`pair ${number}: loss and all gradients are PyTorch's`, () => {
    const one = model.copy(), tape = [];
    assert.ok(largestDifference(one.loss(source, target, undefined, null, tape), losses[0]) < GRADIENT);
    backward(tape);
    assert.deepEqual(Object.keys(gradients), Object.keys(one.parameters));
    for (const [name, expected] of Object.entries(gradients)) {
      // In single precision the rounding error grows with the numbers that are added up.
      const largest = expected.reduce((found, each) => Math.max(found, Math.abs(each)), 1);
      const difference = largestDifference([...gradOf(one.parameters[name])], expected);
      assert.ok(difference < GRADIENT * largest, `${name}: ${difference}`);
    }
  });

  test(`pair ${number}: saliency of the source words is PyTorch's`, () => {
    places.forEach((place, i) =>
      assert.ok(largestDifference(saliency(model, source, target, place), lengths[i]) < GRADIENT));
  });

  test(`pair ${number}: the loss falls as PyTorch's does, and the model before is kept`, () => {
    const one = model.copy(), found = losses.map(() => trainStep(one, source, target, rate));
    assert.ok(largestDifference(found, losses) < 1e-4);
    assert.ok(Math.abs(model.loss(source, target) - losses[0]) < GRADIENT);
  });
});

// A change runs backward as it runs forward: gradients agree with differences of the loss.
const [{ source, target }] = given.gradients, state = Array.from({ length: model.config.d_model }, (_, c) => c / 64);
for (const options of [{ heads: ["decoder_layers.1.cross_attention:2"] }, { skips: ["encoder_layers.0.attention"] },
  { updates: ["decoder_layers.0.feed_forward"] }, { positions: ["source"] }, { causal: false }, { hidden: [1] },
  { patches: [{ station: "encoder_layers.0", position: 1, state }] }])
  test(`${Object.keys(options)}: the gradient tells how the loss changes`, () => {
    const change = changes(options), one = model.copy(), tape = [], step = 2e-3;
    one.loss(source, target, change, null, tape);
    backward(tape);
    for (const name of ["source_embedding.weight", "encoder_layers.0.attention.W_V.weight"]) {
      const { data, grad } = one.parameters[name];
      const at = grad.reduce((best, each, i) => (Math.abs(each) > Math.abs(grad[best]) ? i : best), 0);
      const kept = data[at], loss = (by) => {
        data[at] = kept + by;
        return one.loss(source, target, change);
      };
      const difference = (loss(step) - loss(-step)) / (2 * step);
      data[at] = kept;
      assert.ok(Math.abs(difference - grad[at]) < 0.02 * Math.abs(grad[at]) + 1e-5, `${name}: ${difference} ${grad[at]}`);
    }
  });
