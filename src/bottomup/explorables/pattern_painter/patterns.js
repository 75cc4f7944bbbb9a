// Which keys each query reads, and what is counted from that.

// Whether query i reads key j. As printed in the paper, a window is one position longer and the other
// sets lack j <= i.
const WINDOW = ({ l, printed }) => (i, j) => j <= i && i - j < l + Number(printed);
const SETS = {
  dense: () => [(i, j) => j <= i],
  window: (at) => [WINDOW(at)],
  strided: (at) => [WINDOW(at), (i, j) => (at.printed || j <= i) && (i - j) % at.l === 0],
  fixed: ({ l, c, printed }) => [
    (i, j) => (printed || j <= i) && Math.floor(j / l) === Math.floor(i / l),
    (i, j) => (printed || j <= i) && j % l >= l - c],
};

// Everything that is shown, counted from the sets. An l above n and a c above l are cut.
export function worked(wish) {
  const { n } = wish, l = Math.min(wish.stride, n), c = Math.min(wish.summary, l);
  const at = { ...wish, l, c, query: Math.min(wish.query, n - 1) };
  const sets = SETS[at.pattern](at).map((reads) => square(n, reads));
  const layers = [sets[0], sets.at(-1)].map((set) => square(n, (i, j) => set[i][j] || (at.residual && i === j)));
  const reach = product(...(at.flipped ? layers.reverse() : layers));
  const kinds = square(n, (i, j) => kindOf(i, j, sets)), counts = { "": 0, first: 0, both: 0, second: 0, future: 0 };
  for (const kind of kinds.flat()) counts[kind] += 1;
  const past = total(square(n, (i, j) => j <= i && reach[i][j]).flat());
  return { ...at, kinds, reach, counts, past, dense: (n * (n + 1)) / 2, leaks: counts.future,
    ahead: total(reach.flat()) - past, needed: counts.first + counts.both + counts.second };
}

function kindOf(i, j, [first, second]) {
  const one = first[i][j], two = second?.[i][j];
  if (one || two) return j > i ? "future" : one && two ? "both" : one ? "first" : "second";
  return "";
}

// Scores of the union with another l; infinitely many where a block cannot have c summaries.
export function cost({ n, pattern, l, c, printed }) {
  if (pattern === "fixed" && c > l) return Infinity;
  const [first, second = first] = SETS[pattern]({ l, c, printed });
  let needed = 0;
  for (let i = 0; i < n; i += 1) for (let j = 0; j <= i; j += 1) needed += first(i, j) || second(i, j);
  return needed;
}

// After both layers, i holds something of j if the second reads an m whose row in the first holds j.
export function product(first, second) {
  return square(first.length, (i, j) => second[i].some((reads, m) => reads && first[m][j]));
}

export function square(n, value) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => value(i, j)));
}

export function total(values) {
  return values.filter(Boolean).length;
}

// The places where something holds, as "0–2, 5".
export function spans(values) {
  const runs = [];
  values.forEach((value, place) => {
    if (value && values[place - 1]) runs.at(-1)[1] = place;
    else if (value) runs.push([place]);
  });
  return runs.map((run) => run.join("–")).join(", ");
}
