// What gradients tell, and what they change: saliency, and steps of training.

import { UNCHANGED } from "./changes.js";
import { rowOf } from "./matrices.js";
import { backward, crossEntropy } from "./operations.js";
import { EOS } from "./transformer.js";

// One step of gradient descent on one translation: theta <- theta - rate gradient. Returns the loss
// before the step.
export function trainStep(model, source, target, rate, change = UNCHANGED) {
  const tape = [];
  model.zeroGrad();
  const loss = model.loss(source, target, change, null, tape);
  backward(tape);
  for (const { data, grad } of Object.values(model.parameters))
    for (let i = 0; i < data.length; i++) data[i] -= rate * grad[i];
  return loss;
}

// How strongly log p(target[at]) depends on each source word: the length of its gradient at the
// word's embedding; no gradient of a parameter is worked out. `at` may be target.length, which asks for EOS.
export function saliency(model, source, target, at, change = UNCHANGED) {
  const tape = [], trace = new Map();
  tape.fixed = true;
  const logits = model.forward(source, target.slice(0, at), change, trace, tape);
  const asked = Array.from({ length: at + 1 }, (_, i) => (i === at ? (target[at] ?? EOS) : null));
  crossEntropy(tape, logits, asked);
  backward(tape);
  const { rows, cols, grad } = trace.get("source.embedding");
  return Array.from({ length: rows }, (_, i) => Math.hypot(...rowOf({ data: grad, cols }, i)));
}
