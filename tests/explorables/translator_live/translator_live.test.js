// The live translator's pure functions: settings, addresses, Python's line, tokens, trees.

import assert from "node:assert/strict";
import { test } from "node:test";

import { given } from "../given.js";
import { bestOf, found, grown, wayTo } from "../../../src/bottomup/explorables/translator_live/beam_picture.js";
import { chances, share } from "../../../src/bottomup/explorables/translator_live/choice_panel.js";
import { changeOf, nameOf } from "../../../src/bottomup/explorables/translator_live/names.js";
import { completions, replaced, withWord } from "../../../src/bottomup/explorables/translator_live/sentence.js";
import { MOST_STEPS } from "../../../src/bottomup/explorables/translator_live/course.js";
import { PLAIN, altersModel, encoderPart, fromAddress, imports, listed, python, toAddress, toggled, without } from "../../../src/bottomup/explorables/translator_live/settings.js";
import { Memories, best, differing, inSlices, randomFrom, rowsOf } from "../../../src/bottomup/explorables/translator_live/writing.js";

const HEADER = { config: { encoder_layers: 2, decoder_layers: 2, num_heads: 4 }, target_tokens: { length: 430 }, longest: 40 };
const HEAD = "decoder_layers.1.cross_attention:2";
const PATCH = { station: "encoder_layers.0", position: 1, from: 3, donor: "the dog | slept ." };
const MANY = { ...PLAIN, heads: [HEAD], skips: ["encoder_layers.0.attention"], updates: ["decoder_layers.0.feed_forward"],
  positions: ["source"], causal: false, hidden: [2, 0], patches: [PATCH], training: { sentence: "a | b .", target: [7, 8], rate: 0.01, steps: 20 }, method: "sample", temperature: 1.5, topK: 5, topP: 0.9, seed: 7 };

test("a change is made, listed, and taken back", () => {
  const changed = toggled(PLAIN, "heads", HEAD);
  assert.deepEqual(changed.heads, [HEAD]);
  assert.deepEqual(toggled(changed, "heads", HEAD), { ...PLAIN });
  assert.deepEqual(PLAIN.heads, []);
  const all = listed(MANY);
  assert.deepEqual(all.map(({ kind }) => kind), ["heads", "skips", "updates", "positions", "hidden", "hidden", "patches", "causal", "training", "method"]);
  const none = all.reduce(without, MANY);
  assert.deepEqual(listed(none), []);
  assert.equal(altersModel(none), false);
  assert.equal(altersModel({ ...PLAIN, method: "beam" }), false);
  assert.equal(altersModel({ ...PLAIN, causal: false }), true);
  assert.equal(altersModel({ ...PLAIN, training: MANY.training }), true);
});

test("an address gives back what it was made of", () => {
  for (const setting of [PLAIN, MANY, { ...PLAIN, method: "beam", beam: 5, lengthPenalty: 1.5 }])
    assert.deepEqual(fromAddress(toAddress("sir , it’s & so .", setting), HEADER), { sentence: "sir , it’s & so .", setting: { ...setting } });
});

test("what an address should not say is left out", () => {
  assert.equal(fromAddress("#a-heading", HEADER), null);
  assert.equal(fromAddress("", HEADER), null);
  const { setting } = fromAddress("#live=a&heads=x:1,decoder_layers.2.attention:0&skips=__proto__&positions=source,source"
    + "&patch=nowhere|1|1|a&patch=memory|x|1|a&patch=memory|1|2&sample=1e9,-3,0,abc&causal=maybe&hidden=-1,1.5,60", HEADER);
  assert.deepEqual(setting, { ...PLAIN, positions: ["source"] });
  for (const train of ["", "10", "10|0.01|7.8", "10|0.02|7|a", "0|0.01|7|a", "x|0.01|7|a", "10|0.01||a", "10|0.01|2|a", "10|0.01|430|a", "10|0.01|7.x|a"])
    assert.equal(fromAddress(`#live=a&train=${encodeURIComponent(train)}`, HEADER).setting.training, null, train);
  assert.equal(fromAddress("#live=a&train=1e9|0.01|7|a", HEADER).setting.training.steps, MOST_STEPS);
  const kept = fromAddress("#live=a&sample=1e9,-3,0,0", HEADER).setting;
  assert.deepEqual([kept.temperature, kept.topK, kept.topP, kept.seed], [5, 0, 0.05, 1]);
  assert.equal(fromAddress("#live=a&beam=1e6,1", HEADER).setting.beam, 5);
});

