// Boxes to tick off the exercises of the list. What is ticked stays in the reader's browser, and what a check
// on a page has accepted is ticked by itself; without this script the page is a plain list.
(() => {
  const KEY = "bottomup.exercises";
  const items = [...document.querySelectorAll("ul.exercise-list > li")];
  if (items.length === 0) return;

  const slugOf = (item) => item.id.replace(/^exercise-/, "");
  const minutesOf = (item) => Number(item.querySelector(".exercise-minutes").textContent);

  function read() {
    try {
      const found = JSON.parse(localStorage.getItem(KEY));
      return new Set(Array.isArray(found) ? found : []);
    } catch {
      return new Set(); // no storage here, or something else stands in it
    }
  }

  function write(slugs) {
    try {
      localStorage.setItem(KEY, JSON.stringify([...slugs]));
    } catch {
      // The browser keeps nothing: a tick lasts as long as the page is open.
    }
  }

  const boxes = items.map((item) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.autocomplete = "off"; // else Firefox restores what was ticked before the last reload
    box.setAttribute("aria-labelledby", item.querySelector("a").id);
    item.prepend(box);
    return box;
  });
  const status = document.querySelector(".exercise-ticked");
  status.setAttribute("role", "status");

  // ---- What the checks accepted (progress.js)

  const progress = globalThis.bottomupProgress;
  const panel = document.querySelector(".exercise-progress");
  const about = JSON.parse(panel.dataset.about);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_found, name) => values[name]);
  const isTest = (item) => item.matches(".exercise-test");
  const count = (some) => ({
    exercises: some.filter((item) => !isTest(item)).length,
    tests: some.filter(isTest).length,
  });

  function isSolved(item, { exercises, tests }) {
    const slug = slugOf(item).replace(/^test-/, "");
    if (isTest(item)) return tests[slug]?.caught >= about.mistakes[slug];
    return Boolean(exercises[slug]?.passed);
  }

  // A box of what is solved stays ticked; the list of what is solved is what is printed, where there is some.
  function showSolved() {
    const found = progress.read();
    const solved = items.filter((item) => isSolved(item, found));
    items.forEach((item, index) => {
      const done = solved.includes(item);
      item.classList.toggle("exercise-solved", done);
      boxes[index].disabled = done;
      item.querySelector(".exercise-mark")?.remove();
      if (done) {
        const mark = Object.assign(document.createElement("span"), { className: "exercise-mark", textContent: about.solved });
        item.querySelector(".exercise-detail").before(mark);
      }
    });
    document.documentElement.classList.toggle("has-solved", solved.length > 0);
    const all = count(items);
    const { exercises: done, tests: written } = count(solved);
    const date = new Date().toLocaleDateString(document.documentElement.lang);
    const values = { date, done, written, count: all.exercises, tests: all.tests };
    document.querySelector(".exercise-printed").textContent = fill(about.printed, values);
    show(slugs);
  }

  panel.querySelector(".progress-export").addEventListener("click", () => {
    const file = new Blob([progress.text(progress.read())], { type: "application/json" });
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: about.file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  const chooser = panel.querySelector("input");
  panel.querySelector(".progress-import").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", async () => {
    const [file] = chooser.files;
    const said = panel.querySelector(".progress-said");
    try {
      const found = progress.add(await file.text());
      said.textContent = fill(about.added, { done: progress.solved(found).length });
    } catch {
      said.textContent = fill(about.refused, { file: file.name });
    }
    chooser.value = ""; // so that the same file can be chosen again
    showSolved();
  });

  function show(slugs) {
    const isTicked = (item) => slugs.has(slugOf(item)) || item.classList.contains("exercise-solved");
    items.forEach((item, index) => (boxes[index].checked = isTicked(item)));
    const ticked = items.filter(isTicked);
    const minutes = ticked.reduce((sum, item) => sum + minutesOf(item), 0);
    const { exercises, tests } = count(ticked);
    status.querySelector(".exercise-ticked-count").textContent = exercises;
    status.querySelector(".exercise-ticked-tests").textContent = tests;
    status.querySelector(".exercise-ticked-minutes").textContent = minutes;
  }

  let slugs = read();
  showSolved();
  panel.hidden = false;
  status.classList.add("exercise-live");
  boxes.forEach((box, index) => {
    box.addEventListener("change", () => {
      const slug = slugOf(items[index]);
      box.checked ? slugs.add(slug) : slugs.delete(slug);
      write(slugs);
      show(slugs);
    });
  });
  addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) show((slugs = read())); // another tab
    if (event.key === progress.KEY || event.key === null) showSolved();
  });
})();
