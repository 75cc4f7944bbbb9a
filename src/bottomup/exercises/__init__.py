"""Exercises that are checked, and mistakes that are named.

In a notebook: ``check("masked-softmax", masked_softmax)``, ``hint("masked-softmax")``,
``solution("masked-softmax")``, ``progress()``.
"""

from bottomup.exercises.engine.checking import check
from bottomup.exercises.engine.exercise import Case, Exercise, Misconception
from bottomup.exercises.engine.hints import hint, solution
from bottomup.exercises.engine.progress_file import progress
from bottomup.exercises.engine.registry import catalog
from bottomup.exercises.engine.report import Report

__all__ = [
    "Case",
    "Exercise",
    "Misconception",
    "Report",
    "catalog",
    "check",
    "hint",
    "progress",
    "solution",
]
