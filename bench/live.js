// The side of bench/live.py that node runs: node live.js given.json

import { readFileSync } from "node:fs";
import { argv } from "node:process";

import { greedy } from "../src/bottomup/explorables/engine/decoding.js";
import { translatorOf } from "../src/bottomup/explorables/engine/payload.js";
import { EOS } from "../src/bottomup/explorables/engine/transformer.js";

const { payload, sentences, rounds } = JSON.parse(readFileSync(argv[2], "utf8"));
const start = performance.now(), { model } = translatorOf(payload), reading = performance.now() - start;

const round = () => sentences.map(({ source }) => greedy(model, [...source, EOS], { longest: payload.longest }));
const written = round(); // the first also warms up
const same = written.filter((tokens, i) => tokens.join() === sentences[i].written.join()).length;
const count = written.reduce((sum, tokens) => sum + tokens.length + 1, 0);
const milliseconds = Array.from({ length: rounds }, () => {
  const before = performance.now();
  round();
  return (performance.now() - before) / count;
});
console.log(JSON.stringify({ same, milliseconds, reading }));
