// The book's Transformer, with the names of bottomup.models.Transformer: the same numbers.
//
// One sentence at a time; tokens are lists of numbers. The source ends in EOS, without which the
// model still translates most sentences, with other logits. Dropout belongs to training alone.

import { attend } from "./attention.js";
import { UNCHANGED, checkNames } from "./changes.js";
import { below, gradOf, matrix, rowOf } from "./matrices.js";
import { add, crossEntropy, embed, layerNorm, linear, relu, replaceRows } from "./operations.js";

export const BOS = 1;
export const EOS = 2;

const BASE = 10000;
const UNDERSTOOD = { norm: "pre", activation: "relu", positions: "sinusoidal", shared: "target" };

// parameters: matrices by PyTorch's names, "encoder_layers.0.attention.W_Q.weight".
//
// Methods take a change (changes.js); a trace, a Map that is filled with states by station and with
// weights by attention; and a tape (operations.js).
export class Transformer {
  constructor(config, parameters) {
    for (const [name, value] of Object.entries(UNDERSTOOD))
      if (config[name] !== value) throw new Error(`config.${name}: expected ${value}, got ${config[name]}`);
    this.config = config;
    this.parameters = parameters;
    this.table = sinusoids(config.max_length, config.d_model);
  }

  copy() {
    const copied = Object.entries(this.parameters).map(([name, { rows, cols, data }]) =>
      [name, matrix(rows, cols, data.slice())]);
    return new Transformer(this.config, Object.fromEntries(copied));
  }

  // Logits [target + 1, vocabulary]: row i predicts target[i] from what stands before it.
  forward(source, target, change = UNCHANGED, trace = null, tape = null) {
    const memory = this.encode(source, change, trace, tape);
    return this.decode([BOS, ...target], memory, change, trace, tape);
  }

  // sqrt(d_model) E[token] + P[position]
  embed(tokens, side, first, change, trace, tape) {
    const { d_model, max_length } = this.config, end = first + tokens.length;
    if (end > max_length) throw new Error(`${side}: expected at most ${max_length} positions, got ${end}`);
    const x = embed(tape, this.parameters[`${side}_embedding.weight`], tokens, Math.sqrt(d_model));
    trace?.set(`${side}.embedding`, x);
    if (change.positions.has(side)) return x;
    return add(tape, x, matrix(tokens.length, d_model, this.table.slice(first * d_model, end * d_model)));
  }

  // Also of a state between layers: what the model would write there if it had no more layers.
  unembed(y, tape = null) {
    return linear(tape, this.norm(y, "decoder_norm", tape), this.parameters["target_embedding.weight"]);
  }

  // The memory: what the decoder reads of the source.
  encode(source, change = UNCHANGED, trace = null, tape = null) {
    checkNames(change, this.config);
    const seen = (i, j) => !change.hidden.has(j);
    let x = this.embed(source, "source", 0, change, trace, tape);
    x = this.arrive(x, "source", 0, change, trace, tape);
    for (let number = 0; number < this.config.encoder_layers; number++) {
      const layer = `encoder_layers.${number}`;
      x = this.sublayer(x, layer, "attention", change, tape, (read, name) =>
        this.attention(read, read, name, seen, change, trace, tape));
      x = this.sublayer(x, layer, "feed_forward", change, tape, (read, name) =>
        this.feedForward(read, name, trace, tape));
      x = this.arrive(x, layer, 0, change, trace, tape);
    }
    return this.arrive(this.norm(x, "encoder_norm", tape), "memory", 0, change, trace, tape);
  }

  // Logits behind each token; the tokens begin with BOS. With a cache of keys and values they stand
  // behind those that it holds, and their own are added to it.
  decode(tokens, memory, change = UNCHANGED, trace = null, tape = null, cache = null) {
    checkNames(change, this.config);
    const first = cache ? cache.length : 0;
    const before = (i, j) => !change.causal || j <= first + i, seen = (i, j) => !change.hidden.has(j);
    let y = this.embed(tokens, "target", first, change, trace, tape);
    y = this.arrive(y, "target", first, change, trace, tape);
    for (let number = 0; number < this.config.decoder_layers; number++) {
      const layer = `decoder_layers.${number}`;
      y = this.sublayer(y, layer, "attention", change, tape, (read, name) =>
        this.attention(read, read, name, before, change, trace, tape, cache));
      y = this.sublayer(y, layer, "cross_attention", change, tape, (read, name) =>
        this.attention(read, memory, name, seen, change, trace, tape, cache));
      y = this.sublayer(y, layer, "feed_forward", change, tape, (read, name) =>
        this.feedForward(read, name, trace, tape));
      y = this.arrive(y, layer, first, change, trace, tape);
    }
    if (cache) cache.length += tokens.length;
    return this.unembed(y, tape);
  }

