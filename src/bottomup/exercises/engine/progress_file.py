"""Which exercises are solved, kept in one JSON file of the reader's."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from bottomup.exercises.engine.registry import catalog, places
from bottomup.exercises.engine.report import Report
from bottomup.i18n import _

VARIABLE = "BOTTOMUP_PROGRESS"
SCHEMA = 1


@dataclass(frozen=True, repr=False)
class Progress:
    """The exercises by slug, each with the number of checks and whether it was ever passed."""

    entries: dict[str, dict[str, Any]]

    @property
    def solved(self) -> tuple[str, ...]:
        """Slugs of the solved exercises, in the order of the book."""
        return tuple(slug for slug in places() if self.entries.get(slug, {}).get("passed"))

    def __repr__(self) -> str:
        rows = [f"  [{mark or ' '}] {chapter}  {title}" for chapter, title, mark in self._rows("x")]
        return "\n".join([self._heading(), *rows])

    def _repr_markdown_(self) -> str:
        columns = " | ".join((_("Chapter"), _("Exercise"), _("Solved")))
        rows = [f"| {' | '.join(row)} |" for row in self._rows(_("yes"))]
        return "\n".join([self._heading(), "", f"| {columns} |", "| --- | --- | --- |", *rows])

    def _heading(self) -> str:
        return _("{solved} of {count} exercises solved").format(
            solved=len(self.solved), count=len(places())
        )

    def _rows(self, mark: str) -> list[tuple[str, str, str]]:
        solved = self.solved
        return [
            (exercise.chapter, exercise.title, mark if exercise.slug in solved else "")
            for exercise in catalog().values()
        ]


def progress() -> Progress:
    """Return which exercises you have solved, on this machine."""
    path = file_path()
    return Progress(_read(path) if path else {})


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
    return Path(platformdirs.user_data_dir("bottomup", appauthor=False)) / "progress.json"


def remember(report: Report) -> None:
    """Note the result of a check, unless there was none or the file cannot be written."""
    path = file_path()
    if path is None or report.status in ("unsolved", "unchecked"):
        return
    try:
        entries = _read(path)
        entry = entries.get(report.slug, {"checks": 0, "passed": False})
        passed = bool(entry["passed"]) or report.passed
        entries[report.slug] = {"checks": entry["checks"] + 1, "passed": passed}
        _write(path, entries)
    except OSError:
        pass  # a read-only home must not get in the way of a check


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a file; none of a missing, damaged or foreign one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        return {}
    entries = content.get("exercises")
    items = entries.items() if isinstance(entries, dict) else ()
    return {slug: entry for slug, entry in items if _is_entry(entry)}


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("checks"), int)
        and isinstance(entry.get("passed"), bool)
    )


def _write(path: Path, entries: dict[str, dict[str, Any]]) -> None:
    """Replace the file in one step, so that an interrupted write leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"schema": SCHEMA, "exercises": entries}, indent=1, sort_keys=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
