// What scrolls sideways must be reachable by keyboard: the theme sees to code and tables, this to the
// rest. And it says on which side more is to be seen, where the style sheet lets it fade.
(() => {
  const boxes = [
    'mjx-container[display="true"]',
    ".cell_output .text_html",
    ".cell_output:has(> img)",
    "figure:has(> img)",
    ".bottomup-report",
    ".pst-scrollable-table-container",
    "article pre",
  ].join(", ");
  const follow = ({ currentTarget }) => mark(currentTarget);
  const mark = (box) => {
    const left = box.scrollLeft > 1;
    const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
    if (left || right) box.dataset.more = [left && "left", right && "right"].filter(Boolean).join(" ");
    else delete box.dataset.more;
  };
  const update = () => {
    for (const box of document.querySelectorAll(boxes)) {
      const scrolls = box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible";
      if (scrolls) {
        box.tabIndex = 0;
        box.addEventListener("scroll", follow, { passive: true });
        mark(box);
      } else {
        if (box.tabIndex === 0) box.removeAttribute("tabindex");
        delete box.dataset.more;
      }
    }
  };
  addEventListener("load", async () => {
    if (window.MathJax?.startup) await MathJax.startup.promise;
    update();
    addEventListener("resize", update);
    const glides = new ResizeObserver(update);
    for (const article of document.querySelectorAll("article")) glides.observe(article);
    addEventListener("toggle", update, true); // what was folded had no width
  });
  // A wrong answer or a solution that was hidden is measured when it is shown, by the theme as well.
  for (const block of document.querySelectorAll(".wrong-answers"))
    for (const shown of ["change", "toggle"])
      block.addEventListener(shown, () => dispatchEvent(new Event("resize")), true);
})();

// On a phone a long line of code goes on below, further in than it began: each line is a box, so that
// the style sheet can tell its first row from the others.
(() => {
  const narrow = matchMedia("(max-width: 600px)");
  const code =
    "div.cell_input pre, div.cell.tag_source div.cell_output pre, .highlight-python pre, .highlight-console pre";
  const split = () => {
    if (!narrow.matches) return;
    for (const pre of document.querySelectorAll(code)) {
      if (pre.querySelector(".code-line")) continue;
      const lines = pre.innerHTML.replace(/\n$/, "").split("\n");
      pre.innerHTML = lines.map((line) => `<span class="code-line">${line}</span>`).join("\n");
      for (const line of pre.children)
        line.style.setProperty("--indent", `${line.textContent.search(/\S|$/)}ch`);
    }
  };
  split();
  narrow.addEventListener("change", split);
})();

// What scrolls sideways is a region with a name: the table's caption, or the heading above it.
addEventListener("load", () => {
  for (const box of document.querySelectorAll(".pst-scrollable-table-container[tabindex]")) {
    const caption = box.querySelector("caption") ?? box.closest("section")?.querySelector("h1, h2, h3");
    const name = caption?.textContent.replace(/#$/, "").trim();
    if (!name) continue;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", name);
  }
});

// On paper a page is light, and the side remarks that are folded on a screen are open. What gives an answer
// away stays shut: it is known by its class, whatever the language (book/_ext/shown_answers/folds.py).
(() => {
  const shut = ".hint, .key, .quiz-right, .quiz-wrong, .wrong-answers, .cell";
  const root = document.documentElement;
  let mode;
  let unfolded = [];
  addEventListener("beforeprint", () => {
    mode = root.dataset.theme;
    root.dataset.theme = "light";
    for (const image of document.images) image.loading = "eager";
    unfolded = [...document.querySelectorAll("article details:not([open])")].filter((fold) => !fold.closest(shut));
    for (const fold of unfolded) fold.open = true;
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = mode;
    for (const fold of unfolded) fold.open = false;
  });
})();

// The link to the other language leads to the same place: it keeps what is asked of the page, such as the
// ledger's filter, and the section that is read, whose id is the same in both.
for (const kind of ["click", "auxclick"])
  addEventListener(kind, ({ target }) => {
    const link = target.closest?.("a.language-link");
    if (!link) return;
    const [, ...sections] = document.querySelectorAll("article section[id]"); // the first is the page
    const read = sections.filter((section) => section.getBoundingClientRect().top < innerHeight / 3).at(-1);
    const goal = new URL(link.href);
    goal.search = location.search;
    goal.hash = location.hash || (read?.id ?? "");
    link.href = goal;
  });

// The arrow in the list of pages that unfolds those below a page is named after it.
for (const arrow of document.querySelectorAll("nav details > summary"))
  if (!arrow.textContent.trim())
    arrow.setAttribute("aria-label", arrow.closest("li")?.querySelector("a")?.textContent.trim() ?? "");

// The line of a folded cell is called what it says.
for (const line of document.querySelectorAll("details.hide > summary")) line.removeAttribute("aria-label");

// On a phone the list of a page's sections is a dialog over the page: it closes when one is chosen.
const sections = document.getElementById("pst-secondary-sidebar-modal");
sections?.addEventListener("click", ({ target }) => {
  if (target.closest('a[href^="#"]')) sections.close();
});

// There a figure that is wider than its column opens alone when it is tapped, so that fingers enlarge it.
addEventListener("click", ({ target }) => {
  const figure = target.closest?.(".cell_output > img:not(.small-figure), figure > img[src$='.svg']");
  if (figure && matchMedia("(max-width: 600px)").matches) location.assign(figure.src);
});
