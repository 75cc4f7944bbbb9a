import assert from "node:assert/strict";
import { test } from "node:test";

import { sentences } from "../../../src/bottomup/explorables/pattern_painter/pattern_painter.js";
import { cost, spans, total, worked } from "../../../src/bottomup/explorables/pattern_painter/patterns.js";
import { given } from "../given.js";

const LABELS = { one: "{count} of {all}: {keys}", one_future: "future: {keys}", nothing: "",
  two: "{count}: {keys} / {missed}", two_all: "all {all}" };

const AS_MEANT = { printed: false, flipped: false, residual: false };

// 0, 1, 2, 5 for "0–2, 5".
function unfolded(text) {
  return text.split(", ").filter(Boolean).flatMap((run) => {
    const [first, last = first] = run.split("–").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function where(row) {
  return [...row.keys()].filter((place) => row[place]);
}

function numbers(matrix) {
  return matrix.map((row) => row.map(Number));
}

// The kind of a cell that the two sets give; where there is one set, that is the first.
function kindOf(sets, query, key) {
  const [first, second] = sets.map((set) => set[query][key]);
  if (!first && !second) return "";
  if (key > query) return "future";
  return first && second ? "both" : first ? "first" : "second";
}

for (const { wish, sets, printed, needed, costs, reach } of given) {
  const name = `${wish.pattern}, n = ${wish.n}, l = ${wish.stride}, c = ${wish.summary}`;
  const alone = wish.pattern === "dense" || wish.pattern === "window";
  const shown = (change) => worked({ ...AS_MEANT, ...wish, query: wish.n - 1, ...change });
  const kinds = ([first, second]) =>
    first.map((row, query) => row.map((_, key) => kindOf(alone ? [first] : [first, second], query, key)));

  test(`${name}: cells and scores are those of the package's masks`, () => {
    const at = shown({});
    assert.deepEqual(at.kinds, kinds(sets));
    assert.equal(at.needed, needed);
    assert.equal(at.leaks, 0);
    assert.equal(at.counts.first + at.counts.both, total(sets[0].flat()));
  });

  test(`${name}: scores for every other l`, () => {
    for (const [l, expected] of Object.entries(costs))
      assert.equal(cost({ ...shown({}), l: Number(l) }), expected);
    if (wish.pattern === "fixed" && wish.summary > 1) assert.equal(cost({ ...shown({}), l: 1 }), Infinity);
  });

  test(`${name}: reach through two layers, in both orders, with and without residual`, () => {
    for (const { flipped, residual, reached } of reach) {
      const at = shown({ flipped, residual });
      assert.deepEqual(numbers(at.reach), reached);
      assert.equal(at.past, total(reached.flat()));
    }
  });

  test(`${name}: as printed in the paper the sets leak`, () => {
    const at = shown({ printed: true });
    assert.deepEqual(at.kinds, kinds(printed.sets));
    assert.deepEqual(numbers(at.reach), printed.reached);
    const ahead = printed.reached.map((row, query) => row.slice(query + 1));
    assert.equal(at.ahead, total(ahead.flat()));
    assert.equal(at.leaks, kinds(printed.sets).flat().filter((kind) => kind === "future").length);
  });

  test(`${name}: sentences list what each query reads, reaches and misses`, () => {
    const { reached } = reach[0];
    for (let query = 0; query < wish.n; query += 1) {
      const all = query + 1, keys = where(sets[0][query].map((one, key) => one || (!alone && sets[1][query][key])));
      const [one, two] = sentences(LABELS, shown({ query }));
      const [count, listed] = one.split(": ");
      assert.equal(count, `${keys.length} of ${all}`);
      assert.deepEqual(unfolded(listed), keys);
      const hops = where(reached[query]);
      if (hops.length === all) assert.equal(two, `all ${all}`);
      else {
        const [reads, misses] = two.split(": ")[1].split(" / ");
        assert.deepEqual(unfolded(reads), hops);
        assert.deepEqual(unfolded(misses), where(reached[query].slice(0, all).map((hop) => !hop)));
      }
    }
  });
}

test("what a smaller n does not hold is cut", () => {
  const at = worked({ ...AS_MEANT, pattern: "fixed", n: 16, stride: 40, summary: 20, query: 63 });
  assert.deepEqual([at.l, at.c, at.query], [16, 16, 15]);
});

test("places stand as runs", () => {
  assert.equal(spans([1, 1, 1, 0, 0, "first"]), "0–2, 5");
  assert.equal(spans([0, 0]), "");
});
