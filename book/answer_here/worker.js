// Runs the answers of a page: CPython (Pyodide) with the course's own engine, in a module worker.
//
// It is asked by messages and answers by messages; `id` says which belongs to which. What an answer
// does stays in here: before the first one runs, everything that leads out is taken away.

import { loadPyodide } from "./pyodide.mjs";

const HERE = new URL("./", import.meta.url).href;
const PAGE = "/lib/page"; // where Python finds what is unpacked
const FIRST = ["pyodide.asm.wasm", "python_stdlib.zip", "package.zip", "smalltorch.zip"];

// All that is left of the global scope once answers run: the language, and what Python's clock,
// texts and random seeds are made from. What a browser may bring in later is not in the list.
const KEPT = new Set(
  `Object Array Boolean Number BigInt String Symbol Math JSON Date RegExp Promise Proxy Reflect Map
  Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator Error AggregateError EvalError RangeError
  ReferenceError SuppressedError SyntaxError TypeError URIError ArrayBuffer DataView Atomics Int8Array
  Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array
  BigUint64Array Float16Array Float32Array Float64Array WebAssembly TextDecoder TextEncoder globalThis
  undefined NaN Infinity isFinite isNaN parseFloat parseInt decodeURIComponent encodeURIComponent
  performance crypto console queueMicrotask`.split(/\s+/),
);

// Bytes that an answer may fill: a browser allows two or four times that, but a telephone may close
// the page, and beyond 2 GiB the interpreter reads the wrong places.
const ROOM = 2 ** 30;

// The ways out, kept where Python cannot reach them: a module's own names are no properties.
const post = self.postMessage.bind(self);
const download = self.fetch.bind(self);

let sizes = null; // bytes of each file
let interpreter = null; // a promise of it, once somebody has asked
let turn = Promise.resolve(); // one after the other
let isFull = false; // an answer has asked for more memory than there is: little of it comes back
const chapters = new Set(); // that are unpacked

self.onmessage = ({ data }) => {
  turn = turn.then(() => answer(data));
};

async function answer({ id, ask, slug, folder, text, language }) {
  try {
    const { runner } = await ready(id, language, folder);
    if (ask === "start") {
      post({ id, report: null });
      return;
    }
    post({ id, state: "running" });
    const judge = ask === "catch" ? runner.catch : runner.check;
    post({ id, report: JSON.parse(judge(slug, text)), isFull });
  } catch (error) {
    post({ id, failed: String(error).slice(-1500) });
  }
}

/** Have interpreter, engine and a chapter's exercises loaded; tell how far it is. */
async function ready(id, language, folder) {
  sizes ??= await download(`${HERE}sizes.json`).then((answered) => answered.json());
  const chapter = `chapter/${folder}.zip`;
  const missing = [
    ...(interpreter ? [] : FIRST),
    ...(interpreter || language === "en" ? [] : [`${language}.json`]),
    ...(chapters.has(folder) ? [] : [chapter]),
  ];
  const progress = { done: 0, of: missing.reduce((sum, name) => sum + sizes.files[name], 0) };
  const count = (bytes) => {
    progress.done += bytes;
    post({ id, state: "loading", ...progress });
  };
  interpreter ??= start(language, count).catch((error) => {
    interpreter = null; // the next ask tries again
    throw error;
  });
  const [loaded, archive] = await Promise.all([
    interpreter,
    chapters.has(folder) ? null : bytesOf(chapter, count),
  ]);
  if (archive) {
    loaded.python.FS.writeFile("/tmp/chapter.zip", archive);
    loaded.runner.unpack("/tmp/chapter.zip");
    chapters.add(folder);
  }
  return loaded;
}

/** Let Python run out of memory, with an error of its own, before the browser does. */
function limitMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + 65536 * pages > ROOM) {
      isFull = true;
      throw new RangeError("no more memory for an answer");
    }
    return grow.call(this, pages);
  };
}

async function start(language, count) {
  limitMemory();
  const files = Promise.all(
    ["package.zip", "smalltorch.zip"].map((name) => bytesOf(name, count)),
  );
  const messages = language === "en" ? null : bytesOf(`${language}.json`, count);
  self.fetch = (where, options) => counted(where, options, count);
  const python = await loadPyodide({
    indexURL: HERE,
    jsglobals: Object.create(null), // Python's `import js` finds nothing
    stdin: () => null, // nobody types: `input()` finds the end of a file
    env: { HOME: "/home", BOTTOMUP_LANGUAGE: language, BOTTOMUP_PROGRESS: "" },
  });
  for (const archive of await files) {
    python.unpackArchive(archive, "zip", { extractDir: PAGE });
  }
  if (messages) {
    python.FS.writeFile(`${PAGE}/${language}.json`, await messages);
  }
  python.runPython(`import sys; sys.path.insert(0, "${PAGE}")`);
  const runner = python.pyimport("runner");
  runner.close();
  takeAway();
  return { python, runner };
}

/** Fetch a file that lies beside this one, and count its bytes while they come. */
async function bytesOf(name, count) {
  const bytes = new Uint8Array(sizes.files[name]);
  const reader = (await found(HERE + name)).body.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return bytes;
    }
    bytes.set(value, at);
    at += value.length;
    count(value.length);
  }
}

async function found(where, options) {
  const answered = await download(where, options);
  if (!answered.ok) {
    throw new Error(`${where}: ${answered.status}`);
  }
  return answered;
}

/** What the interpreter fetches itself, counted too. */
async function counted(where, options, count) {
  const { body, headers } = await found(where, options);
  const through = new TransformStream({
    transform(chunk, out) {
      count(chunk.length);
      out.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(through), { headers });
}

/** Leave nothing in the global scope that reaches the network, a storage, or another page. */
function takeAway() {
  const all = globalThis;
  function denied() {
    throw new TypeError("an answer has no JavaScript");
  }
  denied.prototype = Function.prototype; // the interpreter asks what is a Function
  const functions = [function () {}, async function () {}, function* () {}, async function* () {}];
  for (const each of functions) {
    // what makes a function from a text
    Object.defineProperty(Object.getPrototypeOf(each), "constructor", { value: denied });
  }
  for (let scope = all; scope !== Object.prototype; scope = Object.getPrototypeOf(scope)) {
    for (const name of Reflect.ownKeys(scope)) {
      if (!KEPT.has(name) && typeof name === "string") {
        Reflect.deleteProperty(scope, name);
        const value = name === "Function" ? denied : undefined;
        Reflect.defineProperty(all, name, { value });
      }
    }
  }
}
