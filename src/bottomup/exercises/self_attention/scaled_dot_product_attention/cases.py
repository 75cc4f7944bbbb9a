"""Cases of scaled dot-product attention (Vaswani et al., 2017, equation 1)."""

from math import exp, log, sqrt
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, booleans, case, normal, tensor
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _
from bottomup.masks import padding_mask


def compare(got: Any, expected: tuple[Tensor, Tensor], case: Case) -> str | None:
    """Say which of output and weights differs."""
    if got is None:
        return difference(got, expected)
    if not (isinstance(got, tuple | list) and [isinstance(x, Tensor) for x in got] == [True] * 2):
        kind = name_of_kind(got)
        return _("It returned {got}, expected two tensors: output, weights.").format(got=kind)
    names = (_("output"), _("weights"))
    for name, ours, theirs in zip(names, got, expected, strict=True):
        if (sentence := difference(ours, theirs)) is not None:
            return _("In the {name}: {sentence}").format(name=name, sentence=sentence)
    return None


def allowing_the_first(mask: Tensor) -> Tensor:
    mask[..., 0] = True
    return mask


def with_an_empty_row(mask: Tensor) -> Tensor:
    mask[1, 2] = False
    return mask


def in_a_batch(x: Tensor) -> Tensor:
    return x[None]


def some(*shape: int) -> Drawn:
    """A mask that leaves every query something."""
    return booleans(*shape, true=0.6).then(allowing_the_first)


# d_key = 4: after scaling, the scores of the queries are 0, ln 3, 0 and 0, 0, ln 2
TWO_QUERIES = tensor([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
THREE_KEYS = tensor([[1.0, -1.0, 0.0, 0.0], [log(3), log(3), 0.0, 0.0], [0.0, 0.0, log(2), log(2)]])
THREE_VALUES = tensor([[20.0, 0.0], [0.0, 20.0], [20.0, 20.0]])

SECOND, THIRD = exp(1 / sqrt(2)), exp(2 / sqrt(2))  # scores [0], [1, 0], [1, 1, 3], over root two

# the score of a key, after scaling, is its second number
ONE_QUERY = tensor([[0.0, 2.0, 0.0, 0.0]])
LAST_MASKED = tensor([[True, True, False]])
LOWEST = torch.finfo(torch.float32).min

CASES = (
    case(
        _("two queries, three keys of width four"),
        query=TWO_QUERIES,
        key=THREE_KEYS,
        value=THREE_VALUES,
        gives=(
            tensor([[8.0, 16.0], [15.0, 15.0]]),
            tensor([[0.2, 0.6, 0.2], [0.25, 0.25, 0.5]]),  # 1 : 3 : 1 and 1 : 1 : 2
        ),
    ),
    case(
        _("three positions under a causal mask"),
        query=tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        key=tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0]]),
        value=tensor([[1.0], [2.0], [4.0]]),
        mask=tensor([[True, False, False], [True, True, False], [True, True, True]]),
        gives=(
            tensor([[1.0], [(SECOND + 2) / (SECOND + 1)], [(1 + 2 + 4 * THIRD) / (THIRD + 2)]]),
            tensor(
                [
                    [1, 0, 0],
                    [SECOND / (SECOND + 1), 1 / (SECOND + 1), 0],
                    [1 / (THIRD + 2), 1 / (THIRD + 2), THIRD / (THIRD + 2)],
                ]
            ),
        ),
    ),
    case(
        _("a batch without a mask"),
        seed=1,
        query=normal(2, 3, 7),
        key=normal(2, 5, 7),
        value=normal(2, 5, 11),
    ),
    case(
        _("two heads without a mask"),
        seed=2,
        query=normal(3, 2, 5, 11),
        key=normal(3, 2, 7, 11),
        value=normal(3, 2, 7, 13),
    ),
    case(
        _("every axis of length two"),
        seed=8,
        query=normal(2, 2, 2, 2),
        key=normal(2, 2, 2, 2),
        value=normal(2, 2, 2, 2),
    ),
    case(
        _("as many queries as keys"),
        seed=3,
        query=normal(2, 5, 7),
        key=normal(2, 5, 7),
        value=normal(2, 5, 3),
        mask=some(5, 5),
    ),
    case(
        _("padding, the same for all heads"),
        seed=4,
        query=normal(2, 3, 5, 11),
        key=normal(2, 3, 7, 11),
        value=normal(2, 3, 7, 2),
        mask=tensor([4, 7]).then(lambda lengths: padding_mask(lengths)[:, None]),
    ),
    case(
        _("float64, with a mask"),
        seed=5,
        query=normal(2, 2, dtype=torch.float64),
        key=normal(3, 2, dtype=torch.float64),
        value=normal(3, 2, dtype=torch.float64),
        mask=some(2, 3),
    ),
    case(
        _("one query and one key"),
        seed=6,
        query=normal(2, 1, 3),
        key=normal(2, 1, 3),
        value=normal(2, 1, 5),
    ),
    case(
        _("a row with nothing allowed"),
        query=TWO_QUERIES,
        key=THREE_KEYS,
        value=THREE_VALUES,
        mask=tensor([[True, False, True], [False, False, False]]),
    ),
    case(
        _("one mask for all queries of a batch, without the other axes"),
        query=TWO_QUERIES.then(in_a_batch),
        key=THREE_KEYS.then(in_a_batch),
        value=THREE_VALUES.then(in_a_batch),
        mask=tensor([True, False, True]),
        gives=(  # 1 : 1 and 1 : 2
            tensor([[[20.0, 10.0], [20.0, 40 / 3]]]),
            tensor([[[1 / 2, 0.0, 1 / 2], [1 / 3, 0.0, 2 / 3]]]),
        ),
    ),
    case(
        _("one truth value for each query"),
        query=TWO_QUERIES,
        key=THREE_KEYS,
        value=THREE_VALUES,
        mask=tensor([[True], [False]]),
        gives=(
            tensor([[8.0, 16.0], [0.0, 0.0]]),
            tensor([[0.2, 0.6, 0.2], [0.0, 0.0, 0.0]]),
        ),
    ),
    case(
        _("a batch with an empty row"),
        seed=7,
        query=normal(2, 3, 7),
        key=normal(2, 5, 7),
        value=normal(2, 5, 11),
        mask=some(2, 3, 5).then(with_an_empty_row),
    ),
    case(
        _("large scores"),
        query=tensor([[0.0, 2.0, 0.0, 0.0], [0.0, -2.0, 0.0, 0.0]]),  # up to 101, down to -101
        key=tensor([[0.0, 100.0, 0.0, 0.0], [0.0, 101.0, 0.0, 0.0], [0.0, 99.0, 0.0, 0.0]]),
        value=tensor([[1.0], [2.0], [3.0]]),
        mask=tensor([[True, True, True]]),
    ),
    case(
        _("allowed scores far below zero"),
        query=tensor([[1.0]]),
        key=tensor([[LOWEST], [LOWEST], [0.0]]),  # no number of float32 is lower
        value=tensor([[1.0], [2.0], [3.0]]),
        mask=LAST_MASKED,
        gives=(tensor([[1.5]]), tensor([[0.5, 0.5, 0.0]])),
    ),
    case(
        _("a masked score far above the others"),
        query=ONE_QUERY,
        key=tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 300.0, 0.0, 0.0]]),
        value=tensor([[1.0], [2.0], [3.0]]),
        mask=LAST_MASKED,
    ),
)
