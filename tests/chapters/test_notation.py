"""The chapters' formulae use the symbols of the page of notation, and the page lists no others.

A chapter may use what its own section of `book/notation.md` lists, the sections of earlier
chapters, and those that belong to no chapter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import nbformat
import pytest

from tests.chapters.symbols import formulae, symbols
from tools.notebooks.paths import ROOT, all_chapters, chapter_number

NUMBERS = [chapter_number(path) for path in all_chapters()]
# What a chapter may use beside the page: names that stand in one place, with the reason.
OWN = {
    "00": {
        "g": "the slope that comes back from the output",
    },
    "01": {r"\bar h_*": "Luong's letter for h_j"},
    "01b": {"Categorical": "the distribution, in a word"},
    "04": {
        "W_enc": "an argument of exercise 4.6",
        "W_dec": "an argument of exercise 4.6",
    },
    "07": {
        "attention": "the layer's, in a word, as in the paper",
        "ff": "the feed-forward network, as in the paper",
        "norm": "LayerNorm, as in the paper",
        "A^()_a": "what the stop a on a path reads",
    },
}


@dataclass(frozen=True)
class Row:
    """A row of a table of symbols; `chapter` is "" in a section that belongs to none.

    Of "f(x)" both are names, and the first is what the row explains.
    """

    chapter: str
    names: frozenset[str]
    explained: frozenset[str]
    text: str


def indices(page: str) -> set[str]:
    """Return the letters that the page's table of indices lists."""
    table = re.search(r"^\| index \|.*?\n\n", page, re.M | re.S)
    assert table is not None
    return {symbol.base for formula in formulae(table[0]) for symbol in symbols(formula)}


def rows(page: str) -> Iterator[Row]:
    """Yield the rows of the page's tables whose first column is headed "symbol"."""
    counting = indices(page)
    for section in page.split("\n## ")[1:]:
        chapter = re.match(r".*\n+Chapter (\d\db?)\.", section)
        for table in re.findall(r"^\| symbol \|.*\n\|[-|]+\|\n((?:\|.*\n)*)", section, re.M):
            for line in table.splitlines():
                first, rest = re.match(r"\| (.*?) \|(.*)", line).groups()
                found = [
                    [symbol.name(counting) for symbol in symbols(formula)]
                    for formula in formulae(first)
                ]
                explained = frozenset(names[0] for names in found)
                every = frozenset(name for names in found for name in names)
                yield Row(chapter[1] if chapter else "", every, explained, rest)


@cache
def used(chapter: str) -> frozenset[str]:
    """Return the names of the symbols in the formulae of a chapter."""
    path = all_chapters()[NUMBERS.index(chapter)]
    cells = nbformat.read(path, as_version=4).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return names_of("\n\n".join(prose), indices(PAGE))


def names_of(text: str, counting: set[str]) -> frozenset[str]:
    """Return the names of the symbols in the formulae of a text; bare indices are left out."""
    found = (symbol.name(counting) for formula in formulae(text) for symbol in symbols(formula))
    return frozenset(found) - counting


def strays(found: frozenset[str], listed: set[str]) -> set[str]:
    """Return the names that are not listed; ``h`` is, where ``h_j`` is."""
    return {name for name in found if not {name, f"{name}_*"} & listed}


PAGE = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
ROWS = list(rows(PAGE))


def listed_for(chapter: str) -> set[str]:
    known = ["", *NUMBERS[: NUMBERS.index(chapter) + 1]]
    return {name for row in ROWS if row.chapter in known for name in row.names}


@pytest.mark.parametrize("chapter", NUMBERS)
def test_a_chapter_uses_symbols_of_the_page_and_names_of_its_own_with_a_reason(chapter: str):
    assert strays(used(chapter), listed_for(chapter)) == set(OWN.get(chapter, {}))


@pytest.mark.parametrize("chapter", ["", *NUMBERS])
def test_every_symbol_of_a_section_is_used_in_its_chapter(chapter: str):
    wanted = {name for row in ROWS if row.chapter == chapter for name in row.explained}
    found = {name for number in ([chapter] if chapter else NUMBERS) for name in used(number)}
    assert wanted
    assert wanted - found - indices(PAGE) == set()


def test_the_glossary_uses_no_other_symbols():
    glossary = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    everything = {name for row in ROWS for name in row.names}
    assert strays(names_of(glossary, indices(PAGE)), everything) == set()


def test_a_symbol_that_returns_with_another_meaning_says_so():
    seen: set[str] = set()
    silent = []
    for row in ROWS:
        again = row.explained & seen
        if again and not re.search(r"\belsewhere\b|\bas in chapters?\b", row.text):
            silent.append((row.chapter, sorted(again)))
        seen |= row.explained
    assert silent == []
