// How the search page orders what it finds: chapters before the pages that list what is in them, and
// the API last, which repeats every term in names and docstrings. The numbers below `score` are
// those of Sphinx.
var Scorer = {
  score: ([docname, , , , score]) => {
    if (docname.startsWith("chapters/")) return score + 10;
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
