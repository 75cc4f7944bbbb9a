// How far numbers in nested lists are apart; NaN and another shape are infinitely far.
export function largestDifference(found, expected) {
  if (!Array.isArray(expected)) {
    const difference = Math.abs(found - expected);
    return Number.isNaN(difference) ? Infinity : difference;
  }
  if (found.length !== expected.length) return Infinity;
  return expected.reduce((largest, value, i) => Math.max(largest, largestDifference(found[i], value)), 0);
}
