// Known words near an unknown one, as Python's difflib.get_close_matches finds them.

// The `most` words with the largest ratio, if it reaches the cutoff; the best first.
export function closeMatches(word, known, most = 3, cutoff = 0.6) {
  return known
    .map((each) => ({ each, similar: ratio(each, word) }))
    .filter(({ similar }) => similar >= cutoff)
    .sort((a, b) => b.similar - a.similar || (a.each < b.each ? 1 : -1))
    .slice(0, most)
    .map(({ each }) => each);
}

// 2 M / (letters of both), where M letters match: those of the longest common block, and of the
// longest ones to its left and to its right, and so on.
export function ratio(a, b) {
  return a.length + b.length ? (2 * matching(a, b)) / (a.length + b.length) : 1;
}

function matching(a, b) {
  const { size, i, j } = longestBlock(a, b);
  if (!size) return 0;
  const left = matching(a.slice(0, i), b.slice(0, j));
  return left + size + matching(a.slice(i + size), b.slice(j + size));
}

// The first of the longest blocks: a[i, i + size) is b[j, j + size).
function longestBlock(a, b) {
  let best = { size: 0, i: 0, j: 0 }, before = [];
  for (let i = 0; i < a.length; i++) {
    const lengths = [];
    for (let j = 0; j < b.length; j++) {
      lengths[j] = a[i] === b[j] ? (before[j - 1] ?? 0) + 1 : 0;
      if (lengths[j] > best.size) best = { size: lengths[j], i: i + 1 - lengths[j], j: j + 1 - lengths[j] };
    }
    before = lengths;
  }
  return best;
}
