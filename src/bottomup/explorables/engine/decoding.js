// From a model to target tokens, by the rules of bottomup.decoding: greedy, sampling, beam search.
// `longest` is the largest number of tokens, EOS not counted.

import { UNCHANGED } from "./changes.js";
import { argmax, logSoftmax } from "./operations.js";
import { BOS, EOS } from "./transformer.js";

// y[0] = BOS, y[i] = argmax(logits(y[0], ..., y[i-1], source)), up to EOS, which is left out.
export function greedy(model, source, { longest, change = UNCHANGED }) {
  let state = model.start(source, change), token = BOS, logits;
  const tokens = [];
  while (tokens.length < longest) {
    [logits, state] = model.step(token, state);
    token = argmax(logits);
    if (token === EOS) break;
    tokens.push(token);
  }
  return tokens;
}

// The probabilities from which a token is drawn: the k largest logits, then the temperature, then
// the nucleus of what that left.
export function probabilities(logits, { temperature = 1, topK = null, topP = null }) {
  const kept = topK === null ? logits : keepTopK(logits, topK);
  const p = softmaxWithTemperature(kept, temperature);
  if (topP === null) return p;
  return softmaxWithTemperature(keepTopP(p.map((each) => Math.log(each)), topP), 1);
}

// The token in whose share of [0, 1) the number lies; shares stand in the order of the tokens.
export function sample(logits, { number, ...options }) {
  const p = probabilities(logits, options);
  let sum = 0, last = 0;
  for (let v = 0; v < p.length; v++) {
    if (!p[v]) continue;
    sum += p[v];
    last = v;
    if (sum > number) return v;
  }
  return last; // the sum may round to less than 1
}

// p[v] = exp(logits[v] / T) / sum over u of exp(logits[u] / T)
export function softmaxWithTemperature(logits, temperature) {
  const top = logits[argmax(logits)];
  const p = Float64Array.from(logits, (z) => Math.exp((z - top) / temperature));
  const sum = p.reduce((a, b) => a + b, 0);
  return p.map((each) => each / sum);
}

// All but the k largest logits become -Infinity; of equals the first are kept.
export function keepTopK(logits, k) {
  const kept = new Set(byValue(logits).slice(0, k));
  return logits.map((z, v) => (kept.has(v) ? z : -Infinity));
}

// Logits outside the nucleus become -Infinity: the most probable tokens are kept whose
// probabilities together reach p.
export function keepTopP(logits, p) {
  if (p === 1) return logits.slice();
  const share = softmaxWithTemperature(logits, 1), kept = new Set();
  let sum = 0;
  for (const v of byValue(logits)) {
    kept.add(v);
    sum += share[v];
    if (sum >= p) break;
  }
  return logits.map((z, v) => (kept.has(v) ? z : -Infinity));
}

// Places, the largest value first; equals stay in order.
function byValue(values) {
  return [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
}

// What log P of n tokens is divided by, EOS counted.
export function gnmtPenalty(n, alpha) {
  return ((5 + n) / 6) ** alpha;
}

// The sequences with the highest log P / lp(n), and all that the search looked at, step by step:
// candidates, the best first, whose parent is counted among those that the step before continued.
export function beamSearch(model, source, options) {
  const search = beamSteps(model, source, options);
  for (let step = search.next(); ; step = search.next()) if (step.done) return step.value;
}

// The same as a generator, which may be left after each step.
export function* beamSteps(model, source, { beam, longest, lengthPenalty = 0.6, nBest = 1, change = UNCHANGED }) {
  const steps = [], largest = gnmtPenalty(longest, lengthPenalty);
  let prefixes = [{ tokens: [], last: BOS, logProbability: 0, state: model.start(source, change) }];
  let finished = [], n = 0;
  while (prefixes.length && n < longest) {
    n += 1;
    const penalty = gnmtPenalty(n, lengthPenalty), { candidates, states } = continueBeam(model, prefixes, beam);
    steps.push(candidates.map((one) => ({ ...one, score: one.logProbability / penalty })));
    const ended = candidates.filter((one) => one.ended)
      .map(({ parent, logProbability }) => ({ tokens: prefixes[parent].tokens, logProbability, ended: true }));
    finished = best(finished, ended, penalty, nBest);
    prefixes = candidates.filter((one) => one.continued).map(({ parent, token, logProbability }) =>
      ({ tokens: [...prefixes[parent].tokens, token], last: token, logProbability, state: states[parent] }));
    // No prefix gains probability, and no penalty is larger: the search is decided.
    const worst = finished.length < nBest ? -Infinity : finished.at(-1).score;
    if (!(prefixes[0].logProbability / largest > worst)) prefixes = [];
    yield;
  }
  const cut = prefixes.map(({ tokens, logProbability }) => ({ tokens, logProbability, ended: false }));
  return { sequences: best(finished, cut, gnmtPenalty(n, lengthPenalty), nBest), steps };
}

// Add a token to each prefix: { parent, token, logProbability, continued, ended }, the best first.
// EOS ends a sequence if it is among the best `beam`; the best `beam` of the others are continued.
function continueBeam(model, prefixes, beam) {
  const states = [], all = prefixes.flatMap(({ last, logProbability, state }, parent) => {
    const [logits, next] = model.step(last, state), log = logSoftmax(logits);
    states.push(next);
    return byValue(log).slice(0, beam + 1)
      .map((token) => ({ parent, token, logProbability: logProbability + log[token] }));
  });
  all.sort((a, b) => b.logProbability - a.logProbability);
  let going = 0;
  const candidates = all.slice(0, beam + prefixes.length).map((one, place) => {
    const goesOn = one.token !== EOS;
    return { ...one, continued: goesOn && ++going <= beam, ended: !goesOn && place < beam };
  });
  return { candidates, states };
}

// Those that ended come before those cut off, then the higher score, then what was there.
function best(old, found, penalty, nBest) {
  const all = [...old, ...found.map((one) => ({ ...one, score: one.logProbability / penalty }))];
  return all.sort((a, b) => b.ended - a.ended || b.score - a.score).slice(0, nBest);
}
