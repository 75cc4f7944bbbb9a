// The fast path: a button below a chapter's title folds the sections that are not on it. A folded
// one keeps its heading and a button of its own; it opens to a link that leads into it and to a
// search within the page, and it is printed. Without this script nothing is folded.
(() => {
  const KEY = "bottomup.fast-path";
  const WORDS = "sphinx_highlight_terms"; // those of a search, until Sphinx has marked them
  const button = document.querySelector(".fast-path-switch");
  if (!button) return;

  const page = button.closest("section");
  const texts = button.dataset;
  let parts; // made when something is folded for the first time

  function remember(folded) {
    try {
      folded ? localStorage.setItem(KEY, "folded") : localStorage.removeItem(KEY);
    } catch {
      // The browser keeps nothing: the choice lasts as long as the page is open.
    }
  }

  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  // ---- One section

  function divide(section) {
    const heading = section.querySelector("h2, h3");
    const opener = document.createElement("button");
    const content = document.createElement("div");
    content.className = "fast-path-rest";
    while (heading.nextSibling) content.append(heading.nextSibling);
    heading.after(opener, content);
    opener.type = "button";
    opener.className = "fast-path-opener";
    const part = { section, opener, content, title: heading.textContent.replace(/#$/, "").trim() };
    opener.addEventListener("click", () => change(part, content.hasAttribute("hidden")));
    content.addEventListener("beforematch", () => change(part, true));
    return part;
  }

  function show({ opener, content, title }, shown) {
    // The browser's search finds what is hidden until it is found.
    shown ? content.removeAttribute("hidden") : content.setAttribute("hidden", "until-found");
    opener.textContent = shown ? texts.hide : texts.show;
    opener.setAttribute("aria-expanded", shown);
    opener.setAttribute("aria-label", `${opener.textContent}: ${title}`);
  }

  function change(part, shown) {
    show(part, shown);
    measure();
  }

  // What was folded had no width.
  const measure = () => dispatchEvent(new Event("resize"));

  // ---- All of them

  function fold(folded) {
    const off = ".on-fast-path > section:not(.on-fast-path)";
    parts ??= Array.from(page.querySelectorAll(off), divide);
    for (const part of parts) show(part, !folded);
    page.classList.toggle("is-folded", folded);
    name(folded);
    measure();
  }

  function name(folded) {
    button.textContent = folded ? texts.all : texts.fold;
  }

  function open(target) {
    const part = parts?.find(({ section }) => section.contains(target));
    if (!part?.content.hasAttribute("hidden")) return;
    change(part, true);
    target.scrollIntoView();
  }

  const openLinked = () => open(document.getElementById(location.hash.slice(1)));

  name(false);
  button.hidden = false;
  button.addEventListener("click", () => {
    const folded = !page.classList.contains("is-folded");
    fold(folded);
    remember(folded);
  });
  // Whoever comes from the search looks for words, which may stand anywhere.
  if (stored(KEY) === "folded" && !stored(WORDS)) fold(true);
  openLinked();
  addEventListener("hashchange", openLinked);
  // A link to where the address points already changes nothing but this.
  document.addEventListener("click", ({ target }) => {
    if (target.closest("a[href*='#']")) setTimeout(openLinked);
  });
})();
