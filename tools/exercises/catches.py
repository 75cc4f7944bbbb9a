"""What `catch` says to a weak, a typical and a strong test, recorded for the pages of the book.

``book/catches/`` holds three tests of ours for each exercise whose chapter asks for one: a Markdown
file a chapter, in it a heading with the slug of each exercise, and below it ``### weak``,
``### typical`` and ``### strong``, each with a fence. The scores keep them apart: a weak test
catches at most `WEAK` of the mistakes, a typical one more, a strong one every form of all. Beside
the file stands what `catch` says to the last two; a page shows it, a test records it again.
"""

import linecache
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from bottomup.exercises import Catch, Exercise, Survivor
from bottomup.exercises.engine.catching import examine_test
from bottomup.exercises.engine.registry import find, places
from tools.exercises.reports import read_answers, without_style
from tools.notebooks.paths import ROOT

FOLDER = ROOT / "book" / "catches"
KINDS = ("weak", "typical", "strong")
WEAK = 0.6  # the largest share of the mistakes that a weak test catches


def record(
    chapter: str, folder: Path = FOLDER, kept: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return what a page shows of the tests of a chapter; what is in `kept` is not run.

    Raises:
        ValueError: an exercise has not these three tests, or their scores are not apart.
    """
    asked = [slug for slug in places() if places()[slug] == chapter and find(slug).test_minutes]
    path = folder / f"{chapter}.md"
    tests = read_answers(path) if path.exists() else {}
    if [*tests] != asked:
        raise ValueError(f"{path.name}: expected tests for {asked}, got {[*tests]}")
    return {
        slug: kept[slug] if slug in kept else record_tests(find(slug), dict(tests[slug]))
        for slug in asked
    }


def record_tests(exercise: Exercise, sources: dict[str, str]) -> dict[str, Any]:
    """Return the typical and the strong test of an exercise with their reports."""
    if tuple(sources) != KINDS:
        raise ValueError(f"{exercise.slug}: expected {', '.join(KINDS)}, got {[*sources]}")
    reports = {kind: examine_test(exercise, run_cell(exercise, sources[kind])) for kind in KINDS}
    check_scores(exercise.slug, reports)
    return {"tests": [shown(kind, sources[kind], reports[kind]) for kind in KINDS[1:]]}


def check_scores(slug: str, reports: dict[str, Catch]) -> None:
    """Raise where a test scores otherwise than its name says."""
    weak, typical, strong = (reports[kind] for kind in KINDS)
    for kind, report in reports.items():
        if not report.outcomes:
            raise ValueError(f"{slug}, {kind}: expected a score, got\n{report!r}")
    if weak.caught > WEAK * weak.mistakes:
        raise ValueError(f"{slug}, weak: expected at most {WEAK:.0%}, got\n{weak!r}")
    if not weak.caught < typical.caught < typical.mistakes:
        raise ValueError(f"{slug}, typical: expected more than weak, not all, got\n{typical!r}")
    if not strong.passed:
        survivor = strong.survivor(diagnosis=True)
        raise ValueError(f"{slug}, strong: expected all, got\n{strong!r}\n{survivor!r}")


def shown(kind: str, source: str, report: Catch) -> dict[str, Any]:
    """Return a test with what `catch` says to it, and with a survivor where there is one."""
    said: list[Catch | Survivor] = [report]
    if not report.passed:
        said.append(report.survivor())
    return {
        "kind": kind,
        "source": source.splitlines(),
        "report": "\n".join(map(repr, said)).splitlines(),
        "html": "\n".join(map(without_style, said)).splitlines(),
    }


def run_cell(exercise: Exercise, source: str) -> Any:
    """Return the test that a cell defines, as in a notebook that has imported torch."""
    name, lines = f"<test of {exercise.slug}>", source.splitlines(keepends=True)
    linecache.cache[name] = len(source), None, lines, name
    namespace: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    exec(compile(source, name, "exec"), namespace)
    return namespace[f"test_{exercise.answer_name}"]
