"""Cases that every exercise gets where they fit, made from one of its own.

- *float64*: if the stub mentions the dtype and all cases are float32;
- *float16*: if the stub mentions the dtype and names none, for a constant that widens the result;
- *not contiguous*: the same values, with matrices that lie in memory column by column;
- *a batch of one*: if all tensors have the same first size, only the first entry;
- *again*: the same sizes with other numbers, for an answer that keeps what it computed before.

``WITHOUT = {"not contiguous": "the reason"}`` beside the cases leaves one out.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine.exercise import Case, Inputs
from bottomup.i18n import _

FLOAT64, FLOAT16, CONTIGUOUS = "float64", "float16", "not contiguous"
BATCH, AGAIN = "a batch of one", "again"
OTHER = 1000  # added to the seed


def shelf(cases: Sequence[Case], stub: str, without: Mapping[str, str]) -> tuple[Case, ...]:
    """Return the cases of the shelf that fit an exercise.

    Args:
        cases: its own.
        stub: its stub.
        without: names of those that it leaves out, with the reason.

    Raises:
        ValueError: `without` names one that does not fit.
    """
    fitting = dict(_fitting(cases, stub))
    for name in without:
        if name not in fitting:
            raise ValueError(f"WITHOUT: expected one of {', '.join(fitting)}, got {name!r}")
    return tuple(case for name, case in fitting.items() if name not in without)


def _fitting(cases: Sequence[Case], stub: str) -> Iterator[tuple[str, Case]]:
    drawn = [each for each in cases if each.seed and not each.wants_gradients and _tensors(each)]
    if not drawn:
        return
    base = drawn[0]
    kinds = {x.dtype for each in cases for x in _tensors(each) if x.is_floating_point()}
    if kinds == {torch.float32} and "dtype" in stub:
        yield FLOAT64, _twin(_("random numbers in float64"), base, _in(torch.float64))
    if kinds and "dtype" in stub and not re.search("float(32|64)", stub):
        yield FLOAT16, _twin(_("random numbers in float16"), base, _in(torch.float16))
    if any(min(x.shape[-2:]) > 1 for x in _tensors(base) if x.ndim > 1):
        yield CONTIGUOUS, _twin(_("matrices that are not contiguous in memory"), base, _by_columns)
    sizes = {len(x) for x in _tensors(base) if x.ndim}
    if len(sizes) == 1 and sizes != {1} and all(x.ndim for x in _tensors(base)):
        yield BATCH, _twin(_("a batch of one"), base, lambda x: x[:1].clone())
    name = _("the same sizes with other numbers")
    yield AGAIN, Case(name, base.make, base.seed + OTHER, own=False)


def _tensors(case: Case) -> list[Tensor]:
    return [value for value in case.inputs.values() if isinstance(value, Tensor)]


def _twin(name: str, base: Case, change: Callable[[Tensor], Tensor]) -> Case:
    """Return the case with each tensor among its inputs changed."""

    def make(generator: torch.Generator) -> Inputs:
        inputs: Mapping[str, Any] = base.make(generator)
        return {
            key: change(value) if isinstance(value, Tensor) else value
            for key, value in inputs.items()
        }

    return Case(name, make, base.seed, own=False)


def _in(dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    return lambda x: x.to(dtype) if x.is_floating_point() else x


def _by_columns(x: Tensor) -> Tensor:
    return x.mT.contiguous().mT if x.ndim > 1 else x
