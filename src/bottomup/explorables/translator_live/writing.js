// A translation while it is written, with all that the model computed for each token.

import { argmax } from "../engine/operations.js";
import { BOS, EOS } from "../engine/transformer.js";

const SLICE = 12; // milliseconds of work, after which the page may answer its reader
const KEPT = 8; // memories of a model

// Memories of sources, each computed once under each change of the encoder.
export class Memories {
  constructor() {
    this.models = new WeakMap();
  }

  // `part` says what is changed in the encoder. Returns the memory, and what the encoder computed.
  of(model, source, change, part) {
    if (!this.models.has(model)) this.models.set(model, new Map());
    const kept = this.models.get(model), key = `${part} ${source}`;
    if (!kept.has(key)) {
      const encoder = new Map();
      kept.set(key, { encoder, memory: model.encode(source, change, encoder) });
      if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    }
    return kept.get(key);
  }
}

export function begun(model, source, change, { encoder, memory } = new Memories().of(model, source, change, "")) {
  return { model, source, change, encoder, state: model.behind(memory, change), tokens: [], steps: [], done: false };
}

// One token more. `choose(logits, place)` gives it; without it the most probable.
export function advance(writing, longest, choose = argmax) {
  const { model, tokens, steps } = writing, trace = new Map();
  const [logits, state] = model.step(tokens.at(-1) ?? BOS, writing.state, trace);
  const token = choose(logits, steps.length);
  steps.push({ token, logits: Float32Array.from(logits), trace });
  writing.state = state;
  if (token !== EOS) tokens.push(token);
  writing.done = token === EOS || tokens.length === longest;
  return writing;
}

// All tokens, with pauses in which the page answers; null where they are wanted no more.
export function finished(writing, { longest, choose, wanted }) {
  return inSlices(untilDone(writing, longest, choose), wanted);
}

function* untilDone(writing, longest, choose) {
  while (!writing.done) {
    advance(writing, longest, choose);
    yield;
  }
  return writing;
}

// What a generator returns, run in slices; null where it is wanted no more.
export async function inSlices(steps, wanted = () => true) {
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() - began < SLICE) continue;
    await pause();
    if (!wanted()) return null;
    began = performance.now();
  }
}

export function pause() {
  return new Promise((resolve) => { setTimeout(resolve); });
}

// What each position reads, [query][key], in one head or in the mean of all (head null). A row of the
// decoder is that with which its token was written; without a causal mask rows change afterwards, and
// then all are those of the last step.
export function rowsOf({ encoder, steps, change }, name, head) {
  if (name.startsWith("encoder")) return everyRow(encoder.get(name), head);
  if (!change.causal) return everyRow(steps.at(-1).trace.get(name), head);
  const keys = name.endsWith("cross_attention") ? null : steps.length;
  return steps.map(({ trace }) => padded(everyRow(trace.get(name), head).at(-1), keys));
}

function everyRow({ weights, heads, queries, keys }, head) {
  const chosen = head === null ? Array.from({ length: heads }, (_, one) => one) : [head];
  return Array.from({ length: queries }, (_, query) => Array.from({ length: keys }, (_, key) =>
    chosen.reduce((sum, one) => sum + weights[(one * queries + query) * keys + key], 0) / chosen.length));
}

function padded(row, keys) {
  return keys === null ? row : [...row, ...new Array(keys - row.length).fill(0)];
}

// The most probable, as [token, probability], the best first.
export function best(probabilities, count) {
  return [...probabilities.keys()].sort((a, b) => probabilities[b] - probabilities[a])
    .slice(0, count).map((token) => [token, probabilities[token]]);
}

// Places in `b` that are in no longest common subsequence with `a`.
export function differing(a, b) {
  const common = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const found = [];
  for (let i = 0, j = 0; j < b.length;) {
    if (i < a.length && a[i] === b[j]) { i++; j++; }
    else if (i < a.length && common[i + 1][j] >= common[i][j + 1]) i++;
    else found.push(j++);
  }
  return found;
}

// The same numbers in [0, 1) for the same seed (mulberry32).
export function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
