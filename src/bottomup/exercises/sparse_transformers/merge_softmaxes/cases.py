"""Cases of one softmax from two, and how their values and gradients are compared."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Inputs, call_with_inputs, case, tensor
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import Differentiated, differentiate
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.exercises.engine.registry import find
from bottomup.i18n import _

GRADIENTS = _("gradients, where both sets have keys")


def random(
    name: str,
    *,
    seed: int,
    heads: int,
    queries: int,
    d_value: int,
    at: tuple[float, ...] = (0.0,),
    apart: tuple[float, ...] = (0.0,),
    empty: bool = False,
    dtype: torch.dtype = torch.float32,
) -> Case:
    """Log-sums around the numbers `at`, in turn; with `empty`, some sets have no keys.

    Those of the second set lie higher by the numbers `apart`, in turn.
    """

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        def in_turn(numbers: tuple[float, ...]) -> Tensor:
            repeated = torch.tensor(numbers, dtype=dtype).repeat(heads * queries)
            return repeated[: heads * queries].view(heads, queries)

        place = torch.arange(heads * queries).view(heads, queries)
        inputs: dict[str, Tensor] = {}
        levels = in_turn(at), in_turn(at) + in_turn(apart)
        for name, residue, level in zip("ab", (1, 2), levels, strict=True):
            out, log_sum = draw(heads, queries, d_value), draw(heads, queries)
            log_sum = log_sum + level
            if empty:  # remainder 0: both sets
                without = (place % 5 == residue) | (place % 5 == 0)
                out[without], log_sum[without] = 0.0, -inf
            inputs |= {f"out_{name}": out, f"log_sum_{name}": log_sum}
        return inputs

    return Case(name, make, seed)


CASES = (
    case(
        _("two queries, sums of 1 and 3, and of 2 and 2"),
        out_a=tensor([[[8.0], [8.0]]]),
        log_sum_a=tensor([[1.0, 2.0]]).then(torch.log),
        out_b=tensor([[[4.0], [4.0]]]),
        log_sum_b=tensor([[3.0, 2.0]]).then(torch.log),
        # 8 / 4 + 4 * 3 / 4, and 8 / 2 + 4 / 2
        gives=(tensor([[[5.0], [6.0]]]), tensor([[4.0, 4.0]]).then(torch.log)),
    ),
    case(
        _("one of the sets has no key for a query"),
        out_a=tensor([[[8.0], [0.0]]]),
        log_sum_a=tensor([[5.0, 0.0]]).then(torch.log),
        out_b=tensor([[[0.0], [4.0]]]),
        log_sum_b=tensor([[0.0, 3.0]]).then(torch.log),
        gives=(tensor([[[8.0], [4.0]]]), tensor([[5.0, 3.0]]).then(torch.log)),
    ),
    case(
        _("a query without any key"),
        out_a=tensor([[[0.0], [8.0]]]),
        log_sum_a=tensor([[0.0, 1.0]]).then(torch.log),
        out_b=tensor([[[0.0], [4.0]]]),
        log_sum_b=tensor([[0.0, 1.0]]).then(torch.log),
        gives=(tensor([[[0.0], [6.0]]]), tensor([[0.0, 2.0]]).then(torch.log)),
    ),
    case(
        _("one set far above the other"),
        out_a=tensor([[[8.0], [8.0]]]),
        log_sum_a=tensor([[0.0, 1000.0]]),
        out_b=tensor([[[4.0], [4.0]]]),
        log_sum_b=tensor([[1000.0, 0.0]]),
        gives=(tensor([[[4.0], [8.0]]]), tensor([[1000.0, 1000.0]])),
    ),
    case(
        _("a small share of a large output"),
        out_a=tensor([[[0.0], [5000.0]]]),
        log_sum_a=tensor([[999.0, 1.0]]).then(torch.log),
        out_b=tensor([[[5000.0], [0.0]]]),
        log_sum_b=tensor([[1.0, 999.0]]).then(torch.log),
        gives=(tensor([[[5.0], [5.0]]]), tensor([[1000.0, 1000.0]]).then(torch.log)),
    ),
    random(_("three heads"), seed=1, heads=3, queries=5, d_value=7),
    random(_("as many queries as numbers"), seed=2, heads=2, queries=5, d_value=5),
    random(_("as many heads, queries and numbers"), seed=3, heads=3, queries=3, d_value=3),
    random(_("queries without keys"), seed=4, heads=2, queries=11, d_value=3, empty=True),
    random(
        _("log-sums of about 1000 and -1000"),
        seed=5,
        heads=1,
        queries=4,
        d_value=1,
        at=(1000.0, -1000.0),
        dtype=torch.float64,
    ),
    random(
        _("log-sums of 100 and -100 in float32"),
        seed=6,
        heads=2,
        queries=7,
        d_value=3,
        at=(100.0, -100.0),
    ),
    random(_("float64"), seed=7, heads=2, queries=7, d_value=5, dtype=torch.float64),
    random(
        GRADIENTS,
        seed=8,
        heads=1,
        queries=4,
        d_value=2,
        at=(0.0, 1000.0, -1000.0, 1000.0),
        apart=(0.0, 0.0, 2000.0, -2000.0),
        dtype=torch.float64,
    ),
)


# ---- How an answer is run and compared: its values, then its gradients

NAMES = ("output", "log_sum")
compare_outputs = compare_named(*NAMES)


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer, and on one case ask for gradients, too.

    Values that are wrong are returned alone: their mistake is another one. So are those of an
    answer that writes to its inputs, which breaks gradients and is told for itself.
    """
    if case.name != GRADIENTS:
        return call_with_inputs(answer, case)
    inputs = {key: value.requires_grad_() for key, value in case.fresh().inputs.items()}
    copies = [leaf.clone() for leaf in inputs.values()]
    returned = answer(*copies)
    kept = all(map(torch.equal, copies, inputs.values()))
    right = find("merge-softmaxes").solution(*inputs.values())
    if not kept or compare_outputs(returned, right, case) is not None:
        return returned
    return differentiate(lambda *leaves: as_one(answer(*leaves)), inputs)


