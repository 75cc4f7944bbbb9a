// Runs the page's worker under node: node ask.mjs FOLDER, with an ask on each line of the input.
// Prints each message that comes back on a line of its own.
//
// Node passes for the worker of a browser: that is what the interpreter looks for.

import { readFileSync } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const here = pathToFileURL(`${process.argv[2]}/worker.js`);
const lines = (await text(process.stdin)).trim().split("\n");
const asks = lines.map((line) => JSON.parse(line));
const left = new Set(asks.map(({ id }) => id));
const { ReadableStream, URL } = globalThis; // the worker takes them away
const [say, exit] = [process.stdout.write.bind(process.stdout), process.exit.bind(process)];
const OF_A_BROWSER = `XMLHttpRequest EventSource Worker SharedWorker indexedDB caches WebTransport
  FontFace`.split(/\s+/);

Object.assign(globalThis, {
  self: globalThis,
  location: here,
  WorkerGlobalScope: { [Symbol.hasInstance]: () => true },
  async fetch(where) {
    const bytes = readFileSync(new URL(where));
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(new Uint8Array(bytes));
        stream.close();
      },
    });
    const type = String(where).endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return { ok: true, body, headers: { "content-type": type }, json: () => JSON.parse(bytes) };
  },
  postMessage(message) {
    say(`${JSON.stringify(message)}\n`);
    if ("report" in message || "failed" in message) {
      left.delete(message.id);
      if (!left.size) {
        say(`${JSON.stringify({ scope: reachable() })}\n`);
        exit();
      }
    }
  },
});
for (const name of OF_A_BROWSER) {
  globalThis[name] ??= function () {};
}
delete globalThis.process;
/** Return the names of all that is left in the global scope and in what it inherits from. */
function reachable() {
  const names = new Set();
  for (let scope = globalThis; scope; scope = Object.getPrototypeOf(scope)) {
    Reflect.ownKeys(scope).forEach((name) => scope[name] !== undefined && names.add(String(name)));
  }
  return [...names];
}

await import(here.href);
const { onmessage } = self;
for (const ask of asks) {
  onmessage({ data: ask });
}
