// The induction circuit with weights set by hand, as `InductionByHand` computes it: two heads on slots
// of one-hot vectors, so that a dot product is a question whether two symbols are the same.

import { sum } from "../shared/numbers.js";

// Tokens are numbers of symbols; the begin token has the next number, and stands first where `begin`
// is true. `cuts` says which of layer 1's queries, keys and values read the stream without what layer
// 0 has added. Weights are [query][key], answers [place][symbol].
export function circuit(text, { symbols, beta, begin, cuts }) {
  const tokens = begin ? [symbols, ...text] : text;
  const token = tokens.map((one) => oneHot(one, symbols + 1));
  // Layer 0: a position looks for the one before it, the first finds itself.
  const first = causal(tokens, (query, key) => beta * Number(key === Math.max(query - 1, 0)));
  const before = { token, previous: tokens.map(() => Array(symbols + 1).fill(0)) };
  const after = { token, previous: mixed(first, token) };
  const read = (part) => (cuts[part] ? before : after);
  // Layer 1: `token` asks, `previous` answers; the begin token answers every question by half.
  const asking = read("queries").token, answering = read("keys"), copied = read("values").token;
  const second = causal(tokens, (query, key) => beta * (product(asking[query], answering.previous[key])
    + (begin ? answering.token[key][symbols] / 2 : 0)));
  const answers = mixed(second, copied).map((shares) => shares.slice(0, symbols)); // begin is not copied
  return { tokens, first, second, answers };
}

// The softmax of the scores of each query with the keys up to it; later ones get nothing.
function causal(tokens, score) {
  return tokens.map((_, query) => {
    const weights = softmax(tokens.slice(0, query + 1).map((_, key) => score(query, key)));
    return tokens.map((_, key) => weights[key] ?? 0);
  });
}

export function softmax(scores) {
  const most = Math.max(...scores), powers = scores.map((score) => Math.exp(score - most));
  return powers.map((value) => value / sum(powers));
}

function mixed(weights, vectors) {
  return weights.map((row) => vectors[0].map((_, slot) => product(row, vectors.map((vector) => vector[slot]))));
}

function product(one, other) {
  return sum(one.map((value, index) => value * other[index]));
}

function oneHot(place, length) {
  return Array.from({ length }, (_, index) => Number(index === place));
}

// How often each symbol followed the one at a place so far, as a share; zeros where none did.
export function counted(tokens, place, symbols) {
  const counts = Array(symbols).fill(0);
  for (let at = 1; at <= place; at += 1) if (tokens[at - 1] === tokens[place]) counts[tokens[at]] += 1;
  const total = sum(counts);
  return counts.map((count) => (total ? count / total : 0));
}

// At which places the prediction is the count, but for a hundredth.
export function agreeing(tokens, answers, symbols) {
  return tokens.map((_, place) => counted(tokens, place, symbols)
    .every((share, symbol) => Math.abs(share - answers[place][symbol]) < 0.01));
}
