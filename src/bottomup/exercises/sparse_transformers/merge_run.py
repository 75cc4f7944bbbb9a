"""How an answer that merges two softmaxes is run and compared: its values, then its gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.compare import difference
from bottomup.exercises.exercise import Case, call_with_inputs
from bottomup.exercises.gradients import Differentiated, differentiate
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

NAMES = ("output", "log_sum")

_compare_values = compare_named(*NAMES)


def with_gradients_on(
    name: str, solution: Callable[..., Any]
) -> Callable[[Callable[..., Any], Case], Any]:
    """Return a way to run answers which also asks for gradients, on the case of that name.

    Values that are wrong are returned alone: their mistake is another one. So are those of an
    answer that writes to its inputs, which breaks gradients and is told for itself.
    """

    def run(answer: Callable[..., Any], case: Case) -> Any:
        if case.name != name:
            return call_with_inputs(answer, case)
        inputs = {key: value.requires_grad_() for key, value in case.fresh().inputs.items()}
        copies = [leaf.clone() for leaf in inputs.values()]
        returned = answer(*copies)
        kept = all(map(torch.equal, copies, inputs.values()))
        if not kept or _compare_values(returned, solution(*inputs.values()), case) is not None:
            return returned
        return differentiate(lambda *leaves: _as_one(answer(*leaves)), inputs)

    return run


def _as_one(pair: tuple[Tensor, Tensor]) -> Tensor:
    output, log_sum = pair
    return torch.cat([output, log_sum[..., None]], dim=-1)


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare output and log-sum, and where they were asked for and the values agree, gradients."""
    if isinstance(got, Differentiated) and isinstance(expected, Differentiated):
        return difference(got, expected)
    got, expected = _values(got), _values(expected)
    sentence = _numpy(got) or _compare_values(got, expected, case)
    if sentence is not None and _finite_without_keys(got, expected):
        return _("{sentence} The log-sum of a query without keys is -inf.").format(
            sentence=sentence
        )
    return sentence


def _values(value: Any) -> Any:
    if not isinstance(value, Differentiated):
        return value
    return value.value[..., :-1], value.value[..., -1]


def _numpy(got: Any) -> str | None:
    """Say so where a pair holds an array of NumPy."""
    if not isinstance(got, tuple | list) or len(got) != len(NAMES):
        return None
    for name, ours in zip(NAMES, got, strict=True):
        if isinstance(ours, np.ndarray):
            return _("In {name}: {sentence}").format(
                name=name, sentence=difference(ours, torch.zeros(1))
            )
    return None


def _finite_without_keys(got: Any, expected: Any) -> bool:
    """Whether the log-sum alone differs, and is a number where no key is read."""
    pair = isinstance(got, tuple | list) and len(got) == len(NAMES)
    if not pair or not all(isinstance(each, Tensor) for each in got):
        return False
    if difference(got[0], expected[0]) is not None or got[1].shape != expected[1].shape:
        return False
    return bool(got[1][expected[1] == -torch.inf].isfinite().any())
