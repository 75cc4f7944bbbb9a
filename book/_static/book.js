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
})();
