"""What a reader is told by the docstrings of the names that the package offers."""

import re
from collections.abc import Callable

from tests.structure.docstring_rules import (
    ELSEWHERE,
    chapters,
    computes,
    has_source,
    papers,
    unsaid_errors,
    without_axes,
    wrong_names,
)
from tests.structure.public import Public, everything
from tools.notebooks.paths import ROOT, all_chapters, chapter_number

# The parts that hold formulae; data, figures and the machinery of experiments hold none.
FORMULAE = {
    "masks", "attention", "blocks", "models", "training", "decoding", "metrics", "analysis"
}  # fmt: skip
# Exceptions, each with its reason.
NO_FORMULA = {
    "bottomup.models.pretrained.pretrained_folder": "a place on the disk",
    "bottomup.training.device.pick": "the device to compute on",
    "bottomup.training.loop.fit": "the loop that every chapter trains with",
    "bottomup.training.modes.evaluating": "a switch",
    "bottomup.training.progress.progress_bar": "a bar on the screen",
    "bottomup.training.run.Options": "names of arguments",
    "bottomup.training.schedules.constant": "the number 1",
}


def offenders(rule: Callable[[Public], object]) -> dict[str, object]:
    """Return what a rule finds in each docstring where it finds anything."""
    found = {name: rule(item) for name, item in everything().items()}
    return {name: problem for name, problem in found.items() if problem}


def cites_nothing(item: Public) -> bool:
    return item.part in FORMULAE and computes(item) and not has_source(item.doc)


def listed_papers() -> list[tuple[set[str], str]]:
    """Return the surnames of the authors, and the year, of everything in the bibliography."""
    text = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    found = []
    for entry in re.split(r"^@", text, flags=re.M)[1:]:
        authors = re.search(r"^\s*author\s*=\s*\{(.*)\},$", entry, re.M)
        year = re.search(r"^\s*year\s*=\s*\{(\d{4})\}", entry, re.M)
        if authors and year:
            names = re.split(r"\s+and\s+", authors[1])
            found.append(({re.sub(r"\W", "", name.split(",")[0]) for name in names}, year[1]))
    return found


def is_listed(names: frozenset[str], year: str) -> bool:
    wanted = {re.sub(r"\W", "", name) for name in names}
    return any(wanted <= authors and year == its_year for authors, its_year in listed_papers())


def test_every_tensor_has_its_axes_in_the_signature_or_in_words():
    assert offenders(without_axes) == {}


def test_the_errors_that_a_function_raises_stand_in_its_docstring():
    assert offenders(unsaid_errors) == {}


def test_arguments_and_attributes_are_described_under_the_names_they_have():
    assert offenders(wrong_names) == {}


def test_what_computes_a_formula_names_its_source_or_its_chapter():
    assert set(offenders(cites_nothing)) == set(NO_FORMULA)


def test_a_chapter_that_a_docstring_names_exists():
    numbers = {chapter_number(path) for path in all_chapters()}
    assert offenders(lambda item: chapters(item.doc) - numbers) == {}


def test_a_paper_that_a_docstring_cites_stands_in_the_bibliography():
    cited = {paper for item in everything().values() for paper in papers(item.doc)}
    assert {paper for paper in cited if not is_listed(*paper)} == set()


def test_a_method_that_leaves_its_description_to_another_names_one_that_exists():
    named = [name for item in everything().values() for name in ELSEWHERE.findall(item.doc)]
    assert named
    assert [name for name in named if not any(n.endswith(f".{name}") for n in everything())] == []
