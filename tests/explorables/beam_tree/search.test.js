import assert from "node:assert/strict";
import { test } from "node:test";

import { becomes, grown, outlook, penaltyOf, ranked, scoreOf, wayTo } from "../../../src/bottomup/explorables/beam_tree/search.js";
import { close, given } from "../given.js";

const ROUNDING = 1e-5; // log P comes in whole millionths

for (const { tree, words, alpha, decoded } of given.ranks)
  test(`beam ${tree.width}, alpha ${alpha}: the ends stand as a search with this alpha ranks them`, () => {
    const ends = ranked(grown(tree, words, "begin"), alpha);
    decoded.forEach(({ sequence, total, penalty, score }, place) => {
      const end = ends[place];
      assert.deepEqual(wayTo(end.parent).slice(1).map(({ word }) => word), sequence);
      assert.ok(close([end.total, penaltyOf(end.n, alpha), scoreOf(end, alpha)], [total, penalty, score], ROUNDING));
    });
  });

for (const { tree, searched, longest, alphas } of given.stops)
  test(`searched with alpha ${searched}: the figure knows whether a search would have gone on`, () => {
    for (const { alpha, longer } of alphas)
      assert.equal(outlook(grown(tree, given.numbers, "begin"), alpha, longest).goesOn, longer);
  });

// Step 1 keeps "a" and drops "b"; in step 2 "a" loses its one continuation, and the end is no longer
// among the best.
const TREE = { width: 1, steps: [
  [[0, 0, 0, -1000000, 1], [0, 1, 1, -2000000, 0]],
  [[0, 0, 1, -3000000, 0], [0, 1, 2, -3500000, 5]],
] };

test("nodes know their step, their parent and their children", () => {
  const { columns, nodes, ends } = grown(TREE, ["a", "b", "end"], "begin");
  assert.deepEqual(columns.map((column) => column.map(({ word }) => word)), [["begin"], ["a", "b"], ["b", "end"]]);
  assert.deepEqual(wayTo(columns[2][0]).map(({ word }) => word), ["begin", "a", "b"]);
  assert.deepEqual(columns[1][0].children, columns[2]);
  assert.deepEqual(nodes.map(({ n, total }) => [n, total]), [[0, 0], [1, -1], [1, -2], [2, -3], [2, -3.5]]);
  assert.deepEqual(ends, []);
});

test("what became of a prefix: a kept one without kept continuations is dead", () => {
  const { nodes } = grown(TREE, ["a", "b", "end"], "begin");
  assert.deepEqual(nodes.map(becomes), ["kept", "dead", "dropped", "dropped", "dropped_end"]);
});

test("what ended comes before what was cut off", () => {
  const { columns } = grown({ width: 2, steps: [[[0, 0, 0, -1000000, 4], [0, 1, 1, -5000000, 2]]] }, ["a", "end"], "");
  const tree = { ends: columns[1] };
  assert.deepEqual(ranked(tree, 1).map(({ state }) => state), ["ended", "cut"]);
});
