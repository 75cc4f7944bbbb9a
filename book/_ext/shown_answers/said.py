"""What `check` says to the answers that a page shows, and `catch` to the tests, made at the build.

The language is that of the build. The text says which mistake an answer makes, so that nothing has
to be recognised; a test sees to it that `check` recognises it.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Any

from bottomup.exercises import Catch, Exercise, Report, Survivor
from bottomup.exercises.engine.catching import examine_test
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.diagnose import Diagnosis
from bottomup.exercises.engine.registry import find, places
from bottomup.exercises.engine.source import run

STYLE = re.compile(r' style="[^"]*"')


@cache
def of(slug: str) -> dict[str, Any]:
    """Return answers and tests of an exercise with what is said to them, and its solution.

    Nothing where there is no such exercise.
    """
    if slug not in places():
        return {}
    exercise = find(slug)
    return {
        "answers": answers(exercise),
        "tests": [
            {"kind": kind, "source": exercise.tests[kind], "html": said_to(exercise, kind)}
            for kind in exercise.tests
            if kind != "weak"
        ],
        "solution": exercise.source,
    }


def answers(exercise: Exercise) -> list[dict[str, Any]]:
    """Return the wrong answers that are shown, each with its mistake and the report on it.

    Where it differs from the solution is left out: here both can be seen.
    """
    found = []
    for mistake in exercise.mistakes:
        for form in mistake.forms:
            if form.kind == "shown":
                report = examine(exercise, form.answer, known=Diagnosis(mistake, form))
                shown = html(replace(report, edit=()))
                found.append({"mistake": mistake.slug, "source": form.source, "html": shown})
    return found


def said_to(exercise: Exercise, kind: str) -> str:
    """Return the report on a test, and on a wrong answer that it lets pass, as HTML."""
    report = catch_of(exercise, exercise.tests[kind])
    said: list[Catch | Survivor] = [report] if report.passed else [report, report.survivor()]
    return "\n".join(map(html, said))


def catch_of(exercise: Exercise, source: str) -> Catch:
    """Return what `catch` says to a test."""
    test = run(source, f"test_{exercise.answer_name}", f"test of {exercise.slug}")
    return examine_test(exercise, test)


def html(report: Report | Catch | Survivor) -> str:
    """Return a report that leaves its looks to the page's style sheet."""
    return STYLE.sub("", report._repr_html_())
