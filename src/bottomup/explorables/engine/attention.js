// Scaled dot-product attention in several heads: softmax(Q K^T / sqrt(d_head)) V in each.

import { gradOf, matrix } from "./matrices.js";

// Returns [read, weights]: what the heads have read, side by side [query, d_model], and weights
// [head, query, key]. Query i may read key j where allowed(i, j); one that may read nothing reads
// zeros. So does a head in `off`, everywhere.
export function attend(tape, Q, K, V, heads, allowed, off) {
  const read = matrix(Q.rows, V.cols), weights = new Float32Array(heads * Q.rows * K.rows);
  const sizes = { queries: Q.rows, keys: K.rows, width: Q.cols, slice: Q.cols / heads };
  for (let head = 0; head < heads; head++) {
    for (let i = 0; i < Q.rows && !off.has(head); i++) {
      weigh(Q.data, K.data, weights, head, i, sizes, allowed);
      mean(V.data, weights, read.data, head, i, sizes);
    }
  }
  tape?.push(() => {
    const dread = gradOf(read), dQ = gradOf(Q), dK = gradOf(K), dV = gradOf(V);
    for (let head = 0; head < heads; head++) {
      for (let i = 0; i < Q.rows && !off.has(head); i++)
        attendBack(Q.data, K.data, V.data, weights, dread, dQ, dK, dV, head, i, sizes);
    }
  });
  return [read, weights];
}

// weights[head, i] = softmax over the allowed j of Q[i] · K[j] / sqrt(slice), in the head's slice
function weigh(Q, K, weights, head, i, { queries, keys, width, slice }, allowed) {
  const first = head * slice, query = i * width + first, at = (head * queries + i) * keys;
  let top = -Infinity, sum = 0;
  for (let j = 0; j < keys; j++) {
    let score = -Infinity;
    if (allowed(i, j)) {
      score = 0;
      for (let c = 0; c < slice; c++) score += Q[query + c] * K[j * width + first + c];
      score /= Math.sqrt(slice);
    }
    weights[at + j] = score;
    if (score > top) top = score;
  }
  if (top === -Infinity) {
    weights.fill(0, at, at + keys);
    return;
  }
  for (let j = 0; j < keys; j++) {
    const p = Math.exp(weights[at + j] - top);
    weights[at + j] = p;
    sum += p;
  }
  for (let j = 0; j < keys; j++) weights[at + j] /= sum;
}

// read[i] = sum over j of weights[head, i, j] V[j], in the head's slice
function mean(V, weights, read, head, i, { queries, keys, width, slice }) {
  const first = head * slice, to = i * width + first, at = (head * queries + i) * keys;
  for (let j = 0; j < keys; j++) {
    const p = weights[at + j], value = j * width + first;
    for (let c = 0; c < slice; c++) read[to + c] += p * V[value + c];
  }
}

function attendBack(Q, K, V, weights, dread, dQ, dK, dV, head, i, { queries, keys, width, slice }) {
  const first = head * slice, query = i * width + first, at = (head * queries + i) * keys;
  const dweights = new Float64Array(keys);
  let expected = 0; // the softmax takes the mean off the gradients at its weights
  for (let j = 0; j < keys; j++) {
    const value = j * width + first, p = weights[at + j];
    for (let c = 0; c < slice; c++) {
      dweights[j] += dread[query + c] * V[value + c];
      dV[value + c] += p * dread[query + c];
    }
    expected += p * dweights[j];
  }
  for (let j = 0; j < keys; j++) {
    const dscore = (weights[at + j] * (dweights[j] - expected)) / Math.sqrt(slice), key = j * width + first;
    for (let c = 0; c < slice; c++) {
      dQ[query + c] += dscore * K[key + c];
      dK[key + c] += dscore * Q[query + c];
    }
  }
}
