// What scrolls sideways must be reachable by keyboard: the theme sees to code and tables, this to
// formulae and cell outputs. It runs again when the window's width changes.
(() => {
  const boxes = 'mjx-container[display="true"], .cell_output .text_html, .bottomup-report';
  const update = () => {
    for (const box of document.querySelectorAll(boxes)) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else if (box.tabIndex === 0) box.removeAttribute("tabindex");
    }
  };
  addEventListener("load", async () => {
    if (window.MathJax?.startup) await MathJax.startup.promise;
    update();
    addEventListener("resize", update);
  });
  // A wrong answer or a solution that was hidden is measured when it is shown, by the theme as well.
  for (const block of document.querySelectorAll(".wrong-answers"))
    for (const shown of ["change", "toggle"])
      block.addEventListener(shown, () => dispatchEvent(new Event("resize")), true);
})();

// What scrolls sideways is a region with a name: the table's caption, or the heading above it.
addEventListener("load", () => {
  for (const box of document.querySelectorAll(".pst-scrollable-table-container[tabindex]")) {
    const caption = box.querySelector("caption") ?? box.closest("section")?.querySelector("h1, h2, h3");
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", caption?.textContent.replace(/#$/, "").trim() || "Table");
  }
});

// On paper a page is light, and without the hints, which are folded.
(() => {
  const root = document.documentElement;
  let mode;
  addEventListener("beforeprint", () => {
    mode = root.dataset.theme;
    root.dataset.theme = "light";
    for (const image of document.images) image.loading = "eager";
    for (const details of document.querySelectorAll("article details"))
      details.classList.toggle("hint", /^Hint/.test(details.querySelector("summary")?.textContent));
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = mode;
  });
})();
