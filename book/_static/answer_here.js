// Answer an exercise in its page: its stub becomes an editor, and a worker runs the course's own check on what
// stands there. Nothing is loaded before the reader asks for it: the editor with *Answer here*, the worker with
// the first *Check*. Where the worker's files are not there, the page stands as it is.
(() => {
  const { language, files, exercises, smallTorch, count, words } = JSON.parse(
    document.getElementById("answer-here").textContent,
  );
  const blocks = [...document.querySelectorAll(".answer-here")];
  const progress = globalThis.bottomupProgress;
  const address = (name) => new URL(files + name, document.baseURI).href;
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_found, name) => values[name]);
  const megabytes = (bytes) => Math.max(1, Math.round(bytes / 1e6));

  // An element with properties and children; children that are missing are left out.
  function make(name, properties = {}, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children.filter((child) => child !== undefined && child !== ""));
    return element;
  }

  // ---- The worker: one a page, made at the first check, one check at a time, given back when idle

  const IDLE = 10 * 60_000; // milliseconds
  const SILENCE = 60_000; // without a word of the worker's, be it of what it loads
  let worker;
  let idle;
  let asked = 0;
  let waiting = 0; // checks that have not ended
  let before = Promise.resolve();

  function giveBack() {
    worker?.terminate();
    worker = undefined;
  }

  // Ask the worker; `done` is its report, or why there is none. `hear` is told what it does meanwhile.
  function ask(message, hear) {
    const isFirst = waiting === 0;
    let over = false; // the reader may stop it before its turn
    let end;
    const done = new Promise((resolve) => {
      end = (result) => {
        over = true;
        resolve(result);
      };
    });
    const run = (free) => {
      const id = ++asked;
      const told = end;
      let silence;
      const watch = () => {
        clearTimeout(silence);
        silence = setTimeout(() => end({ ended: "silent" }), SILENCE);
      };
      end = (result) => {
        clearTimeout(silence);
        // A Python that was ended in the middle of something, or is full, is of no use to the next check.
        if (result.report && !result.isFull) idle = setTimeout(giveBack, IDLE);
        else giveBack();
        told(result);
        free();
      };
      clearTimeout(idle);
      try {
        worker ??= new Worker(address("worker.js"), { type: "module" });
      } catch {
        end({ failed: words.noWorker });
        return;
      }
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        watch();
        if (data.state) hear(data);
        else end(data);
      };
      worker.onerror = () => end({ failed: words.noWorker });
      watch();
      worker.postMessage({ id, language, ...message });
    };
    waiting += 1;
    before = before.then(() => over || new Promise(run)).finally(() => (waiting -= 1));
    return { done, isFirst, stop: () => end({ ended: "byReader" }) };
  }

  // ---- Reports

  // An answer runs in the worker and could write its own report. So none brings scripts or looks along.
  const TAGS = "br, code, details, div, em, li, ol, p, pre, span, strong, summary, ul";
  const ATTRIBUTES = ["class", "role", "aria-label"];

  function cleaned(html) {
    const { content } = make("template", { innerHTML: html });
    for (const element of content.querySelectorAll(`:not(${TAGS})`)) element.remove();
    for (const element of content.querySelectorAll("*"))
      for (const { name } of [...element.attributes]) if (!ATTRIBUTES.includes(name)) element.removeAttribute(name);
    return content;
  }

  function framed(heading, text) {
    const className = "bottomup-report bottomup-unchecked";
    return make("div", { className }, make("strong", {}, heading), make("p", {}, text));
  }

  const linked = (className, href, text) => make("p", { className }, make("a", { href }, text));

  // Read out is the report alone: what is printed may be long.
  function printed(text) {
    const scrolling = { tabIndex: 0, role: "group", ariaLabel: words.printed, ariaLive: "off" };
    return make("div", { className: "answer-printed", ...scrolling }, words.printed, make("pre", {}, text));
  }

  // Bring what has just been shown into view, unless the reader has gone on to something else.
  function reveal(element, block) {
    const { top, bottom } = block.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) return;
    const box = element.getBoundingClientRect();
    const below = box.top + Math.min(box.height + 16, innerHeight / 2) - innerHeight;
    if (below > 0) scrollBy({ top: below });
  }

  // ---- Editors: a text area at once, and in its place the one that colours and indents, once it is loaded

  const INDENT = "    ";

  // Put text where the cursor is, so that the browser can undo it.
  function type(area, text) {
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  }

  function plainEditor(parent, { text, label, describedBy, onCheck, onChange }) {
    const area = make("textarea", { value: text, spellcheck: false, autocapitalize: "off", autocomplete: "off" });
    area.setAttribute("aria-label", label);
    area.setAttribute("aria-describedby", describedBy);
    area.setAttribute("autocorrect", "off");
    const fit = () => (area.rows = area.value.split("\n").length + 1);
    let leaving = false; // Escape was pressed: Tab goes on to the next button
    area.addEventListener("input", () => {
      fit();
      onChange(area.value);
    });
    area.addEventListener("keydown", (event) => {
      const plain = !event.shiftKey && !event.altKey && !event.isComposing;
      const typed = { Tab: !leaving && INDENT, Enter: `\n${indentAfter(area)}` }[event.key];
      leaving = event.key === "Escape";
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onCheck();
      else if (plain && typed) type(area, typed);
      else return;
      event.preventDefault();
    });
    fit();
    parent.append(area);
    return {
      element: area,
      answer: () => area.value,
      setAnswer: (value) => {
        area.value = value;
        fit();
        onChange(value);
      },
      focus: () => area.focus(),
    };
  }

  // The indentation of the line at the cursor, and one more behind a colon.
  function indentAfter(area) {
    const line = area.value.slice(0, area.selectionStart).split("\n").pop();
    return line.match(/^ */)[0] + (line.trimEnd().endsWith(":") ? INDENT : "");
  }

  let colouring;
  const loadEditor = () => (colouring ??= import(address("editor.js")).catch(() => (colouring = undefined)));

  // ---- A block

  function enliven(block, number, bytes) {
    const { exercise, exerciseTest, kind, folder, stub, hints } = block.dataset;
    const slug = exercise ?? exerciseTest;
    const isTest = kind === "catch";
    const key = `bottomup.${isTest ? "test" : "answer"}.${slug}`;
    let editor;
    let running;
    let tried = false;

    const button = (name, onclick, properties = {}) =>
      make("button", { type: "button", className: `answer-${name}`, onclick, ...properties }, words[name]);
    const open = button("open", () => begin({ focus: true }));
    const check = button("check", run, { hidden: true });
    const stop = button("stop", () => running.stop(), { hidden: true });
    const hint = button("hint", showHint, { hidden: true });
    const reset = button("reset", startAgain, { hidden: true });
    const solution = button(isTest ? "tests" : "solution", showSolution, { hidden: true });
    check.dataset.exerciseCheck = "";
    open.dataset.exerciseOpen = "";
    const size = make("span", { className: "answer-size" }, fill(words.size, { size: megabytes(bytes) }));
    const mark = make("span", { className: "answer-mark" });
    const input = make("div", { className: "answer-input", hidden: true });
    input.dataset.exerciseInput = "";
    const keys = make("p", { className: "answer-keys", id: `answer-keys-${number}`, hidden: true }, words.keys);
    const note = make("p", { className: "answer-note" });
    const given = make("div", { className: "answer-hints" });
    const report = make("div", { className: "answer-report" });
    report.dataset.exerciseReport = "";
    for (const spoken of [note, given, report]) spoken.setAttribute("aria-live", "polite");
    const bar = make("div", { className: "answer-bar" }, open, check, stop, hint, reset, solution, mark, size);
    block.querySelector(".cell").append(input, bar, keys, note, given, report);

    input.answer = () => (editor ? editor.answer() : stored());
    input.setAnswer = (text) => {
      begin();
      editor.setAnswer(text);
    };

    function stored() {
      try {
        return localStorage.getItem(key) ?? stub;
      } catch {
        return stub; // no storage here
      }
    }

    function store(text) {
      try {
        if (text === stub) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
      } catch {
        // The browser keeps nothing: the answer lasts as long as the page is open.
      }
    }

    // ---- The editor

    function label() {
      const heading = block.closest("section")?.querySelector("h1, h2, h3, h4")?.firstChild?.textContent;
      return [isTest ? words.test : words.answer, heading?.trim()].filter(Boolean).join(": ");
    }

    function begin({ focus = false, colour = true } = {}) {
      if (!editor) {
        block.dataset.open = "";
        open.hidden = true;
        for (const each of [input, check, reset, keys]) each.hidden = false;
        hint.hidden = hintsLeft() === 0;
        const settings = { label: label(), describedBy: keys.id, onCheck: run, onChange: store };
        editor = plainEditor(input, { text: stored(), ...settings });
        if (colour) improve(settings);
        else input.addEventListener("focusin", () => improve(settings), { once: true });
        offerSolution();
      }
      if (focus) editor.focus();
    }

    // Put the other editor in the text area's place, under the reader's hands.
    async function improve(settings) {
      const loaded = await loadEditor();
      if (!loaded) return;
      const { element: area } = editor;
      const hadFocus = document.activeElement === area;
      const cursor = { anchor: area.selectionStart, head: area.selectionEnd };
      editor = loaded.edit(input, { text: area.value, cursor, ...settings });
      if (hadFocus) editor.focus();
      area.remove();
    }

    function startAgain() {
      const text = editor.answer();
      editor.setAnswer(stub);
      clearReport();
      const undo = make("button", { type: "button", onclick: () => {
        editor.setAnswer(text);
        editor.focus();
        note.replaceChildren();
      } }, words.undo);
      note.replaceChildren(words.stubBack, " ", text === stub ? "" : undo);
    }

    // ---- Hints, and the solution after a try

    function hintsLeft() {
      return Number(hints) - given.children.length;
    }

    // The last folds above the stub hold them, typeset.
    function showHint() {
      const nth = given.children.length;
      const folds = [...block.parentElement.querySelectorAll(":scope > details.hint")];
      const fold = folds.at(nth - hints);
      const name = make("strong", {}, fill(words.hintOf, { number: nth + 1, count: hints }));
      const [, ...content] = fold?.cloneNode(true).childNodes ?? [];
      const shown = make("div", { className: "answer-hint", tabIndex: -1 }, name, ...content);
      given.append(shown);
      hint.hidden = hintsLeft() === 0;
      if (hint.hidden) shown.focus({ preventScroll: true });
    }

    function offerSolution() {
      const { exercises: checked, tests } = progress.read();
      const entry = isTest ? tests[slug] : checked[slug];
      if (editor && (tried || entry)) solution.hidden = false;
      if (isTest) mark.textContent = entry ? fill(words.caught, entry) : "";
      else mark.textContent = entry?.passed ? words.solved : "";
      mark.classList.toggle("answer-solved", !isTest && Boolean(entry?.passed));
    }

    function showSolution() {
      const folds = block.querySelectorAll(".wrong-answers > details");
      const fold = folds[folds.length - 1];
      fold.open = true;
      fold.scrollIntoView({ block: "nearest" });
      fold.querySelector("summary").focus({ preventScroll: true });
    }

    // ---- Checks

    function clearReport() {
      delete report.dataset.verdict;
      delete report.dataset.misconception;
      report.replaceChildren();
    }

    // Each change is read out, so that there are few.
    function tell({ state, done, of }) {
      const percent = of ? Math.min(100, Math.floor((10 * done) / of) * 10) : 0;
      const loading = percent === 100 ? words.starting : fill(words.loading, { percent });
      if (state === "running") document.documentElement.classList.add("answer-loaded"); // the size is said no more
      const text = `${state === "running" ? words.running : loading} …`;
      if (note.textContent !== text) note.textContent = text;
    }

    async function run() {
      if (running) return;
      begin();
      clearReport();
      running = ask({ ask: kind, slug, folder, text: editor.answer() }, tell);
      if (running.isFirst) tell({ state: worker ? "running" : "loading" });
      else note.textContent = `${words.waiting} …`;
      check.setAttribute("aria-disabled", "true");
      stop.hidden = false;
      reveal(note, block);
      const result = await running.done;
      running = undefined;
      if (document.activeElement === stop) check.focus();
      check.removeAttribute("aria-disabled");
      stop.hidden = true;
      note.replaceChildren();
      if (result.report) show(result.report);
      else if (result.ended) showEnd(result.ended);
      else note.replaceChildren(fill(words.failed, { reason: result.failed.replace(/\.$/, "") }), " ", again());
      reveal(result.failed ? note : report, block);
    }

    function again() {
      return make("button", { type: "button", onclick: () => {
        check.focus();
        run();
      } }, words.again);
    }

    function showEnd(why) {
      report.append(framed(words.stopped, fill(words[why], { seconds: SILENCE / 1000 })));
      report.dataset.verdict = "stopped";
    }

    // A notebook says to run the cell again, and the small torch speaks English.
    function sentence({ verdict, lacks = [] }) {
      if (verdict === "stub") return isTest ? words.writeTest : words.writeBody;
      if (verdict !== "unchecked" || lacks.length === 0) return undefined;
      const modules = lacks.filter((name) => name.startsWith("module "));
      const names = (modules.length ? modules : lacks).map((name) => name.replace("module ", ""));
      return fill(modules.length ? words.noModule : words.lacks, { names: names.join(", ") });
    }

    function show(found) {
      const said = found.html ? cleaned(found.html) : make("pre", {}, found.text);
      const instead = sentence(found);
      if (instead) said.querySelector("p")?.replaceChildren(instead);
      if (found.printed) report.append(printed(found.printed));
      report.append(said);
      if (found.verdict === "passed") report.append(linked("answer-torch", smallTorch, words.smallTorch));
      remember(found);
      report.dataset.verdict = found.verdict;
      if (found.mistake) report.dataset.misconception = found.mistake;
      dispatchEvent(new Event("resize")); // the page looks which boxes scroll
    }

    function remember({ verdict, mistake, caught }) {
      tried ||= verdict !== "stub";
      if (verdict === "unchecked") offerSolution();
      if (["stub", "unchecked"].includes(verdict)) return;
      if (isTest && Number.isInteger(caught)) progress.noteTest(slug, caught);
      if (!isTest) {
        const noted = progress.noteCheck(slug, verdict === "passed", mistake);
        if (verdict === "passed") {
          const text = fill(words.counted, { solved: progress.solved(noted).length, count });
          report.append(linked("answer-count", exercises, text));
        }
      }
      offerSolution();
    }

    offerSolution();
    if (stored() !== stub) begin({ colour: false });
  }

  // ---- The page

  // From a disk the browser lets no worker start: say how the folder is served.
  function sayHowToServe() {
    const folder = new URL(files, document.baseURI).href.replace(/_static\/answer_here\/$/, "");
    const served = location.href.replace(folder, "http://localhost:8000/");
    const [first, second, third] = words.serve.split(/\{\w+\}/);
    for (const block of blocks) {
      const command = make("code", {}, "python -m http.server");
      const link = make("a", { href: served }, served.replace(/#.*/, ""));
      const line = make("p", { className: "answer-serve" }, first, command, second, link, third);
      block.querySelector(".cell").append(line);
    }
  }

  async function start() {
    const answer = await fetch(address("sizes.json"));
    const { first, chapter = {}, language: translated = {} } = answer.ok ? await answer.json() : {};
    if (!first) return;
    const always = first + (language === "en" ? 0 : (translated[language] ?? 0));
    blocks.forEach((block, number) => enliven(block, number, always + (chapter[block.dataset.folder] ?? 0)));
  }

  if (location.protocol === "file:") sayHowToServe();
  else start().catch(() => {}); // not there: the page stands as it is
})();
