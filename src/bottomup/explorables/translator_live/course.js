// Training on one sentence: a copy of the model that goes down the gradient, and what was asked of it.
// The same course gives the same model, so that an address can hold one.

import { trainStep } from "../engine/training.js";

export const RATES = [0.003, 0.01, 0.03];
export const MOST_STEPS = 100;

export class Course {
  // sentence: its words; target: numbers of tokens.
  constructor(translator, { sentence, target, rate }) {
    Object.assign(this, { sentence, target, rate, losses: [], stopped: false, model: translator.model.copy() });
    this.source = translator.encode(translator.read(sentence));
  }

  get setting() {
    const { sentence, target, rate, losses } = this;
    return { sentence, target, rate, steps: losses.length };
  }

  stop() {
    this.stopped = true;
  }

  // Up to the largest number of steps, one at a time.
  *steps(count) {
    for (let step = 0; step < count && this.losses.length < MOST_STEPS && !this.stopped; step++) {
      this.losses.push(trainStep(this.model, this.source, this.target, this.rate));
      yield;
    }
    return this;
  }
}
