"""The case that a report shows: the one that is read at a glance, with what was got on it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from torch import Tensor

from bottomup.exercises.engine.compare import differs_in_dtype_alone, lacks_gradients
from bottomup.exercises.engine.exercise import Mistake
from bottomup.exercises.engine.report import Evidence
from bottomup.exercises.engine.runner import Trial
from bottomup.exercises.engine.show import first_lines, show, show_apart
from bottomup.exercises.engine.where import located

AT_A_GLANCE = 40  # elements of all inputs together
LINES_OF_INPUTS = 40  # that are shown

Failure = tuple[Trial, Any, str]  # what the answer did, the expected value, how they differ


def evidence_of(trial: Trial, expected: Any, sentence: str = "") -> Evidence:
    """Return the case with its inputs, what an answer gave on it, and what was expected."""
    inputs = shortened({name: show(value) for name, value in trial.case.fresh().inputs.items()})
    got, theirs = None, show(expected)
    if trial.returned:
        got, theirs = show_apart(trial.value, expected)
    return Evidence(trial.case.name, inputs, got, theirs, sentence, first_lines(trial.printed))


def shortened(inputs: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Cut inputs to their first line, dtype and shape, the longest first, until all are short."""
    texts = dict(inputs)
    for name in sorted(inputs, key=lambda name: inputs[name].count("\n"), reverse=True):
        if sum(text.count("\n") + 1 for text in texts.values()) > LINES_OF_INPUTS:
            texts[name] = texts[name].partition("\n")[0]
    return tuple(texts.items())


def with_place(failure: Failure) -> str:
    """Return the sentence on how a value differs, and where it does."""
    trial, expected, sentence = failure
    try:
        place = located(trial.value, expected, trial.case.inputs, sentence)
    except Exception:  # an answer may return what cannot even be looked at
        place = ""
    return f"{sentence} {place}".rstrip()


def telling(named: Mistake, failures: list[Failure]) -> Failure:
    """The failure on the mistake's own case, else the smallest with a wrong value."""
    own = [failure for failure in failures if failure[0].case.name == named.case]
    returned = [failure for failure in failures if failure[0].returned]
    return own[0] if own else smallest(returned or failures)


def smallest(failures: list[Failure]) -> Failure:
    """The first failure that can be read at a glance, else the one with the smallest inputs.

    Gradients are shown where nothing else fails, or a dtype alone and gradients are lost.
    """
    values = [each for each in failures if not each[0].case.wants_gradients]
    lost = [each for each in failures if _holds(lacks_gradients, each)]
    dtypes_alone = all(_holds(differs_in_dtype_alone, each) for each in values)
    failures = lost if lost and dtypes_alone else values or failures
    sizes = [elements(dict(trial.case.inputs)) for trial, *_rest in failures]
    readable = [index for index, size in enumerate(sizes) if size <= AT_A_GLANCE]
    return failures[readable[0] if readable else sizes.index(min(sizes))]


def _holds(test: Callable[[Any, Any], bool], failure: Failure) -> bool:
    trial, expected, _sentence = failure
    try:
        return test(trial.value, expected)
    except Exception:  # an answer may return what cannot even be compared
        return False


def elements(value: Any) -> int:
    """Count the numbers in a value, those of containers together."""
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, dict):
        return elements(list(value.values()))
    return sum(map(elements, value)) if isinstance(value, list | tuple | set | frozenset) else 1
