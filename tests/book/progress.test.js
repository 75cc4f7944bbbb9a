// The progress that a page keeps is the notebook's: the same notes make the same file, and so does adding one.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { given } from "../explorables/given.js";

const kept = new Map();
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => kept.set(key, value),
};
await import(given.script);
const { KEY, add, noteCheck, noteTest, read, solved, text } = globalThis.bottomupProgress;

beforeEach(() => {
  kept.clear();
  for (const check of given.checks) noteCheck(...check);
  for (const one of given.tests) noteTest(...one);
});

test("checks and tests are noted as the notebook notes them", () => {
  assert.deepEqual(JSON.parse(kept.get(KEY)), given.alone);
});

test("a file is added as the notebook adds it, once or twice", () => {
  for (let time = 0; time < 2; time += 1) {
    add(given.there);
    assert.deepEqual(JSON.parse(text(read())), given.both);
  }
});

test("a bed of the clinic is no exercise", () => {
  assert.deepEqual(solved(add(given.there)), ["aer"]);
});

test("without tests a file has none", () => {
  kept.clear();
  noteCheck("aer", true);
  assert.deepEqual(JSON.parse(kept.get(KEY)), { schema: 1, exercises: { aer: { checks: 1, passed: true } } });
});

for (const bad of ["", "{", "[]", "null", '{"schema": 2}', '{"schema": 1}', '{"schema": 1, "exercises": {"aer": 3}}'])
  test(`what holds no progress is refused and changes nothing: ${bad}`, () => {
    assert.throws(() => add(bad));
    assert.deepEqual(JSON.parse(kept.get(KEY)), given.alone);
  });

for (const stood of ["not JSON", "[]", '{"schema": 9}'])
  test(`what stands in the storage by accident is no progress: ${stood}`, () => {
    kept.set(KEY, stood);
    assert.deepEqual(solved(read()), []);
    noteCheck("aer", true);
    assert.deepEqual(solved(read()), ["aer"]);
  });

test("an entry of another form does not spoil the others", () => {
  const entries = { aer: { checks: 1, passed: true }, temperature: { passed: "yes" } };
  kept.set(KEY, JSON.stringify({ schema: 1, exercises: entries }));
  assert.deepEqual(Object.keys(read().exercises), ["aer"]);
});
