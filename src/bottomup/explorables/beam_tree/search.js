// A beam search as a tree, and how its ends are ranked for another alpha. Scores are worked out here
// from log P; everything else was worked out by the search.

const MILLION = 1e6; // log P comes in whole millionths
const STATES = ["dropped", "kept", "ended", "left", "cut", "dropped"];
const DROPPED_END = 5;

// Nodes by step, each with its parent and its children, the best first.
export function grown({ width, steps }, words, begin) {
  const columns = [[{ n: 0, rank: 0, word: begin, total: 0, state: "kept", children: [] }]];
  for (const step of steps) {
    const before = columns.at(-1);
    columns.push(step.map(([parent, rank, word, total, state]) => {
      const one = { n: columns.length, rank, word: words[word], total: total / MILLION,
        state: STATES[state], ends: state === DROPPED_END, parent: before[parent], children: [] };
      one.parent.children.push(one);
      return one;
    }));
  }
  const nodes = columns.flat();
  return { width, columns, nodes, ends: nodes.filter(({ state }) => state === "ended" || state === "cut") };
}

export function penaltyOf(n, alpha) {
  return ((5 + n) / 6) ** alpha;
}

export function scoreOf({ total, n }, alpha) {
  return total / penaltyOf(n, alpha);
}

// What ended comes before what was cut off; among equals, what was found first.
export function ranked({ ends }, alpha) {
  const last = ({ state }) => state === "cut";
  return [...ends].sort((a, b) => last(a) - last(b) || scoreOf(b, alpha) - scoreOf(a, alpha));
}

export function wayTo(one) {
  return one ? [...wayTo(one.parent), one] : [];
}

// What became of a prefix.
export function becomes({ state, ends, children }) {
  if (state === "kept" && children.every((child) => child.state === "dropped")) return "dead";
  return state === "dropped" && ends ? "dropped_end" : state;
}

// Whether a search with this alpha would go on. A prefix never gains probability, so the best that
// was left reaches at most log P / lp of the largest length.
export function outlook(tree, alpha, longest) {
  const left = tree.nodes.filter(({ state }) => state === "left").map(({ total }) => total);
  const total = Math.max(...left), bound = total / penaltyOf(longest, alpha);
  return { total, bound, goesOn: bound > scoreOf(ranked(tree, alpha)[0], alpha) };
}
