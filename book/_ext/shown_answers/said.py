"""What `check` says to the answers that a page shows, and `catch` to the tests, made at the build.

The language is that of the build. Which mistake an answer makes stands in the text, so that nothing
has to be recognised; that `check` recognises it is tested.
"""

import linecache
import re
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from bottomup.exercises import Catch, Exercise, Report, Survivor
from bottomup.exercises.engine.catching import examine_test
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.diagnose import Diagnosis
from bottomup.exercises.engine.registry import find, places

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
    """Return what `catch` says to a test, as in a notebook that has imported torch."""
    name, lines = f"<test of {exercise.slug}>", source.splitlines(keepends=True)
    linecache.cache[name] = len(source), None, lines, name
    namespace: dict[str, Any] = {"torch": torch, "__name__": "__main__"}
    exec(compile(source, name, "exec"), namespace)
    return examine_test(exercise, namespace[f"test_{exercise.answer_name}"])


def html(report: Report | Catch | Survivor) -> str:
    """Return a report that leaves its looks to the page's style sheet."""
    return STYLE.sub("", report._repr_html_())
