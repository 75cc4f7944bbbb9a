// A link to what a fold holds opens it. Without this script some browsers do that by themselves.
(() => {
  const aimed = (hash) => document.getElementById(hash.slice(1));

  function open(target) {
    let opened = false;
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      opened ||= !fold.open;
      fold.open = true;
    }
    return opened;
  }

  function openLinked() {
    const target = aimed(location.hash);
    if (open(target)) target.scrollIntoView();
  }

  openLinked();
  addEventListener("hashchange", openLinked);
  // Before the browser follows a link within the page: then it scrolls, and Tab goes on from there.
  addEventListener("click", ({ target }) => {
    const link = target.closest?.("a[href*='#']");
    if (link && link.href.split("#")[0] === location.href.split("#")[0]) open(aimed(link.hash));
  }, true);

  // Whoever comes from the search sees one of the words at least.
  addEventListener("load", () => {
    const words = [...document.querySelectorAll("article .highlighted")];
    if (words.length && !words.some((word) => word.checkVisibility())) open(words[0]);
  });
})();
