"""Marks as tables: `grades.csv` for any gradebook, and `results.json` for Gradescope."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bottomup.classroom.marking import Mark, Marks
from bottomup.classroom.writing import write
from bottomup.exercises.engine.registry import find
from bottomup.i18n import _

POINTS = 10.0  # of an exercise


def write_grades(marks: Marks, slugs: Sequence[str], folder: Path, *, points: float) -> None:
    """Write `grades.csv`, and `results.json` of each student into a folder with the name.

    Args:
        marks: those of the class.
        slugs: the exercises.
        folder: where to.
        points: of an exercise that agrees on all cases; of another one that share of them.
    """
    for path in folder.glob("results/*/results.json"):  # of who is no longer in the class
        if path.parent.name not in marks:
            path.unlink()
            with suppress(OSError):  # where something else lies beside it
                path.parent.rmdir()
    write(folder / "grades.csv", table(marks, slugs, points))
    for student, own in marks.items():
        text = json.dumps(results(own, points), indent=1, ensure_ascii=False)
        write(folder / "results" / student / "results.json", text)


def table(marks: Marks, slugs: Sequence[str], points: float) -> str:
    """Return a line for each student: points, the sum, and what is said of each exercise."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    said = [_("{slug}: what was found").format(slug=slug) for slug in slugs]
    writer.writerow([_("student"), *slugs, _("sum"), *said])
    for student, own in sorted(marks.items()):
        gained = [round(points * own[slug].score, 2) for slug in slugs]
        told = [in_a_line(own[slug]) for slug in slugs]
        writer.writerow([_no_formula(student), *gained, round(sum(gained), 2), *told])
    return held.getvalue()


def in_a_line(mark: Mark) -> str:
    """Return what is said of an answer, in one line."""
    named = f"{mark.mistake}: " if mark.mistake else ""
    file = f" ({mark.file})" if mark.file else ""
    return _no_formula(" ".join(f"{named}{mark.message}{file}".split()))


def _no_formula(text: str) -> str:
    """Keep a spreadsheet from taking a text of a student's for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def results(marks: Mapping[str, Mark], points: float) -> dict[str, Any]:
    """Return the marks of one student as Gradescope's autograder wants them."""
    return {
        "tests": [
            {
                "name": find(slug).title,
                "score": round(points * mark.score, 2),
                "max_score": points,
                "status": "passed" if mark.status == "passed" else "failed",
                "output": "\n".join(filter(None, (in_a_line(mark), mark.evidence))),
                "visibility": "visible",
            }
            for slug, mark in marks.items()
        ]
    }
