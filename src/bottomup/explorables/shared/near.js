// When a reader wants a figure: who comes near it, or uses it. What is in sight as a page opens waits
// for the reader's first move, so that the page opens as light as without the model.

const MOVES = ["scroll", "pointerdown", "keydown"];
const MARGIN = "600px";

export function whenWanted(element, act) {
  const over = new AbortController(), { signal } = over;
  let near = false, moved = scrollY > 0;
  const wanted = () => {
    if (signal.aborted) return;
    over.abort();
    watch.disconnect();
    act();
  };
  const check = () => { if (near && moved) wanted(); };
  const watch = new IntersectionObserver((seen) => {
    near = seen.at(-1).isIntersecting;
    check();
  }, { rootMargin: MARGIN });
  const options = { signal, passive: true, capture: true }; // a notebook scrolls inside the page
  for (const move of MOVES) addEventListener(move, () => { moved = true; check(); }, options);
  for (const use of ["focusin", "input"]) element.addEventListener(use, wanted, options);
  watch.observe(element);
  return wanted;
}
