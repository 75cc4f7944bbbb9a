"""What `check` says to typical wrong answers, recorded for the pages of the book.

A reader of the site cannot run `check`. So ``book/wrong_answers/`` holds for each exercise two
wrong answers, written as a reader writes them: a Markdown file a chapter, in it a heading with the
slug of each exercise, and below it two with the slug of a mistake, each with a fence. Beside it
stands what `check` says to them, and the solution. A page shows what is recorded
(`recorded_reports` in ``book/_ext``); a test records again and compares.

What was recorded on this machine from the same files is not recorded again (`Fresh`).
"""

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

from bottomup.exercises import Catch, Exercise, Report, Survivor, solution
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.registry import CHAPTERS, file_stem, find, places, text_file
from bottomup.exercises.engine.texts import STUB, Section, sections
from tools.notebooks.closure import Package, closure
from tools.notebooks.paths import ROOT, SOURCE

FOLDER = ROOT / "book" / "wrong_answers"
NOTED = ROOT / "_build" / "reports.json"
OF_AN_EXERCISE = 2
STYLE = re.compile(r' style="[^"]*"')
DECIMAL = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")


class WrongAnswer(NamedTuple):
    """A wrong answer: the slug of the mistake that it makes, and its source."""

    mistake: str
    source: str


def recorded_file(chapter: str, folder: Path = FOLDER) -> Path:
    """Return the file with the recorded reports of a chapter, such as "self_attention"."""
    return folder / f"{chapter}.json"


def as_text(reports: dict[str, Any]) -> str:
    """Return recorded reports as they are stored: each line of a text is a line of the file."""
    return json.dumps(reports, indent=1, ensure_ascii=False) + "\n"


def alike(one: str, other: str) -> bool:
    """Say whether two texts are the same but for the last digits of decimals.

    Another processor rounds sums in another order: 4.53545 is shown as 4.5354 or as 4.5355.
    """
    around = ["".join(DECIMAL.sub("#", text).split()) for text in (one, other)]
    numbers = [[*map(float, DECIMAL.findall(text))] for text in (one, other)]
    if around[0] != around[1]:
        return False
    pairs = zip(*numbers, strict=True)
    return all(math.isclose(a, b, rel_tol=1e-3, abs_tol=2e-4) for a, b in pairs)