def as_one(pair: tuple[Tensor, Tensor]) -> Tensor:
    output, log_sum = pair
    return torch.cat([output, log_sum[..., None]], dim=-1)


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare output and log-sum, and where they were asked for and the values agree, gradients."""
    if isinstance(got, Differentiated) and isinstance(expected, Differentiated):
        return difference(got, expected)
    got, expected = values(got), values(expected)
    sentence = of_numpy(got) or compare_outputs(got, expected, case)
    if sentence is not None and finite_without_keys(got, expected):
        return _("{sentence} The log-sum of a query without keys is -inf.").format(
            sentence=sentence
        )
    return sentence


def values(value: Any) -> Any:
    if not isinstance(value, Differentiated):
        return value
    return value.value[..., :-1], value.value[..., -1]


def of_numpy(got: Any) -> str | None:
    """Say so where a pair holds an array of NumPy."""
    if not isinstance(got, tuple | list) or len(got) != len(NAMES):
        return None
    for name, ours in zip(NAMES, got, strict=True):
        if isinstance(ours, np.ndarray):
            return _("In {name}: {sentence}").format(
                name=name, sentence=difference(ours, torch.zeros(1))
            )
    return None


def finite_without_keys(got: Any, expected: Any) -> bool:
    """Whether the log-sum alone differs, and is a number where no key is read."""
    pair = isinstance(got, tuple | list) and len(got) == len(NAMES)
    if not pair or not all(isinstance(each, Tensor) for each in got):
        return False
    if difference(got[0], expected[0]) is not None or got[1].shape != expected[1].shape:
        return False
    return bool(got[1][expected[1] == -inf].isfinite().any())
