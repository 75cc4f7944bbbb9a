// What a reader has set, as plain data: it can be undone piece by piece, goes into an address, comes
// out of one, and is written as a line of Python.

import { namesOf } from "../engine/changes.js";
import { EOS } from "../engine/transformer.js";
import { MOST_STEPS, RATES } from "./course.js";

const LISTS = ["heads", "skips", "updates", "positions"], SINGLE = ["causal", "training", "method"];
const MARK = "|"; // between the parts of a patch in an address; no word has it
const WIDEST = 5, MOST_WORDS = 50;

// Nothing changed in the model, and always the most probable token.
export const PLAIN = Object.freeze({ heads: [], skips: [], updates: [], positions: [], causal: true, hidden: [], patches: [],
  training: null, method: "greedy", temperature: 1, topK: 0, topP: 1, seed: 1, beam: 3, lengthPenalty: 0.6 });

export function toggled(setting, kind, name) {
  const names = setting[kind], on = names.includes(name);
  return { ...setting, [kind]: on ? names.filter((one) => one !== name) : [...names, name] };
}

// One entry for each change, in a fixed order.
export function listed(setting) {
  return [...[...LISTS, "hidden", "patches"].flatMap((kind) => setting[kind].map((name) => ({ kind, name }))),
    ...(setting.causal ? [] : [{ kind: "causal", name: false }]),
    ...(setting.training ? [{ kind: "training", name: setting.training.steps }] : []),
    ...(setting.method === "greedy" ? [] : [{ kind: "method", name: setting.method }])];
}

export function without(setting, { kind, name }) {
  return SINGLE.includes(kind) ? { ...setting, [kind]: PLAIN[kind] }
    : { ...setting, [kind]: setting[kind].filter((one) => one !== name) };
}

// Only what is changed in the model, not how tokens are chosen.
export function altersModel(setting) {
  return altersParts(setting) || setting.training !== null;
}

function altersParts(setting) {
  return listed(setting).some(({ kind }) => kind !== "method" && kind !== "training");
}

// What of it the encoder's side is changed by, as a text.
export function encoderPart({ heads, skips, updates, positions, hidden, patches }) {
  const ofEncoder = (names) => names.filter((name) => /^(encoder|source)/.test(name)).sort();
  return JSON.stringify([...[heads, skips, updates, positions].map(ofEncoder), hidden,
    patches.filter(({ station }) => /^(encoder|source|memory)/.test(station))]);
}

export function toAddress(sentence, setting) {
  const query = new URLSearchParams({ live: sentence });
  for (const kind of LISTS) if (setting[kind].length) query.set(kind, setting[kind].join(","));
  if (!setting.causal) query.set("causal", "no");
  if (setting.hidden.length) query.set("hidden", setting.hidden.join(","));
  for (const { station, position, from, donor } of setting.patches)
    query.append("patch", [station, position, from, donor].join(MARK));
  if (setting.training) {
    const { steps, rate, target, sentence: learnt } = setting.training;
    query.set("train", [steps, rate, target.join("."), learnt].join(MARK));
  }
  const { method, temperature, topK, topP, seed, beam, lengthPenalty } = setting;
  if (method === "sample") query.set(method, [temperature, topK, topP, seed].join(","));
  if (method === "beam") query.set(method, [beam, lengthPenalty].join(","));
  return `#${query}`;
}

// Whoever wrote the address: only what the model has is taken from it. null: it is of something else.
export function fromAddress(hash, { config, target_tokens, longest }) {
  const query = new URLSearchParams(hash.replace(/^#/, "")), sentence = query.get("live");
  if (sentence === null) return null;
  const { heads, sublayers, positions, stations } = namesOf(config);
  const known = { heads, skips: sublayers, updates: sublayers, positions };
  const setting = { ...PLAIN, causal: query.get("causal") !== "no" };
  for (const kind of LISTS)
    setting[kind] = [...new Set((query.get(kind) ?? "").split(","))].filter((name) => known[kind].includes(name));
  setting.hidden = [...new Set(numbersOf(query.get("hidden")))].filter(isPlace);
  setting.patches = query.getAll("patch").flatMap((text) => patchOf(text, stations));
  setting.training = trainingOf(query.get("train"), target_tokens.length, longest);
  const sample = numbersOf(query.get("sample")), beam = numbersOf(query.get("beam"));
  if (sample.length === 4) {
    const [temperature, topK, topP, seed] = sample;
    Object.assign(setting, { method: "sample", temperature: kept(temperature, 0.1, 5), topK: kept(Math.round(topK), 0, 50),
      topP: kept(topP, 0.05, 1), seed: kept(Math.round(seed), 1, 1e6) });
  } else if (beam.length === 2) {
    Object.assign(setting, { method: "beam", beam: kept(Math.round(beam[0]), 1, WIDEST), lengthPenalty: kept(beam[1], 0, 2) });
  }
  return { sentence, setting };
}

function patchOf(text, stations) {
  const [station, position, from, ...donor] = text.split(MARK), places = [position, from].map(Number);
  if (!stations.includes(station) || !donor.length || !places.every(isPlace)) return [];
  return [{ station, position: places[0], from: places[1], donor: donor.join(MARK) }];
}

// How many steps on which sentence, at which rate, towards which tokens.
function trainingOf(text, tokens, longest) {
  const [steps, rate, numbers, ...sentence] = (text ?? "").split(MARK), target = (numbers ?? "").split(".").map(Number);
  const known = target.every((one) => Number.isInteger(one) && one > EOS && one < tokens) && target.length < longest;
  if (!sentence.length || !known || !RATES.includes(Number(rate)) || !(Number(steps) >= 1)) return null;
  return { sentence: sentence.join(MARK), target, rate: Number(rate), steps: Math.min(Math.round(steps), MOST_STEPS) };
}

function isPlace(number) {
  return Number.isInteger(number) && number >= 0 && number < MOST_WORDS;
}

function numbersOf(text) {
  const numbers = (text ?? "").split(",").map(Number);
  return text && numbers.every(Number.isFinite) ? numbers : [];
}

function kept(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

// What gives the same translation in Python, where one line does: a draw has other random numbers there.
export function python(sentence, setting) {
  const given = [quoted(sentence), ...(altersParts(setting) ? [pythonChanges(setting)] : [])].join(", ");
  return `translator().translate(${given})`;
}

function pythonChanges({ causal, hidden, patches, ...setting }) {
  const tuple = (items) => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
  const given = LISTS.filter((kind) => setting[kind].length).map((kind) => `${kind}=${tuple(setting[kind].map(quoted))}`);
  if (!causal) given.push("causal=False");
  if (hidden.length) given.push(`hidden=${tuple(hidden)}`);
  if (patches.length) {
    given.push(`patches=${tuple(patches.map(({ station, position, from, donor }) =>
      `Patch(${quoted(station)}, ${position}, translator().state(${quoted(donor)}, ${quoted(station)}, ${from}))`))}`);
  }
  return `Changes(${given.join(", ")})`;
}

function quoted(text) {
  return JSON.stringify(text);
}

export function imports({ patches, ...setting }) {
  const names = [...(altersParts({ patches, ...setting }) ? ["Changes"] : []), ...(patches.length ? ["Patch"] : [])];
  return ["from bottomup.results.translator import translator",
    ...(names.length ? [`from bottomup.models import ${names.join(", ")}`] : [])];
}
