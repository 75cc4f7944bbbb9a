// Numbers and vectors of a plane.

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

export function within(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

// The numbers from low to high as those between two ends.
export function scale([low, high], [from, to]) {
  return (value) => from + ((to - from) * (value - low)) / (high - low);
}

// The place of the least value, if that is at most `most`.
export function least(values, most = Infinity) {
  const value = Math.min(...values);
  return value <= most ? values.indexOf(value) : null;
}

export function dot([a, b], [c, d]) {
  return a * c + b * d;
}

export function direction([x, y]) {
  const length = Math.hypot(x, y);
  return length ? [x / length, y / length] : [0, 0];
}
