// Boxes to tick off the exercises of the list. What is ticked stays in the reader's browser; without
// this script the page is a plain list.
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

  function show(slugs) {
    items.forEach((item, index) => (boxes[index].checked = slugs.has(slugOf(item))));
    const ticked = items.filter((item) => slugs.has(slugOf(item)));
    const minutes = ticked.reduce((sum, item) => sum + minutesOf(item), 0);
    const tests = ticked.filter((item) => item.matches(".exercise-test")).length;
    status.querySelector(".exercise-ticked-count").textContent = ticked.length - tests;
    status.querySelector(".exercise-ticked-tests").textContent = tests;
    status.querySelector(".exercise-ticked-minutes").textContent = minutes;
  }

  let slugs = read();
  show(slugs);
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
  });
})();
