// What is solved in this browser, in the very format of the notebook's file, so that each reads the other's
// (src/bottomup/exercises/engine/progress_file.py). Nothing is sent anywhere.
(() => {
  const KEY = "bottomup.progress";
  const SCHEMA = 1;
  const nothing = () => ({ schema: SCHEMA, exercises: {}, tests: {} });

  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const areCounts = (value) => isObject(value) && Object.values(value).every(Number.isInteger);
  const isEntry = (value) =>
    isObject(value) &&
    Number.isInteger(value.checks) &&
    typeof value.passed === "boolean" &&
    areCounts(value.mistakes ?? {});
  const isTest = (value) => isObject(value) && Number.isInteger(value.runs) && Number.isInteger(value.caught);
  const only = (isRight, entries) =>
    Object.fromEntries(Object.entries(isObject(entries) ? entries : {}).filter(([, entry]) => isRight(entry)));

  // The progress that a text holds; entries of another form are left out. An error where it is none.
  function parse(text) {
    const content = JSON.parse(text);
    if (!isObject(content) || content.schema !== SCHEMA) throw new Error("no file of progress");
    return { ...nothing(), exercises: only(isEntry, content.exercises), tests: only(isTest, content.tests) };
  }

  function read() {
    try {
      return parse(localStorage.getItem(KEY));
    } catch {
      return nothing(); // no storage here, nothing in it, or something else
    }
  }

  function write(progress) {
    try {
      localStorage.setItem(KEY, text(progress));
    } catch {
      // The browser keeps nothing.
    }
  }

  function text({ exercises, tests }) {
    const some = Object.keys(tests).length ? { tests } : {};
    return `${JSON.stringify({ schema: SCHEMA, exercises, ...some }, null, 1)}\n`;
  }

  function noteCheck(slug, passed, mistake) {
    const progress = read();
    const entry = (progress.exercises[slug] ??= { checks: 0, passed: false });
    entry.checks += 1;
    entry.passed ||= passed;
    if (mistake) (entry.mistakes ??= {})[mistake] = (entry.mistakes[mistake] ?? 0) + 1;
    write(progress);
    return progress;
  }

  function noteTest(slug, caught) {
    const progress = read();
    const entry = (progress.tests[slug] ??= { runs: 0, caught: 0 });
    entry.runs += 1;
    entry.caught = Math.max(entry.caught, caught);
    write(progress);
    return progress;
  }

  // Of two counts the larger, so that a file may be read twice.
  const larger = (one = {}, other = {}) => {
    const names = Object.keys({ ...one, ...other });
    return Object.fromEntries(names.map((name) => [name, Math.max(one[name] ?? 0, other[name] ?? 0)]));
  };
  const mergedEntry = (one, other) => {
    const mistakes = larger(one.mistakes, other.mistakes);
    const some = Object.keys(mistakes).length ? { mistakes } : {};
    return { checks: Math.max(one.checks, other.checks), passed: one.passed || other.passed, ...some };
  };
  const mergedWith = (merged, ones, others) => {
    const all = { ...ones };
    for (const [slug, other] of Object.entries(others)) all[slug] = ones[slug] ? merged(ones[slug], other) : other;
    return all;
  };

  // What stands here and in a file's text, from now on. An error where the text holds no progress.
  function add(fileText) {
    const here = read();
    const there = parse(fileText);
    if (!Object.keys({ ...there.exercises, ...there.tests }).length) throw new Error("no progress in it");
    const progress = {
      schema: SCHEMA,
      exercises: mergedWith(mergedEntry, here.exercises, there.exercises),
      tests: mergedWith(larger, here.tests, there.tests),
    };
    write(progress);
    return progress;
  }

  // Beds of the clinic have a space in their names.
  const solved = ({ exercises }) =>
    Object.keys(exercises).filter((name) => exercises[name].passed && !name.includes(" "));

  globalThis.bottomupProgress = { KEY, read, text, add, noteCheck, noteTest, solved };
})();
