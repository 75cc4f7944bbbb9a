// The script of a model, asked for once a page, whichever figures want it and however often.
//
// A classic script, which a page opened from disk may load as well: there `fetch` and `import()` are
// refused. It stores the payload under the model's name. Where it stands, the page says in its head.

const models = () => (globalThis.bottomupModels ??= {});
const waiting = () => (globalThis.bottomupWaiting ??= {});

// Whether the model is here, or the page says where it is.
export function available(name) {
  return name in models() || address(name) !== null;
}

// A promise of the payload. After a failure the next call asks again.
export function load(name) {
  if (name in models()) return Promise.resolve(models()[name]);
  waiting()[name] ??= ask(name).finally(() => delete waiting()[name]);
  return waiting()[name];
}

function ask(name) {
  return new Promise((resolve, reject) => {
    const source = address(name), script = document.createElement("script");
    const fail = () => {
      script.remove();
      reject(new Error(`no model ${name} at ${source}`));
    };
    if (source === null) {
      fail();
      return;
    }
    script.addEventListener("load", () => (name in models() ? resolve(models()[name]) : fail()));
    script.addEventListener("error", fail);
    script.src = source;
    document.head.append(script);
  });
}

function address(name) {
  return document.querySelector(`meta[name="bottomup-model-${name}"]`)?.content ?? null;
}
