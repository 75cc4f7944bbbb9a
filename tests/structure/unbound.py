"""Decimals in a chapter's prose, and where each of them comes from.

A decimal that is measured is followed by its record. Of the others a test finds most by itself:
what the chapter's code sets or its outputs show, margins and values of papers in the ledger. The
rest stands here, each with its origin, so that a new one has to say where it comes from.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import nbformat

from bottomup import results
from tools.records import CITATION, CODE, QUOTED

PAPER, EXAMPLE, SETTING, COMPUTED = "a paper's", "made up", "a setting", "worked out"

ORIGINS: dict[str, dict[str, str]] = {
    "00": {"4.7": EXAMPLE, "1.46": EXAMPLE}
    | dict.fromkeys("7.39 9.39 3.45 0.24 8.3 2.7 1.43 4.91 4.4 0.106".split(), COMPUTED),
    "01": {"0.05": COMPUTED, "0.84": COMPUTED},
    "01b": {"5.78": COMPUTED},  # a score of chapter 01
    "02": dict.fromkeys(("54.6", "99.87", "99.95", "0.932", "0.017", "3.86", "0.14"), COMPUTED),
    "02b": {
        "0.001": SETTING,
        "0.005": SETTING,
        "0.01": SETTING,
        "86.3": PAPER,
        "3.4": PAPER,
        "0.38": PAPER,
        "86.8": PAPER,
        "0.58": PAPER,
        "41.16": PAPER,
        "38.30": PAPER,
    },
    "04": dict.fromkeys(("0.31", "0.81", "1.6"), COMPUTED),
    "06": {
        "64.5": COMPUTED,  # formula (3) with the chapter's sizes
        "27.52": PAPER,
        "28.33": PAPER,
        "28.85": PAPER,
        "29.02": PAPER,
        "27.3": PAPER,
        "28.4": PAPER,
        "27.9": EXAMPLE,
        "27.5": PAPER,
        "29.0": PAPER,
        "1.06": PAPER,
        "2.34": PAPER,
        "0.005": SETTING,
        "0.004": SETTING,
    },
    "07": {
        "4.3": COMPUTED,  # Student's t with two degrees of freedom
        "97.5": COMPUTED,
        "2.5": COMPUTED,
        "0.9": COMPUTED,  # a difference in the table above
        "0.88": EXAMPLE,
    },
    "08": {"4.2": EXAMPLE, "3.3": EXAMPLE, "3.7": COMPUTED},  # the last in section 3
    "10": {"88.4": PAPER, "84.9": PAPER, "0.3": EXAMPLE},
}

DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?!\w|\.\d)")
NUMBERING = re.compile(r"(?:[Ss]ections?|sec\.|part|[Ee]xercise|arXiv:|doi:)\s*$")
CLAIM = re.compile(r"0\d[a-z]?\.\d+")
MATHEMATICS = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL)
ADDRESS = re.compile(r"(?:\[doi:[^\]]*)?\]\([^)]*\)")
EXERCISE = "### Exercise"
IGNORED, DRAWING = "nbval-ignore-output", "drawing"
SVG_TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)


def unbound(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each decimal of a chapter's prose whose origin nothing shows, with what is before it.

    Statements of exercises are not asked: their numbers are checked by the exercises' tests.
    """
    cells = nbformat.read(path, as_version=4).cells
    chapter = path.stem.split("_")[0]
    known = _plain(_in_code_and_outputs(cells)) | _plain(_in_claims(chapter))
    known |= _plain(ORIGINS.get(chapter, {}))
    for cell in cells:
        if cell.cell_type != "markdown" or EXERCISE in cell.source:
            continue
        text = cell.source
        for pattern in (CODE, CITATION, MATHEMATICS, ADDRESS, QUOTED):
            text = pattern.sub("", text)
        for match in DECIMAL.finditer(text):
            before = text[max(0, match.start() - 40) : match.start()]
            if CLAIM.fullmatch(match[0]) or NUMBERING.search(before):
                continue
            if not _plain([match[0]]) <= known:
                yield match[0], before


def _in_code_and_outputs(cells: list[nbformat.NotebookNode]) -> Iterator[str]:
    for cell in cells:
        if cell.cell_type != "code":
            continue
        yield from re.findall(r"\d*\.\d+", cell.source)
        tags = cell.metadata.get("tags", [])
        if DRAWING in tags:  # the same everywhere, and its words are numbers that it computes
            for output in cell.outputs:
                html = output.get("data", {}).get("text/html", "")
                yield from re.findall(r"\d*\.\d+", " ".join(SVG_TEXT.findall(html)))
        if IGNORED in tags:
            continue  # what differs between machines is quoted from a record
        for output in cell.outputs:
            shown = output.get("text", "") + output.get("data", {}).get("text/plain", "")
            yield from re.findall(r"\d*\.\d+", shown)


@cache
def _in_claims(chapter: str) -> tuple[str, ...]:
    texts = [
        " ".join((claim.sentence, claim.rule.text, claim.paper_value))
        for claim in results.ledger()
        if claim.chapter == chapter
    ]
    return tuple(number for text in texts for number in re.findall(r"\d*\.\d+", text))


def _plain(numbers: Iterable[str]) -> set[float]:
    return {float(number) for number in numbers}
