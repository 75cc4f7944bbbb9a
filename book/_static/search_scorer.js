// How the search page orders what it finds: chapters before the pages that list what is in them, of
// chapters that match as well the earlier one, where a term is explained, and before those that go
// deeper; the API comes last, which repeats every term in names and docstrings. The numbers below
// `score` are those of Sphinx.
var Scorer = {
  score: ([docname, , , , score]) => {
    const chapter = docname.match(/^chapters\/(\d+)(b?)/);
    if (chapter) return score + 10 - Number(chapter[1]) / 100 - (chapter[2] ? 0.5 : 0);
    return docname.startsWith("book/api/") ? score - 30 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// An excerpt is read from the page that was found, which a browser allows only where pages are served.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// A table of the index is an object, and each object of JavaScript has a `constructor` and a
// `__proto__`: asked for such a word, the search took them for pages, and ended in an error. A table
// keeps of all that is inherited what the search itself calls.
(() => {
  const { setIndex } = Search;
  const called = { hasOwnProperty: { value: Object.prototype.hasOwnProperty } };
  const inherited = Object.create(null, called);
  Search.setIndex = (index) => {
    for (const table of [index.terms, index.titleterms]) Object.setPrototypeOf(table, inherited);
    setIndex(index);
  };
})();

// Sphinx shows an entry of the glossary under the page's title, once for each of its names, and the
// page again. Here an entry comes once, under its own names (from book/_ext/term_links), and the
// page does not come where some of its entries do.
(() => {
  const search = Search._performSearch;
  const nameOf = ([page, , anchor]) =>
    page === "book/glossary" ? window.glossaryNames?.[anchor.slice(1)] : undefined;
  Search._performSearch = (...asked) => {
    const found = search(...asked); // the best comes last
    const seen = new Set();
    const hasEntries = found.some(nameOf);
    const isShown = (result) => {
      const name = nameOf(result);
      if (!name) return !(hasEntries && result[0] === "book/glossary" && !result[2]);
      if (seen.has(name)) return false;
      seen.add(name);
      result[1] += `: ${name}`;
      return true;
    };
    return found.reverse().filter(isShown).reverse();
  };
})();

// An excerpt quotes a page, not the list of sections that only paper shows.
(() => {
  const { htmlToText } = Search;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.getElementById("jb-print-toc")?.remove();
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
})();
