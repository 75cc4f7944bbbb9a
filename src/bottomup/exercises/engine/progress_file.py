"""What is solved and diagnosed, and what tests catch, kept in one JSON file of the reader's."""

import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bottomup.exercises.engine.exercise import Exercise
from bottomup.exercises.engine.registry import catalog, places
from bottomup.exercises.engine.report import Report
from bottomup.files import write_atomically
from bottomup.i18n import _

VARIABLE = "BOTTOMUP_PROGRESS"
SCHEMA = 1
CLINIC = "bottomup.exercises.clinic"  # the chapter with the beds


@dataclass(frozen=True, repr=False)
class Progress:
    """What was done of each exercise and each bed.

    Args:
        entries: by slug, or by a bed's name, the number of checks, whether one was ever passed, and
            how often which mistake was named.
        tests: by slug, how many tests were run and how many mistakes the best of them caught.
    """

    entries: dict[str, dict[str, Any]]
    tests: dict[str, dict[str, int]]

    @property
    def solved(self) -> tuple[str, ...]:
        """Slugs of the solved exercises, in the order of the book."""
        return tuple(slug for slug in places() if self.entries.get(slug, {}).get("passed"))

    @property
    def diagnosed(self) -> tuple[str, ...]:
        """Names of the beds whose diagnosis was accepted."""
        return tuple(name for name in beds() if self.entries.get(name, {}).get("passed"))

    @property
    def tested(self) -> tuple[str, ...]:
        """Slugs of the exercises whose test catches every mistake, in the order of the book."""
        return tuple(
            exercise.slug
            for exercise in catalog().values()
            if exercise.test_minutes and self._caught(exercise) >= len(exercise.mistakes)
        )

    def __repr__(self) -> str:
        rows = [
            f"  [{mark or ' '}] {chapter}  {title}" + (f" (test: {test})" if test else "")
            for chapter, title, mark, test in self._rows("x")
        ]
        return "\n".join([self._heading(), *rows])

    def _repr_markdown_(self) -> str:
        columns = " | ".join((_("Chapter"), _("Exercise"), _("Solved"), _("Test")))
        rows = [f"| {' | '.join(row)} |" for row in self._rows(_("yes"))]
        return "\n".join(
            [self._heading(), "", f"| {columns} |", "| --- | --- | --- | --- |", *rows]
        )

    def _heading(self) -> str:
        text = _(
            "{solved} of {count} exercises solved, {tested} of {tests} tests catch everything, "
            "{diagnosed} of {beds} beds diagnosed"
        )
        tests = sum(exercise.test_minutes > 0 for exercise in catalog().values())
        return text.format(
            solved=len(self.solved), count=len(places()), tested=len(self.tested), tests=tests,
            diagnosed=len(self.diagnosed), beds=len(beds()),
        )  # fmt: skip

    def _rows(self, mark: str) -> list[tuple[str, str, str, str]]:
        solved, diagnosed = self.solved, self.diagnosed
        exercises = [
            (
                exercise.chapter,
                exercise.title,
                mark if exercise.slug in solved else "",
                f"{self._caught(exercise)}/{len(exercise.mistakes)}"
                if exercise.test_minutes
                else "",
            )
            for exercise in catalog().values()
        ]
        chapter = import_module(CLINIC).NUMBER
        return exercises + [
            (chapter, _("bed {number}").format(number=number), mark * (name in diagnosed), "")
            for number, name in enumerate(beds(), start=1)
        ]

    def export(self, path: str | Path) -> None:
        """Write the progress to a file that can be handed to a teacher.

        Args:
            path: where to, such as "mina.json". `python -m bottomup.classroom report` reads a
                folder of such files.
        """
        text = _content(self.entries, self.tests)
        write_atomically(Path(path), lambda file: file.write(text.encode()))

    def _caught(self, exercise: Exercise) -> int:
        return self.tests.get(exercise.slug, {"caught": 0})["caught"]


def beds() -> tuple[str, ...]:
    """Return the names of the beds of chapter 11, as their entries have them."""
    return tuple(f"bed {number}" for number in range(1, import_module(CLINIC).BEDS + 1))


