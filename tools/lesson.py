"""How much of a built page a reader has to take in: words, numbers, pictures, terms.

    python -m tools.lesson                  # the pages of the chapters, a row each
    python -m tools.lesson 02 05            # some of them
    python -m tools.lesson --folder _build/html

*In sight* is what shows when a page is opened: prose, lists, tables, captions and the line of a
fold. Code, formulas set apart, what a picture or a figure says in itself, and what a fold holds are
not. Outputs of cells are counted apart. The site has to be built before (`make site`).
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

from tools.notebooks.paths import ROOT

FOLDER = ROOT / "_build" / "html"
GLOSSARY = ROOT / "book" / "glossary.md"
ARTICLE = "article.bd-article"
# Neither prose nor output: code, formulas set apart, what a page does and not says, references.
LEFT_OUT = (
    "script", "style", "template", ".headerlink", "div.cell_input", "div.highlight", "pre.code",
    "div.math", ".MathJax", ".not-translated", "form", "button", ".prev-next-area",
    "details.hide > summary .expanded", "section#references",
)  # fmt: skip
PICTURES = ("svg", "img", "figure", "canvas", ".bottomup-explorable", ".bottomup-drawing")
OUTPUTS = "div.cell_output"
BLOCKS = ("p", "li", "td", "th", "dd", "dt", "summary", "h1", "h2", "h3", "h4", "figcaption")

NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?%?")
WORD = re.compile(rf"[A-Za-zÀ-ÿ][\w'’–-]*|{NUMBER.pattern}")
# The leading 0 tells a claim from a decimal number, from chapter 10 on the letter behind it.
CLAIM = re.compile(r"(?<![\w.])(?:0\d[a-z]?\.\d+[a-z]?|1\d[a-z]?\.\d+[a-m])(?![A-Za-z0-9_]|\.\d)")
MARK = re.compile(rf"±|{CLAIM.pattern}")
# Numbers that only point somewhere.
POINTER = re.compile(
    r"(?i)\b(?:chapters?|sections?|equations?|exercises?|claims?|tables?|figures?|seeds?) "
    r"[\d.]+[a-z]?(?:(?:, | and | to )\d[\d.]*)*"
)
SENTENCE = re.compile(r"(?<=[.?!:])\s+")
LONG, FIRST = 25, 1_800  # words of a sentence; of the part in which terms are counted
# Words of mathematics and of measuring that the glossary does not explain.
TECHNICAL = (
    "variance", "standard deviation", "jacobian", "norm", "median", "cosine", "orthogonal",
    "one-hot", "transposed", "derivative", "assertion", "matrix", "matrices", "tensor", "gradient",
    "vector", "uniform", "batch", "seed", "record", "ledger", "claim", "confidence", "spread",
    "antonym", "fused", "module", "row", "column", "width", "dot product", "square root", "score",
    "encoder", "decoder", "recurrent network", "translator", "learning rate", "equation",
    "unit normal", "squared length", "symmetric", "linear map", "map", "dimension", "component",
    "baseline", "control", "probe", "float32", "float64", "rounding", "benchmark",
)  # fmt: skip


@dataclass(frozen=True)
class Lesson:
    """What a page asks of its reader.

    Attributes:
        words: in sight.
        whole: words with everything open, outputs left out.
        numbers: in a hundred words in sight, those that point somewhere left out.
        marks: ± and numbers of claims in sight, in prose and in outputs.
        gap: most words between two pictures.
        long: sentences of more than `LONG` words in sight.
        terms: technical ones, distinct, in the first `FIRST` words in sight.
    """

    words: int
    whole: int
    numbers: float
    marks: int
    gap: int
    long: int
    terms: int


def lesson(html: str, glossary: Sequence[str] = ()) -> Lesson:
    """Measure a page.

    Args:
        html: of the page.
        glossary: terms that count as technical, beside `TECHNICAL`.
    """
    whole = article(html)
    seen = close_folds(article(html))
    outputs = " ".join(each.get_text(" ") for each in seen.select(OUTPUTS))
    for each in (*seen.select(OUTPUTS), *whole.select(OUTPUTS)):
        if not each.select_one(", ".join(PICTURES)):
            each.decompose()
    prose = list(blocks(seen, pictures_of(seen)))
    texts = [text for text in prose if text is not None]
    marks = MARK.findall(" ".join((*texts, outputs)))
    words = words_of(" ".join(texts))
    numbers = sum(len(NUMBER.findall(POINTER.sub(" ", CLAIM.sub(" ", text)))) for text in texts)
    return Lesson(
        words=len(words),
        whole=len(words_of(" ".join(filter(None, blocks(whole, pictures_of(whole)))))),
        numbers=round(100 * numbers / max(1, len(words)), 1),
        marks=len(marks),
        gap=longest_gap(prose),
        long=sum(
            len(sentence.split()) > LONG for text in texts for sentence in SENTENCE.split(text)
        ),
        terms=len(terms(" ".join(words[:FIRST]), glossary)),
    )


def article(html: str) -> Tag:
    """Return the text of a page, without what is neither prose nor output."""
    found = BeautifulSoup(html, "html.parser").select_one(ARTICLE)
    if found is None:
        raise ValueError(f"html: expected an element {ARTICLE}")
    for each in found.select(", ".join(LEFT_OUT)):
        each.decompose()
    for formula in found.select("span.math"):  # within a line it is one word
        formula.replace_with(NavigableString("M"))
    return found


def pictures_of(part: Tag) -> set[int]:
    """Return the elements that are pictures; what they hold is looked at, not read."""
    return {id(each) for each in part.select(", ".join(PICTURES))}


def close_folds(part: Tag) -> Tag:
    """Take out what folds hold until they are opened; their line stays."""
    for fold in part.select("details:not([open])"):
        for inside in fold.find_all(recursive=False):
            if isinstance(inside, Tag) and inside.name != "summary":
                inside.decompose()
    return part


def blocks(part: Tag, pictures: set[int]) -> Iterator[str | None]:
    """Yield the texts of an article in their order, and None for each picture."""
    for child in part.children:
        if not isinstance(child, Tag):
            continue
        if id(child) in pictures:
            yield None
        elif child.name in ("svg", "img", "canvas"):
            continue
        elif child.name in BLOCKS:
            yield " ".join(child.get_text(" ").split())
            yield from (None for each in child.find_all(True) if id(each) in pictures)
        else:
            yield from blocks(child, pictures)


def words_of(text: str) -> list[str]:
    """Return the words of a text; the number of a claim is one."""
    return WORD.findall(CLAIM.sub("claim", text))


def longest_gap(prose: Sequence[str | None]) -> int:
    """Return the most words between two pictures, or before the first, or after the last."""
    gaps = [0]
    for text in prose:
        if text is None:
            gaps.append(0)
        else:
            gaps[-1] += len(words_of(text))
    return max(gaps)


def terms(text: str, glossary: Sequence[str]) -> list[str]:
    """Return the technical terms of a text, each once."""
    return [
        term
        for term in sorted({*TECHNICAL, *glossary})
        if re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text, re.IGNORECASE)
    ]


def glossary_terms(path: Path = GLOSSARY) -> list[str]:
    """Return the English names of the glossary."""
    block = re.search(r"^`{3,}\{glossary\}\n(.*?)^`{3,}", path.read_text("utf-8"), re.M | re.S)
    lines = [] if block is None else block[1].splitlines()
    return [line.strip() for line in lines if re.fullmatch(r"[A-Za-z][^가-힣]*", line)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each page."""
    parser = argparse.ArgumentParser(prog="python -m tools.lesson", description=__doc__)
    parser.add_argument("chapters", nargs="*", help="such as 02 or 01b; all without one")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the built site")
    options = parser.parse_args(arguments)
    known = glossary_terms()
    names = [field.name for field in fields(Lesson)]
    print(f"{'page':32}" + "".join(f"{name:>9}" for name in names))
    for path in sorted(options.folder.joinpath("chapters").glob("*.html")):
        if not options.chapters or path.stem.split("_")[0] in options.chapters:
            found = lesson(path.read_text("utf-8"), known)
            print(f"{path.stem:32}" + "".join(f"{getattr(found, name):>9}" for name in names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
