"""What an exercise says about an answer."""

from collections.abc import Callable
from typing import Any

from bottomup.exercises import Exercise
from bottomup.exercises.engine.checking import examine

Answer = Callable[..., Any]


def expected_of(exercise: Exercise, case: int) -> Any:
    """What the solution gives on that case."""
    return exercise.run(exercise.solution, exercise.cases[case].fresh())


def is_plain(exercise: Exercise, answer: Answer, sentence: str) -> bool:
    """Whether the report names no mistake, says the sentence and counts the cases."""
    report = examine(exercise, answer)
    said = sentence in repr(report) and "cases agree with the solution" in report.message
    return report.status == "failed" and report.mistake is None and said
