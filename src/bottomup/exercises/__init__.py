"""Exercises that are checked, and mistakes that are named.

In a notebook: ``check("masked-softmax", masked_softmax)``, ``hint("masked-softmax")``,
``solution("masked-softmax")``, ``progress()``.
"""

from bottomup.exercises.checking import check
from bottomup.exercises.exercise import Case, Exercise, Misconception
from bottomup.exercises.hints import hint, solution
from bottomup.exercises.progress_file import progress
from bottomup.exercises.registry import catalog
from bottomup.exercises.report import Report

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