def record(
    chapter: str, folder: Path = FOLDER, kept: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return what a page shows of each exercise of a chapter; what is in `kept` is not run.

    Raises:
        ValueError: an exercise has not two wrong answers, or one is not named as its mistake.
    """
    answers = read_answers(folder / f"{chapter}.md")
    slugs = [slug for slug, folder in places().items() if folder == chapter]
    if [*answers] != slugs:
        raise ValueError(f"{chapter}.md: expected the exercises {slugs}, got {[*answers]}")
    return {
        slug: kept[slug] if slug in kept else record_exercise(find(slug), answers[slug])
        for slug in slugs
    }


def record_exercise(exercise: Exercise, answers: list[WrongAnswer]) -> dict[str, Any]:
    """Return two wrong answers to an exercise with their reports, and its solution."""
    mistakes = {answer.mistake for answer in answers}
    if len(mistakes) != OF_AN_EXERCISE or len(answers) != OF_AN_EXERCISE:
        listed = ", ".join(answer.mistake for answer in answers) or "none"
        raise ValueError(f"{exercise.slug}: expected {OF_AN_EXERCISE} wrong answers, got {listed}")
    return {
        "answers": [record_answer(exercise, answer) for answer in answers],
        "solution": repr(solution(exercise.slug)).splitlines(),
    }


Record = Callable[[str, Path, Mapping[str, Any]], dict[str, Any]]


def write_all(
    folder: Path = FOLDER, record: Record = record, names: Collection[str] = ()
) -> list[str]:
    """Record the reports of the exercises asked for; return the files that have changed.

    Args:
        folder: where they are stored, a file a chapter.
        record: what records those of a chapter.
        names: chapters such as "self_attention", and slugs of exercises; none means all.

    Raises:
        ValueError: there is no such chapter or exercise.
    """
    torch.set_num_threads(1)  # the inputs are small, and threads that wait for each other are slow
    for name in names:
        if name not in CHAPTERS and name not in places():
            raise ValueError(f"name: expected a chapter's folder or a slug, got {name!r}")
    asked = {slug for slug, chapter in places().items() if not names or {slug, chapter} & {*names}}
    changed, fresh = [], Fresh(folder)
    for chapter in CHAPTERS:
        if not names or any(places()[slug] == chapter for slug in asked):
            path = recorded_file(chapter, folder)
            stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            kept = {
                slug: shown
                for slug, shown in stored.items()
                if slug not in asked or fresh.holds(slug, shown)
            }
            recorded = record(chapter, folder, kept)
            for slug in recorded.keys() & stored.keys():
                if alike(as_text(stored[slug]), as_text(recorded[slug])):
                    recorded[slug] = stored[slug]
            if recorded and [*recorded.items()] != [*stored.items()]:
                path.write_text(as_text(recorded), encoding="utf-8")
                changed.append(f"{folder.name}/{path.name}")
            fresh.note({slug: recorded[slug] for slug in recorded if slug in asked})
    return changed


class Fresh:
    """Which stored reports this machine has made from the files that are there now.

    Kept in ``_build``, as one digest an exercise: over its text, its code with all that this and
    the engine import, its answers, and the stored report itself.

    Args:
        folder: where the reports are stored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        noted = json.loads(NOTED.read_text(encoding="utf-8")) if NOTED.exists() else {}
        self._noted: dict[str, str] = noted
        self._package = Package("bottomup", SOURCE)

    def holds(self, slug: str, shown: Any) -> bool:
        """Say whether a stored report is what it would be now."""
        return slug in places() and self._noted.get(self._key(slug)) == self._digest(slug, shown)

    def note(self, shown: Mapping[str, Any]) -> None:
        """Note that the stored reports of these exercises are those of now."""
        self._noted |= {self._key(slug): self._digest(slug, each) for slug, each in shown.items()}
        NOTED.parent.mkdir(parents=True, exist_ok=True)
        NOTED.write_text(json.dumps(self._noted, indent=1), encoding="utf-8")

    def _key(self, slug: str) -> str:
        return f"{self._folder.name}/{slug}"

    def _digest(self, slug: str, shown: Any) -> str:
        chapter = places()[slug]
        code = f"bottomup.exercises.{chapter}.{file_stem(slug)}"
        start = [code, *self._package.modules("exercises.engine")]
        files = [self._package.file(module) for module in closure(self._package, [], start)]
        answers = self._folder / f"{chapter}.md"
        own = read_answers(answers).get(slug) if answers.exists() else None
        digest = sha256(repr((own, as_text(shown))).encode())
        for file in (Path(__file__), text_file(chapter, slug), *filter(None, files)):
            digest.update(sha256(file.read_bytes()).digest())
        return digest.hexdigest()


def record_answer(exercise: Exercise, answer: WrongAnswer) -> dict[str, Any]:
    """Return a wrong answer with what `check` says to it."""
    report = examine(exercise, run_cell(exercise, answer.source))
    if report.misconception != answer.mistake:
        place = f"{exercise.slug}, {answer.mistake}"
        raise ValueError(f"{place}: expected to be named so, got\n{report!r}")
    return {
        "mistake": answer.mistake,
        "source": answer.source.splitlines(),
        "report": repr(report).splitlines(),
        "html": without_style(report).splitlines(),
    }


def run_cell(exercise: Exercise, source: str) -> Any:
    """Return what a cell defines, as in a notebook that has imported torch and nn."""
    namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(source, namespace)
    return namespace[exercise.answer_name]


def without_style(report: Report | Catch | Survivor) -> str:
    """Return a report as HTML that leaves its looks to the page's style sheet."""
    return STYLE.sub("", report._repr_html_())


def read_answers(path: Path) -> dict[str, list[WrongAnswer]]:
    """Return the wrong answers of a chapter by exercise.

    Raises:
        ValueError: a part is missing or written otherwise; it names file, heading, expectation.
    """
    answers: dict[str, list[WrongAnswer]] = {}
    for section in sections(path)[1:]:
        level, _space, slug = section.heading.partition(" ")
        if level == "##" and not section.body:
            answers[slug] = []
        elif level == "###" and answers:
            [*answers.values()][-1].append(WrongAnswer(slug, read_source(section)))
        else:
            section.fail("a heading ## with an exercise, or below it ### with a mistake")
    return answers


def read_source(section: Section) -> str:
    """Return the source in a fence."""
    return section.read(STUB, "a fence, ```python, with the wrong answer")[1]