test("the line of Python is that of the setting", () => {
  assert.equal(python("a .", PLAIN), 'translator().translate("a .")');
  const parts = { ...MANY, method: "greedy" };
  assert.equal(python("a .", parts), given.line);
  assert.deepEqual(imports(PLAIN), ["from bottomup.results.translator import translator"]);
  assert.equal(imports(parts)[1], "from bottomup.models import Changes, Patch");
});

test("what was trained in the page is no part of Python's line", () => {
  assert.equal(python("a .", { ...PLAIN, training: MANY.training }), 'translator().translate("a .")');
});

test("a memory is computed once for each source and each change of the encoder", () => {
  const model = { encoded: 0, encode(source, change, trace) { trace.set("memory", source); return ++this.encoded; } };
  const memories = new Memories(), of = (source, setting) => memories.of(model, source, {}, encoderPart(setting)).memory;
  assert.equal(of([1, 2], PLAIN), 1);
  for (const same of [{ heads: [HEAD] }, { updates: ["decoder_layers.0.feed_forward"] }, { positions: ["target"] }, { causal: false },
    { method: "beam" }, { patches: [{ ...PATCH, station: "target" }] }])
    assert.equal(of([1, 2], { ...PLAIN, ...same }), 1, JSON.stringify(same));
  for (const [number, other] of [{ heads: ["encoder_layers.0.attention:1"] }, { skips: ["encoder_layers.0.attention"] }, { positions: ["source"] },
    { hidden: [0] }, { patches: [PATCH] }, { patches: [{ ...PATCH, station: "memory" }] }].entries())
    assert.equal(of([1, 2], { ...PLAIN, ...other }), number + 2, JSON.stringify(other));
  assert.equal(of([1, 3], PLAIN), 8);
  const another = { ...model, encoded: 20 };
  assert.equal(memories.of(another, [1, 2], {}, encoderPart(PLAIN)).memory, 21);
});

test("a generator runs in slices, and is left where it is wanted no more", async () => {
  function* counting(count) { for (let i = 0; i < count; i++) { const end = performance.now() + 5; while (performance.now() < end); yield; } return count; }
  assert.equal(await inSlices(counting(2)), 2);
  assert.equal(await inSlices(counting(9), () => false), null);
});

test("parts and changes have names, a head counts from one", () => {
  const { labels } = given;
  assert.equal(nameOf(labels, HEAD), "decoder 2, cross-attention, head 3");
  assert.equal(nameOf(labels, "encoder_layers.0"), "encoder, behind layer 1");
  assert.equal(nameOf(labels, "memory"), "memory");
  const names = listed(MANY).map((change) => changeOf(labels, change));
  assert.equal(names[0], "decoder 2, cross-attention, head 3 off");
  assert.equal(names.length, new Set(names).size);
  assert.ok(names.every((name) => !/[{}]|undefined/.test(name)), names.join("; "));
});

test("a word that is typed is completed, replaced in its place, added before the full stop", () => {
  assert.deepEqual(completions(["apples", "apple", "ape", "cat"], "ap"), ["ape", "apple", "apples"]);
  assert.deepEqual(completions(["apple"], "apple"), []);
  assert.equal(replaced("The ap ate ap", "ap", "apple"), "The ap ate apple ");
  assert.equal(replaced("ap ate .", "ap", "apple"), "apple ate .");
  assert.equal(withWord("the cat .", "ate"), "the cat ate .");
  assert.equal(withWord("the cat ", "ate"), "the cat ate");
  assert.equal(withWord("", "the"), "the");
});

test("tokens that differ are those outside a longest common subsequence", () => {
  assert.deepEqual(differing([1, 2, 3], [1, 2, 3]), []);
  assert.deepEqual(differing([1, 2, 3], [1, 9, 3]), [1]);
  assert.deepEqual(differing([1, 2, 3], [2, 3, 4, 4]), [2, 3]);
  assert.deepEqual(differing([], [5]), [0]);
  assert.deepEqual(differing([5, 6], []), []);
});

