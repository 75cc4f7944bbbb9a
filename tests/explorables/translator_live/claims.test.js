// What chapters 01, 03, 05, 06 and 08 say beside their live figures, on several sentences.

import assert from "node:assert/strict";
import { test } from "node:test";

import { given } from "../given.js";
import { UNCHANGED, changes, namesOf } from "../../../src/bottomup/explorables/engine/changes.js";
import { beamSearch, greedy, probabilities } from "../../../src/bottomup/explorables/engine/decoding.js";
import { translatorOf } from "../../../src/bottomup/explorables/engine/payload.js";
import { BOS } from "../../../src/bottomup/explorables/engine/transformer.js";
import { stateOf } from "../../../src/bottomup/explorables/translator_live/state_panel.js";
import { best, begun, finished, rowsOf } from "../../../src/bottomup/explorables/translator_live/writing.js";

const FEW = 8;
const { longest } = given.full, full = translatorOf(given.full), half = translatorOf(given.half);
const { stations } = namesOf(full.model.config);
const sources = given.sentences.map((sentence) => full.encode(full.read(sentence)));
const write = (source, options = {}) => greedy(full.model, source, { longest, change: changes(options) });
const heads = (attention) => [0, 1, 2, 3].map((head) => `${attention}:${head}`);
const staying = (options) => sources.filter((source) => String(write(source, options)) === String(write(source))).length;

test("03.5b: which four heads go decides, not how many", () => {
  assert.ok(staying({ heads: heads("encoder_layers.1.attention") }) >= 0.9 * sources.length);
  assert.equal(staying({ heads: heads("decoder_layers.1.cross_attention") }), 0);
});

test("03: for its examples one head of the last crossing costs nothing, and the encoder's four cost nothing", () => {
  for (const sentence of given.examples) {
    const source = full.encode(full.read(sentence)), before = String(write(source));
    for (const head of heads("decoder_layers.1.cross_attention")) assert.equal(String(write(source, { heads: [head] })), before);
    assert.equal(String(write(source, { heads: heads("encoder_layers.1.attention") })), before);
    const without = write(source, { heads: heads("decoder_layers.1.cross_attention") }), kept = new Set(write(source));
    const stems = full.decode(without).filter((token) => !token.startsWith("-") && token !== ".");
    assert.ok(stems.every((token) => !full.decode([...kept]).includes(token)), stems.join(" "));
  }
});

test("05.2b: a state put into the decoder changes no token before its place", () => {
  let changed = 0;
  for (const source of sources.slice(0, FEW)) {
    const before = write(source);
    for (const station of stations.filter((one) => /^(target|decoder)/.test(one)))
      for (const position of [1, 3, before.length - 1]) {
        const state = stateOf(full, { station, from: 1, donor: given.donor });
        const after = write(source, { patches: [{ station, position, state }] });
        assert.deepEqual(after.slice(0, position), before.slice(0, position));
        changed += String(after) !== String(before);
      }
  }
  assert.ok(changed > FEW);
});

test("06.2b: a beam of five finds nothing less probable than the greedy one, and for some sentences more", () => {
  const change = changes({ updates: ["decoder_layers.1.feed_forward"] });
  const found = (source, beam) => beamSearch(full.model, source, { beam, longest, lengthPenalty: 0, change }).sequences[0].logProbability;
  const gains = sources.map((source) => found(source, 5) - found(source, 1));
  assert.ok(gains.every((gain) => gain > -1e-4), gains.join(" "));
  assert.ok(gains.filter((gain) => gain > 0.1).length >= 3, gains.join(" "));
  const potato = full.encode(full.read("I bought a potato"));
  assert.ok(found(potato, 5) > found(potato, 1) + 1);
});

test("claimed nowhere: without the target's positions more sentences stay than without the source's", () => {
  const [source, target] = ["source", "target"].map((side) => staying({ positions: [side] }));
  assert.ok(target >= 0.85 * sources.length && source <= 0.75 * sources.length, `${source} ${target}`);
});

test("01: before the verb, the row of -OBJ reads ate", async () => {
  const words = full.read("the chef ate bread"), writing = await finished(begun(full.model, full.encode(words), UNCHANGED), { longest });
  const rows = rowsOf(writing, "decoder_layers.1.cross_attention", null);
  const glosses = full.translation(words, writing.tokens).glosses, row = rows[glosses.indexOf("-OBJ") + 1]; // behind <bos>
  assert.equal(words[row.indexOf(Math.max(...row))], "ate");
  assert.equal(glosses[glosses.indexOf("-OBJ") + 1], "eat");
});

test("06: at temperature 2 the others hold several times the best, k = 10 leaves four of them, p = 0.8 most of theirs", () => {
  const { model } = half, source = half.encode(half.read("the aunt rested")), [logits] = model.step(BOS, model.start(source));
  const shares = (options) => {
    const p = probabilities(logits, { temperature: 2, ...options }), six = best(probabilities(logits, {}), 6).map(([token]) => token);
    return { first: p[six[0]], others: 1 - six.reduce((sum, token) => sum + p[token], 0), left: p.filter((one) => one > 0).length };
  };
  const all = shares({}), k = shares({ topK: 10 }), nucleus = shares({ topP: 0.8 });
  assert.ok(all.others > 4 * all.first);
  assert.equal(k.left, 10);
  assert.ok(0.8 * nucleus.others > all.others / 2 && nucleus.left < all.left);
  for (const temperature of [0.2, 3]) assert.equal(shares({ temperature }).left, all.left);
});

test("06: with a beam of one the tree begins with we, with two it ends with aunt", () => {
  const source = half.encode(half.read("the aunt rested")), first = (beam) =>
    half.gloss(half.decode(beamSearch(half.model, source, { beam, longest, lengthPenalty: 0 }).sequences[0].tokens)[0]);
  assert.deepEqual([1, 2].map(first), ["we", "aunt"]);
});

test("08: the noun follows at every station of the encoder, the verb at the embedding alone", () => {
  const glosses = (station) => full.translate("the cat ate two apples", changes({ patches: [
    { station, position: 4, state: stateOf(full, { station, from: 3, donor: "the child played baseball ." }) }] })).glosses;
  for (const station of stations.slice(0, 4)) {
    const found = glosses(station);
    assert.ok(found.includes("baseball") && !found.includes("apple"), station);
    assert.equal(found.includes("play"), station === "source", station);
    assert.equal(found.includes("eat"), station !== "source", station);
  }
});
