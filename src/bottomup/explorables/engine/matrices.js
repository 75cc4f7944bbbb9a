// Matrices: what one sentence is in the model, a row for each position.

// { rows, cols, data, grad }: row-major in 32 bits, as in PyTorch. Sums run in JavaScript's 64.
export function matrix(rows, cols, data = new Float32Array(rows * cols)) {
  return { rows, cols, data, grad: null };
}

// A view: who writes into it writes into the matrix.
export function rowOf({ data, cols }, row) {
  return data.subarray(row * cols, (row + 1) * cols);
}

// What the loss gains where an entry of x grows; zeros until something has run back to x.
export function gradOf(x) {
  x.grad ??= new Float32Array(x.data.length);
  return x.grad;
}

// The rows of one matrix with those of another under them.
export function below(upper, lower) {
  const whole = matrix(upper.rows + lower.rows, upper.cols);
  whole.data.set(upper.data);
  whole.data.set(lower.data, upper.data.length);
  return whole;
}
