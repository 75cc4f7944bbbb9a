import assert from "node:assert/strict";
import { test } from "node:test";

import { agreeing, circuit, counted, softmax } from "../../../src/bottomup/explorables/induction_builder/circuit.js";
import { close, given } from "../given.js";

const { cases } = given;
const plain = ({ setting: { cuts } }) => !Object.values(cuts).includes(true);

test("weights and answers are those of the package, cut paths too", () => {
  for (const { text, setting, ...expected } of cases) {
    const found = circuit(text, setting);
    for (const part of ["first", "second", "answers"]) assert.ok(close(found[part], expected[part], 1e-6), part);
  }
});

test("what is counted is what the package counts", () => {
  for (const { text, setting, counted: expected } of cases) {
    const { tokens } = circuit(text, setting);
    assert.ok(close(tokens.map((_, place) => counted(tokens, place, setting.symbols)), expected));
  }
});

test("with a begin token and sharp scores every place predicts the count", () => {
  for (const one of cases.filter((one) => plain(one) && one.setting.begin && one.setting.beta === 40)) {
    const { tokens, answers } = circuit(one.text, one.setting);
    assert.ok(agreeing(tokens, answers, one.setting.symbols).every(Boolean));
  }
});

test("without one some places do not, and without the keys those that have a copy do not", () => {
  const share = (keep) => cases.filter(keep).map(({ text, setting }) => {
    const { tokens, answers } = circuit(text, setting);
    return agreeing(tokens, answers, setting.symbols).filter(Boolean).length / tokens.length;
  });
  const sharp = ({ setting }) => setting.beta === 40;
  assert.ok(share((one) => plain(one) && sharp(one) && !one.setting.begin).every((part) => part < 1));
  assert.ok(share((one) => sharp(one) && one.setting.begin && one.setting.cuts.keys).every((part) => part < 1));
});

test("only the keys read what layer 0 has written", () => {
  for (const { text, setting } of cases.filter(plain)) {
    const whole = circuit(text, setting).answers;
    for (const part of ["queries", "values"])
      assert.deepEqual(circuit(text, { ...setting, cuts: { ...setting.cuts, [part]: true } }).answers, whole);
  }
});

test("a softmax of large scores stays finite", () => {
  assert.deepEqual(softmax([1000, 0]), [1, 0]);
  assert.ok(close(softmax([1, 1, 1]), [1 / 3, 1 / 3, 1 / 3]));
});
