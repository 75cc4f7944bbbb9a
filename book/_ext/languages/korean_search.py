"""Search in Korean: the text of a page is indexed by the pairs of syllables of its words.

A word comes with particles attached, and compounds are written with and without a space: 어텐션을,
셀프어텐션. Pairs need no dictionary. The first syllable of a run is kept, too: 키를, 빔서치.
``korean_search.js`` beside this file finds what is asked, and says what comes first.
"""

import re
from pathlib import Path

from sphinx.search import SearchLanguage, languages

PARTS = re.compile(r"[가-힣]+|[^\W가-힣]+")
SCRIPT = Path(__file__).with_suffix(".js")


class Korean(SearchLanguage):
    """Korean by pairs of syllables; other words as they are."""

    lang = "ko"
    language_name = "Korean"
    js_splitter_code = SCRIPT.read_text("utf-8")

    def split(self, input: str) -> list[str]:
        """Return the words of a text under which it is found."""
        return [word for part in PARTS.findall(input) for word in words(part)]


def words(part: str) -> list[str]:
    """Return under which words a run of letters is found."""
    if not "가" <= part[0] <= "힣" or len(part) == 1:
        return [part]
    return [part[at : at + 2] for at in range(len(part) - 1)] + [part[0]]


def offer() -> None:
    """Let Sphinx know the language."""
    languages["ko"] = Korean
