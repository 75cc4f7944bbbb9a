"""Search in Korean: a run of Hangul is indexed and looked for by its pairs of syllables.

A word comes with particles attached, and compounds are written with and without a space: 어텐션을,
셀프어텐션. Pairs need no dictionary. Of a run of two syllables the first is kept, too: 키를, 값이.
"""

import re

from sphinx.search import SearchLanguage, languages

PARTS = re.compile(r"[가-힣]+|[^\W가-힣]+")


class Korean(SearchLanguage):
    """Korean by pairs of syllables; other words as they are."""

    lang = "ko"
    language_name = "Korean"
    js_splitter_code = """
function splitQuery(query) {
  const runs = query.match(/[가-힣]+|[^\\P{Letter}가-힣]+|[\\p{Number}_]+/gu) ?? [];
  return runs.flatMap((run) => (/[가-힣]/.test(run) && run.length > 2
    ? Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
    : [run]));
}
"""

    def split(self, input: str) -> list[str]:
        """Return the words of a text under which it is found."""
        return [word for part in PARTS.findall(input) for word in words(part)]


def words(part: str) -> list[str]:
    """Return under which words a run of letters is found."""
    if not "가" <= part[0] <= "힣" or len(part) == 1:
        return [part]
    pairs = [part[at : at + 2] for at in range(len(part) - 1)]
    return [*pairs, part[0]] if len(part) == 2 else pairs


def offer() -> None:
    """Let Sphinx know the language."""
    languages["ko"] = Korean
