// The operations of a Transformer, forward and backward; attention has a file of its own.
//
// Each takes a tape first: null computes, a list also keeps how gradients run back through the
// operation. The tape read from its end is backpropagation. On a tape that is `fixed` the maps get no
// gradients, only what passes through them.

import { gradOf, matrix, rowOf } from "./matrices.js";

export const EPSILON = 1e-5;

export function backward(tape) {
  for (let i = tape.length - 1; i >= 0; i--) tape[i]();
}

// scale E[token]
export function embed(tape, E, tokens, scale) {
  const d = E.cols, y = matrix(tokens.length, d);
  tokens.forEach((token, i) => {
    for (let c = 0; c < d; c++) y.data[i * d + c] = scale * E.data[token * d + c];
  });
  tape?.push(() => {
    const dy = gradOf(y), dE = gradOf(E);
    tokens.forEach((token, i) => {
      for (let c = 0; c < d; c++) dE[token * d + c] += scale * dy[i * d + c];
    });
  });
  return y;
}

// a + b
export function add(tape, a, b) {
  const y = matrix(a.rows, a.cols);
  for (let i = 0; i < y.data.length; i++) y.data[i] = a.data[i] + b.data[i];
  tape?.push(() => {
    const dy = gradOf(y), da = gradOf(a), db = gradOf(b);
    for (let i = 0; i < dy.length; i++) {
      da[i] += dy[i];
      db[i] += dy[i];
    }
  });
  return y;
}

// x W^T + b, with W [out, in] as in nn.Linear; the unembedding has no b.
export function linear(tape, x, W, b = null) {
  const y = matrix(x.rows, W.rows), bias = b ? b.data : new Float32Array(W.rows);
  multiply(x.data, W.data, bias, y.data, x.rows, x.cols, W.rows);
  tape?.push(() => {
    const sizes = [x.rows, x.cols, W.rows];
    multiplyBack(W.data, gradOf(y), gradOf(x), ...sizes);
    if (!tape.fixed) outerBack(x.data, gradOf(y), gradOf(W), b && gradOf(b), ...sizes);
  });
  return y;
}

// The loops stand in functions of their own, since a variable that a closure holds is read slowly;
// and four rows of W at a time take a third of the time that one takes.
function multiply(x, W, b, y, rows, width, out) {
  const fours = out - (out % 4);
  for (let i = 0; i < rows; i++) {
    const at = i * width, to = i * out;
    for (let o = 0; o < fours; o += 4) {
      const w0 = o * width, w1 = w0 + width, w2 = w1 + width, w3 = w2 + width;
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (let c = 0; c < width; c++) {
        const z = x[at + c];
        s0 += z * W[w0 + c];
        s1 += z * W[w1 + c];
        s2 += z * W[w2 + c];
        s3 += z * W[w3 + c];
      }
      y[to + o] = s0 + b[o];
      y[to + o + 1] = s1 + b[o + 1];
      y[to + o + 2] = s2 + b[o + 2];
      y[to + o + 3] = s3 + b[o + 3];
    }
    for (let o = fours; o < out; o++) {
      let s = 0;
      for (let c = 0; c < width; c++) s += x[at + c] * W[o * width + c];
      y[to + o] = s + b[o];
    }
  }
}

// dx = dy W
function multiplyBack(W, dy, dx, rows, width, out) {
  for (let i = 0; i < rows; i++) {
    for (let o = 0; o < out; o++) {
      const g = dy[i * out + o], at = i * width, w = o * width;
      if (!g) continue;
      for (let c = 0; c < width; c++) dx[at + c] += g * W[w + c];
    }
  }
}

// dW = dy^T x, db = the sum of dy
function outerBack(x, dy, dW, db, rows, width, out) {
  for (let i = 0; i < rows; i++) {
    for (let o = 0; o < out; o++) {
      const g = dy[i * out + o], at = i * width, w = o * width;
      if (!g) continue;
      if (db) db[o] += g;
      for (let c = 0; c < width; c++) dW[w + c] += g * x[at + c];
    }
  }
}

// gain (x - mean) / sqrt(variance + epsilon) + bias, for each position alone
export function layerNorm(tape, x, gain, bias) {
  const { rows, cols: d } = x, y = matrix(rows, d);
  const normal = new Float64Array(rows * d), inverse = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const row = rowOf(x, i);
    let mean = 0, variance = 0;
    for (let c = 0; c < d; c++) mean += row[c] / d;
    for (let c = 0; c < d; c++) variance += (row[c] - mean) ** 2 / d;
    inverse[i] = 1 / Math.sqrt(variance + EPSILON);
    for (let c = 0; c < d; c++) {
      const z = (row[c] - mean) * inverse[i];
      normal[i * d + c] = z;
      y.data[i * d + c] = gain.data[c] * z + bias.data[c];
    }
  }
  tape?.push(() => {
    const dy = gradOf(y), dx = gradOf(x), dgain = gradOf(gain), dbias = gradOf(bias);
    for (let i = 0; i < rows; i++) {
      let sum = 0, dot = 0; // of the gradient at the normal vector, alone and with it
      for (let c = 0; c < d; c++) {
        const at = i * d + c, g = dy[at] * gain.data[c];
        dgain[c] += dy[at] * normal[at];
        dbias[c] += dy[at];
        sum += g;
        dot += g * normal[at];
      }
      for (let c = 0; c < d; c++) {
        const at = i * d + c;
        dx[at] += inverse[i] * (dy[at] * gain.data[c] - (sum + normal[at] * dot) / d);
      }
    }
  });
  return y;
}

export function relu(tape, x) {
  const y = matrix(x.rows, x.cols);
  for (let i = 0; i < y.data.length; i++) y.data[i] = Math.max(0, x.data[i]);
  tape?.push(() => {
    const dy = gradOf(y), dx = gradOf(x);
    for (let i = 0; i < dy.length; i++) if (y.data[i] > 0) dx[i] += dy[i];
  });
  return y;
}

// x with other rows, { row: numbers }, which come from elsewhere: no gradient passes through them.
export function replaceRows(tape, x, replacements) {
  const y = matrix(x.rows, x.cols, x.data.slice());
  for (const { row, state } of replacements) rowOf(y, row).set(state);
  tape?.push(() => {
    const dy = gradOf(y), dx = gradOf(x), replaced = new Set(replacements.map(({ row }) => row));
    for (let i = 0; i < dy.length; i++) if (!replaced.has(Math.floor(i / x.cols))) dx[i] += dy[i];
  });
  return y;
}

// The mean of -log p(target) over the rows; one without a target, null, does not count.
export function crossEntropy(tape, logits, targets) {
  const wanted = [...targets.keys()].filter((i) => targets[i] !== null);
  const rows = wanted.map((i) => logSoftmax(rowOf(logits, i)));
  tape?.push(() => {
    const d = gradOf(logits);
    wanted.forEach((i, place) => rows[place].forEach((log, v) => {
      d[i * logits.cols + v] += (Math.exp(log) - (v === targets[i])) / wanted.length;
    }));
  });
  return wanted.reduce((loss, i, place) => loss - rows[place][targets[i]] / wanted.length, 0);
}

// log p, from a row of logits
export function logSoftmax(logits) {
  const top = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  let sum = 0;
  for (const z of logits) sum += Math.exp(z - top);
  const log = top + Math.log(sum);
  return Float64Array.from(logits, (z) => z - log);
}

// The place of the largest, of equals the first.
export function argmax(row) {
  return row.reduce((best, z, i) => (z > row[best] ? i : best), 0);
}