def progress(*, add: str | Path | None = None) -> Progress:
    """Return what you have solved and diagnosed on this machine, and what your tests catch.

    Args:
        add: a file written by `Progress.export` or by the site's page of exercises. What it holds
            is added to yours. Of two counts the larger stays: a file may be added twice.

    Raises:
        ValueError: that file holds no progress.
    """
    path = file_path()
    found = read_file(path) if path else Progress({}, {})
    if add is None:
        return found
    other = read_file(Path(add).expanduser())
    if not (other.entries or other.tests):
        raise ValueError(f"add: expected a file that holds progress, got {str(add)!r}")
    both = Progress(_merged(found.entries, other.entries), _merged(found.tests, other.tests))
    if path:
        _write(path, both.entries, both.tests)
    return both


def file_path() -> Path | None:
    """Return the file that keeps the progress, or None where none is kept.

    The environment variable ``BOTTOMUP_PROGRESS`` names the file (empty: keep none). Without it,
    the file lies in the user's data folder, and none is kept where ``CI`` is set.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return Path(chosen).expanduser() if chosen else None
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        return None
    import platformdirs  # a hand-out names a file, and may do without the package

    return Path(platformdirs.user_data_dir("bottomup", appauthor=False)) / "progress.json"


def remember(report: Report) -> None:
    """Note the result of a check, unless there was none or the file cannot be written."""
    if report.status not in ("unsolved", "unchecked"):
        remember_entry(report.slug, report.passed, report.mistake)


def remember_entry(name: str, passed: bool, mistake: str | None = None) -> None:
    """Note a check of an exercise or a bed: whether it passed, and which mistake it showed."""
    path = file_path()
    if path is None:
        return
    entries, tests = _read(path)
    entry = entries.get(name, {"checks": 0, "passed": False})
    mistakes = Counter(entry.get("mistakes", {}))
    if mistake:
        mistakes[mistake] += 1
    noted = {"mistakes": dict(mistakes)} if mistakes else {}
    passed = bool(entry["passed"]) or passed
    entries[name] = {"checks": entry["checks"] + 1, "passed": passed, **noted}
    _write(path, entries, tests)


def remember_test(slug: str, caught: int) -> None:
    """Note how many mistakes a test caught, unless the file cannot be written."""
    path = file_path()
    if path is None:
        return
    entries, tests = _read(path)
    entry = tests.get(slug, {"runs": 0, "caught": 0})
    tests[slug] = {"runs": entry["runs"] + 1, "caught": max(entry["caught"], caught)}
    _write(path, entries, tests)


def read_file(path: Path) -> Progress:
    """Return the progress that a file holds; none of a missing or damaged file."""
    return Progress(*_read(path))


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, int]]]:
    """Return the entries of exercises and of tests; none of a missing or damaged file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}, {}
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        return {}, {}
    return (
        _entries(content.get("exercises"), checks=int, passed=bool),
        _entries(content.get("tests"), runs=int, caught=int),
    )


def _entries(found: Any, **kinds: type) -> dict[str, dict[str, Any]]:
    """Return the entries whose fields are of these kinds."""
    return {
        slug: entry
        for slug, entry in (found.items() if isinstance(found, dict) else ())
        if isinstance(entry, dict)
        and all(isinstance(entry.get(name), kind) for name, kind in kinds.items())
        and _counts(entry.get("mistakes", {}))
    }


def _merged(ones: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of both, of each the larger; what was passed in one is passed."""
    pairs = {
        name: (ones.get(name, others.get(name)), others.get(name, ones.get(name)))
        for name in {**ones, **others}
    }
    return {
        name: _merged(*pair) if isinstance(pair[0], Mapping) else max(pair)
        for name, pair in pairs.items()
    }


def _counts(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(count, int) for count in found.values())


def _write(path: Path, entries: dict[str, Any], tests: dict[str, Any]) -> None:
    """Write the file; a read-only home must not get in the way of a check."""
    with suppress(OSError):
        text = _content(entries, tests)
        write_atomically(path, lambda file: file.write(text.encode()))


def _content(entries: dict[str, Any], tests: dict[str, Any]) -> str:
    content = {"schema": SCHEMA, "exercises": entries} | ({"tests": tests} if tests else {})
    return json.dumps(content, indent=1, sort_keys=True) + "\n"