test("the best come first, and the six best keep the model's order when some are cut", () => {
  assert.deepEqual(best([0.1, 0.7, 0.2], 2), [[1, 0.7], [2, 0.2]]);
  const logits = [0, 3, 2, 1, -1, -2, -3];
  const greedy = chances(logits, PLAIN), drawn = chances(logits, { ...PLAIN, method: "sample", topK: 2, temperature: 2 });
  assert.deepEqual(greedy.map(({ token }) => token), [1, 2, 3, 0, 4, 5]);
  assert.deepEqual(drawn.map(({ cut }) => cut), [false, false, true, true, true, true]);
  const ratio = drawn[0].chance / drawn[1].chance;
  assert.ok(Math.abs(ratio - Math.exp(0.5)) < 1e-9 && Math.abs(drawn[0].chance + drawn[1].chance - 1) < 1e-9);
  assert.ok(greedy[0].chance > drawn[0].chance - 0.2);
});

test("shares say when they are not quite nothing or all", () => {
  assert.deepEqual([0.5, 0.021, 0.9961, 1].map((one) => share(one).replace("\u00a0", " ")), ["50 %", "2.1 %", "99.6 %", "100 %"]);
});

test("the same seed draws the same numbers in [0, 1), another one others", () => {
  const draw = (seed) => { const random = randomFrom(seed); return Array.from({ length: 1000 }, random); };
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  assert.ok(draw(1).every((one) => one >= 0 && one < 1));
  const mean = draw(1).reduce((a, b) => a + b) / 1000;
  assert.ok(Math.abs(mean - 0.5) < 0.05);
});

// Two heads, two keys; step by step the decoder has one query and one key more.
const own = (...rows) => new Map([["decoder_layers.0.attention", { weights: rows.flat(), heads: 2, queries: 1, keys: rows[0].length }]]);

test("rows of the decoder are those of each step, with zeros for what came later", () => {
  const writing = { encoder: new Map([["encoder_layers.0.attention", { weights: [1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5], heads: 2, queries: 2, keys: 2 }]]),
    change: { causal: true }, steps: [{ trace: own([1], [1]) }, { trace: own([0.2, 0.8], [0.6, 0.4]) }] };
  assert.deepEqual(rowsOf(writing, "decoder_layers.0.attention", 0), [[1, 0], [0.2, 0.8]]);
  assert.deepEqual(rowsOf(writing, "decoder_layers.0.attention", null)[1].map((one) => Number(one.toFixed(6))), [0.4, 0.6]);
  assert.deepEqual(rowsOf(writing, "encoder_layers.0.attention", 1), [[0.5, 0.5], [0.5, 0.5]]);
  const all = new Map([["decoder_layers.0.attention", { weights: [0.3, 0.7, 0.2, 0.8], heads: 1, queries: 2, keys: 2 }]]);
  assert.deepEqual(rowsOf({ ...writing, change: { causal: false }, steps: [{ trace: new Map() }, { trace: all }] },
    "decoder_layers.0.attention", 0), [[0.3, 0.7], [0.2, 0.8]]);
});

test("a beam's tree: parents count among those that went on, ends are ranked by score", () => {
  const one = (parent, token, logProbability, state, score = logProbability) =>
    ({ parent, token, logProbability, score, continued: state === "on", ended: state === "end" });
  const columns = grown([
    [one(0, 5, -1, "on"), one(0, 2, -1.5, "end", -1.5), one(0, 6, -2, "on"), one(0, 7, -3, "")],
    [one(1, 8, -2.1, "on"), one(0, 2, -2.2, "end", -1.2)],
  ]);
  assert.deepEqual(columns.map((column) => column.length), [1, 3, 2]);
  assert.equal(columns[2][0].parent.token, 6);
  assert.deepEqual(wayTo(bestOf(columns)).map(({ token }) => token), [null, 5, 2]);
  assert.deepEqual(found(columns).map(({ score }) => score), [-1.2, -1.5]);
  assert.equal(bestOf(columns.slice(0, 1)).n, 0);
});