  // Encode the source; return the state before the first target token.
  start(source, change = UNCHANGED, trace = null) {
    return this.behind(this.encode(source, change, trace), change);
  }

  // The same of a memory that is there.
  behind(memory, change = UNCHANGED) {
    return { memory, change, tokens: [], cache: { length: 0, parts: new Map() } };
  }

  // Read one target token, first BOS; return logits for the next, and the state behind it. The state
  // given stays as it was. Without the causal mask a new token changes what stands before it, so
  // that nothing can be kept.
  step(token, state, trace = null) {
    const { memory, change } = state, tokens = [...state.tokens, token];
    const cache = { length: state.cache.length, parts: new Map(state.cache.parts) };
    const logits = change.causal
      ? this.decode([token], memory, change, trace, null, cache)
      : this.decode(tokens, memory, change, trace);
    return [rowOf(logits, logits.rows - 1), { ...state, tokens, cache }];
  }

  // x + part(N(x)), or what a change leaves of it
  sublayer(x, layer, part, change, tape, compute) {
    const name = `${layer}.${part}`;
    const update = compute(this.norm(x, `${layer}.around_${part}.norm`, tape), name);
    if (change.updates.has(name)) return x;
    return change.skips.has(name) ? update : add(tape, x, update);
  }

  attention(query, key, name, allowed, change, trace, tape, cache = null) {
    const map = (x, W) => this.map(x, `${name}.${W}`, tape), heads = this.config.num_heads;
    const [K, V] = keysAndValues(query === key, name, cache, () => [map(key, "W_K"), map(key, "W_V")]);
    const off = change.headsOff.get(name) ?? new Set();
    const [read, weights] = attend(tape, map(query, "W_Q"), K, V, heads, allowed, off);
    trace?.set(name, { weights, heads, queries: query.rows, keys: K.rows });
    return map(read, "W_O");
  }

  // W_out relu(W_in x + b_in) + b_out
  feedForward(x, name, trace, tape) {
    const active = relu(tape, this.map(x, `${name}.W_in`, tape));
    trace?.set(name, active);
    return this.map(active, `${name}.W_out`, tape);
  }

  map(x, name, tape) {
    return linear(tape, x, this.parameters[`${name}.weight`], this.parameters[`${name}.bias`]);
  }

  norm(x, name, tape) {
    return layerNorm(tape, x, this.parameters[`${name}.gain`], this.parameters[`${name}.bias`]);
  }

  // The stream at a station, with the states that are patched in there.
  arrive(x, station, first, change, trace, tape) {
    const patches = change.patches.filter(({ station: where, position }) =>
      where === station && position >= first && position < first + x.rows);
    const rows = patches.map(({ position, state }) => ({ row: position - first, state }));
    const y = rows.length ? replaceRows(tape, x, rows) : x;
    trace?.set(station, y);
    return y;
  }

  // Cross-entropy of a translation: the mean over its tokens and EOS.
  loss(source, target, change = UNCHANGED, trace = null, tape = null) {
    return crossEntropy(tape, this.forward(source, target, change, trace, tape), [...target, EOS]);
  }

  zeroGrad() {
    for (const parameter of Object.values(this.parameters)) gradOf(parameter).fill(0);
  }
}

// Of self-attention the cache gains a row at each step; the source's are computed once.
function keysAndValues(ownSequence, name, cache, compute) {
  const kept = cache?.parts.get(name);
  if (kept && !ownSequence) return kept;
  const computed = compute();
  const all = kept ? kept.map((old, i) => below(old, computed[i])) : computed;
  cache?.parts.set(name, all);
  return all;
}

// PE[pos, 2i] = sin(pos w_i), PE[pos, 2i+1] = cos(pos w_i), w_i = BASE^(-2i / d_model)
function sinusoids(length, d_model) {
  const table = new Float32Array(length * d_model);
  for (let pos = 0; pos < length; pos++) {
    for (let even = 0; even < d_model; even += 2) {
      const angle = pos * BASE ** (-even / d_model);
      table[pos * d_model + even] = Math.sin(angle);
      table[pos * d_model + even + 1] = Math.cos(angle);
    }
  }
  return table;
}
