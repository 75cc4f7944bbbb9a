"""What an exercise says about an answer, and tables of mistakes with the answers that make them.

``TRIALS=FILE pytest tests/exercises/trials`` writes down every report, as `tools.exercises.dump`
does for the answers that the course holds: an answer's name is its test and a number.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bottomup.exercises import Exercise, Report
from bottomup.exercises.engine.checking import examine
from tools.exercises import dump

Answer = Callable[..., Any]
ASKED = Counter[str]()  # how often each test has asked


def expected_of(exercise: Exercise, case: int) -> Any:
    """What the solution gives on that case."""
    return exercise.run(exercise.solution, exercise.cases[case].fresh())


def report_on(exercise: Exercise, answer: Answer) -> Report:
    report = examine(exercise, answer)
    if path := os.environ.get("TRIALS"):
        test = os.environ["PYTEST_CURRENT_TEST"].removesuffix(" (call)")
        number, ASKED[test] = ASKED[test], ASKED[test] + 1
        with open(path, "a", encoding="utf-8") as file:  # a line is written whole
            file.write(json.dumps(dump.line(f"{test} {number}", report)) + "\n")
    return report


def named(exercise: Exercise, answer: Answer) -> str | None:
    """The mistake that the report names."""
    return report_on(exercise, answer).misconception


def is_plain(exercise: Exercise, answer: Answer, sentence: str) -> bool:
    """Whether the report names no mistake, says the sentence and counts the cases."""
    report = report_on(exercise, answer)
    said = sentence in repr(report) and "cases agree with the solution" in report.message
    return report.status == "failed" and report.misconception is None and said


def wrong_answers(table: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Run a test with each `wrong` answer and its `mistake`, from a table by mistakes.

    A mistake stands beside its wrong answer, or a list of them; what an answer is, or what is
    changed in one, is for the test to know.
    """
    rows = [
        (wrong, mistake)
        for mistake, answers in table.items()
        for wrong in (answers if isinstance(answers, list) else [answers])
    ]
    return pytest.mark.parametrize("wrong, mistake", rows, ids=[mistake for _, mistake in rows])
