"""Exercises that are checked, mistakes that are named, and tests that catch them.

In a notebook: ``check("masked-softmax", masked_softmax)``, ``hint("masked-softmax")``,
``solution("masked-softmax")``, ``catch("masked-softmax", test_masked_softmax)``, ``progress()``.
"""

from bottomup.exercises.engine.catch_report import Catch, Survivor
from bottomup.exercises.engine.catching import catch
from bottomup.exercises.engine.checking import check
from bottomup.exercises.engine.exercise import Case, Exercise, Mistake
from bottomup.exercises.engine.hints import hint, solution
from bottomup.exercises.engine.progress_file import progress
from bottomup.exercises.engine.registry import catalog
from bottomup.exercises.engine.report import Report

__all__ = [
    "Case",
    "Catch",
    "Exercise",
    "Mistake",
    "Report",
    "Survivor",
    "catalog",
    "catch",
    "check",
    "hint",
    "progress",
    "solution",
]
