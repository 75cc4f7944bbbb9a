"""What the solution and the wrong answers of an exercise do on its cases, worked out before.

A check of an answer needs all of that, and runs it where nothing has been loaded. In a page of the
site, where torch is slow, it is loaded: the file that `saved` makes holds the values that torch
gave at the build. Tensors are kept as their numbers, so that another torch can read them.
"""

import io
import pickle
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine.exercise import Exercise

CODES = {  # of `array`, which holds the numbers of a dtype exactly
    torch.float32: "f",
    torch.float16: "f",
    torch.bfloat16: "f",
    torch.float64: "d",
    torch.int64: "q",
    torch.int32: "i",
    torch.bool: "B",
}


class Run(NamedTuple):
    """What an answer did on a case: the value that it returned, or the error that it raised."""

    value: Any
    error: BaseException | None


@dataclass(frozen=True)
class Wrong:
    """What one wrong answer did on each of the exercise's own cases.

    Args:
        runs: that.
        wrong: on which cases it differs from the solution.
        shared: on which cases all other mistakes do the same.
    """

    runs: tuple[Run, ...]
    wrong: tuple[bool, ...]
    shared: tuple[bool, ...]


@dataclass(frozen=True)
class Outcomes:
    """What is known of one exercise.

    Args:
        expected: what the solution returns, by case.
        wrong: of every form that a mistake is recognised from, in the order of the text.
    """

    expected: tuple[Any, ...]
    wrong: tuple[Wrong, ...]


LOADED: dict[str, Outcomes] = {}


def loaded(exercise: Exercise) -> Outcomes | None:
    """Return what has been loaded for an exercise."""
    return LOADED.get(exercise.slug)


def load(slug: str, data: bytes) -> None:
    """Have the checks of an exercise use what `saved` returned, and run nothing of it again."""
    LOADED[slug] = _Reader(io.BytesIO(data)).load()


def saved(outcomes: Outcomes) -> bytes:
    """Return outcomes as bytes."""
    file = io.BytesIO()
    _Writer(file).dump(outcomes)
    return file.getvalue()


class _Writer(pickle.Pickler):
    """Writes equal tensors once."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self._seen: dict[tuple[Any, ...], int] = {}

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, BaseException):
            return "error", type(value)  # its message and its traceback say nothing here
        if isinstance(value, np.ndarray):
            return "array", value.shape, value.flatten().tolist()
        if not isinstance(value, Tensor):
            return None
        code = CODES[value.dtype]
        numbers = array(code, value.detach().flatten().tolist()).tobytes()
        known = (str(value.dtype).removeprefix("torch."), tuple(value.shape), numbers)
        if known in self._seen:
            return "seen", self._seen[known]
        self._seen[known] = len(self._seen)
        return "tensor", *known


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._seen: list[Tensor] = []

    def persistent_load(self, kept: Sequence[Any]) -> Any:
        kind, *parts = kept
        if kind == "seen":
            return self._seen[parts[0]]
        if kind == "error":
            return parts[0]()
        if kind == "array":
            shape, values = parts
            return np.array(values, dtype=object).reshape(shape)
        name, shape, numbers = parts
        dtype = getattr(torch, name)
        values = array(CODES[dtype])
        values.frombytes(numbers)
        self._seen.append(torch.tensor(values.tolist(), dtype=dtype).reshape(shape))
        return self._seen[-1]
