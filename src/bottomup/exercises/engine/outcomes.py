"""What the solution and the wrong answers of an exercise do on its cases, worked out before.

A check of an answer needs all of that, and runs it where nothing has been loaded. In a page of the
site, where torch is slow, it is loaded: the file that `saved` makes holds the values that torch
gave at the build. Tensors are kept as their numbers, so that another torch can read them. Of many
wrong answers only few are looked at, so that each run is read when it is asked for.
"""

import io
import pickle
import re
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
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
PACKAGE = __name__.partition(".")[0]  # what a hand-out carries has another name
LARGE = 100_000  # bytes of numbers; more than that are packed

Numbers = tuple[str, tuple[int, ...], bytes]  # a tensor's dtype, shape and numbers


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

    runs: Sequence[Run]
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
    tensors, expected, wrong = pickle.loads(data)
    kept = _Tensors(tensors)
    LOADED[slug] = Outcomes(
        kept.read(expected), tuple(Wrong(_Runs(runs, kept), *said) for runs, *said in wrong)
    )


def saved(outcomes: Outcomes) -> bytes:
    """Return outcomes as bytes."""
    tensors: list[Numbers] = []
    places: dict[Numbers, int] = {}

    def written(value: Any) -> bytes:
        file = io.BytesIO()
        _Writer(file, tensors, places).dump(value)
        return file.getvalue()

    expected = written(outcomes.expected)
    wrong = [
        ([written(tuple(run)) for run in each.runs], each.wrong, each.shared)
        for each in outcomes.wrong
    ]
    return pickle.dumps((tensors, expected, wrong), protocol=5)


class _Writer(pickle.Pickler):
    """Writes in place of a tensor where it stands among all, equal ones once."""

    def __init__(
        self, file: io.BytesIO, tensors: list[Numbers], places: dict[Numbers, int]
    ) -> None:
        super().__init__(file, protocol=5)
        self._tensors, self._places = tensors, places

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, BaseException):
            return "error", type(value)  # its message and its traceback say nothing here
        if isinstance(value, np.ndarray):
            return "array", value.shape, value.flatten().tolist()
        if not isinstance(value, Tensor):
            return None
        numbers = array(CODES[value.dtype], value.detach().flatten().tolist()).tobytes()
        packed = min(numbers, zlib.compress(numbers), key=len) if len(numbers) > LARGE else numbers
        known = (str(value.dtype).removeprefix("torch."), tuple(value.shape), packed)
        if known not in self._places:
            self._places[known] = len(self._tensors)
            self._tensors.append(known)
        return "tensor", self._places[known]


class _Tensors:
    """Tensors that were written, each made when it is first asked for."""

    def __init__(self, written: Sequence[Numbers]) -> None:
        self._written = written
        self._made: dict[int, Tensor] = {}

    def read(self, data: bytes) -> Any:
        """Return a value that was written with them."""
        return _Reader(io.BytesIO(data), self).load()

    def __getitem__(self, place: int) -> Tensor:
        if place not in self._made:
            name, shape, numbers = self._written[place]
            dtype = getattr(torch, name)
            values = array(CODES[dtype])
            packed = len(numbers) < prod(shape) * values.itemsize
            values.frombytes(zlib.decompress(numbers) if packed else numbers)
            self._made[place] = torch.tensor(values.tolist(), dtype=dtype).reshape(shape)
        return self._made[place]


class _Runs(Sequence[Run]):
    """What an answer did, by case."""

    def __init__(self, written: Sequence[bytes], tensors: _Tensors) -> None:
        self._written, self._tensors = written, tensors

    def __len__(self) -> int:
        return len(self._written)

    def __getitem__(self, index: Any) -> Any:
        return Run(*self._tensors.read(self._written[index]))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, tensors: _Tensors) -> None:
        super().__init__(file)
        self._tensors = tensors

    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(re.sub(r"^bottomup\b", PACKAGE, module), name)

    def persistent_load(self, kept: Sequence[Any]) -> Any:
        kind, *parts = kept
        if kind == "error":
            return parts[0]()
        if kind == "array":
            shape, values = parts
            return np.array(values, dtype=object).reshape(shape)
        return self._tensors[parts[0]]
