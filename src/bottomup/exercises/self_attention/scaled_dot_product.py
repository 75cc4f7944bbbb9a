"""Exercise: scaled dot-product attention (Vaswani et al., 2017, equation 1)."""

from collections.abc import Callable
from math import log
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.compare import difference, name_of_kind
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.self_attention.scaled_dot_product_masking import FAR_ABOVE, FAR_BELOW
from bottomup.exercises.self_attention.scaled_dot_product_mistakes import (
    ALIKE,
    MISCONCEPTIONS,
)
from bottomup.exercises.self_attention.scaled_dot_product_parts import TWO_HEADS, Pair
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask

STUB = '''\
def scaled_dot_product_attention(query, key, value, mask=None):
    """Weights from scaled dot products, and what they read of the values.

    query [..., query, d_key], key [..., key, d_key],
    value [..., key, d_value]; mask: None, or boolean, True = may attend,
    broadcastable to [..., query, key].
    Returns (output, weights): [..., query, d_value] and [..., query, key].
    A query that may attend to nothing gets zeros in both.
    """
    ...
'''


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    # a row in which nothing is allowed is NaN until here
    weights = torch.where(mask.any(dim=-1, keepdim=True), weights, 0)
    return weights @ value, weights


def with_einsum(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    scores = torch.einsum("...qd,...kd->...qk", query * key.shape[-1] ** -0.5, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return torch.einsum("...qk,...kd->...qd", weights, value), weights


def with_exponentials(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Pair:
    scores = (query @ key.mT).div(key.shape[-1] ** 0.5)
    scores = scores if mask is None else scores.where(mask, -torch.inf)
    largest = scores.amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    exponentials = (scores - largest).exp()
    weights = exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1)
    return weights @ value, weights


def with_loops(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    shape = (*query.shape[:-1], key.shape[-2])
    weights = torch.zeros(shape, dtype=query.dtype)
    allowed = torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)
    for *leading, i in torch.cartesian_prod(*map(torch.arange, (*shape[:-1], 1)))[:, :-1].tolist():
        row = (*leading, i)
        if allowed[row].any():
            keys = key[tuple(leading)][allowed[row]]
            weights[row][allowed[row]] = torch.softmax(
                keys @ query[row] / len(query[row]) ** 0.5, 0
            )
    return weights @ value, weights


def compare(got: Any, expected: Pair, case: Case) -> str | None:
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


Make = Callable[[torch.Generator], Inputs]


def _random(
    leading: tuple[int, ...], queries: int, keys: int, d_key: int, d_value: int,
    mask: tuple[int, ...] | None = None, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Random inputs; with a mask of the given shape that allows every query the first key."""

    def make(generator: torch.Generator) -> Inputs:
        shapes = {"query": (queries, d_key), "key": (keys, d_key), "value": (keys, d_value)}
        inputs = {
            name: torch.randn(*leading, *shape, generator=generator, dtype=dtype)
            for name, shape in shapes.items()
        }
        if mask is None:
            return inputs
        allowed = torch.rand(mask, generator=generator) < 0.6
        allowed[..., 0] = True
        return {**inputs, "mask": allowed}

    return make


def _hand(generator: torch.Generator) -> Inputs:
    # d_key = 4: the scores are 0, ln 3, 0 for the first query and 0, 0, ln 2 for the second
    a, b = log(3), log(2)
    return {
        "query": torch.tensor([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
        "key": torch.tensor([[1.0, -1.0, 0.0, 0.0], [a, a, 0.0, 0.0], [0.0, 0.0, b, b]]),
        "value": torch.tensor([[20.0, 0.0], [0.0, 20.0], [20.0, 20.0]]),
    }


def _causal(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        "key": torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 2.0]]),
        "value": torch.tensor([[1.0], [2.0], [4.0]]),
        "mask": causal_mask(3),
    }


def _padded(generator: torch.Generator) -> Inputs:
    inputs = _random((2, 3), 5, 7, 11, 2)(generator)
    return {**inputs, "mask": padding_mask(torch.tensor([4, 7]))[:, None]}


def _empty_row(generator: torch.Generator) -> Inputs:
    mask = torch.tensor([[True, False, True], [False, False, False]])
    return {**_hand(generator), "mask": mask}


def _empty_rows(generator: torch.Generator) -> Inputs:
    inputs = _random((2,), 3, 5, 7, 11, mask=(2, 3, 5))(generator)
    inputs["mask"][1, 2] = False
    return inputs


def _scored(*scores: float, last_allowed: bool = False) -> Make:
    """One query of width four whose scores, after scaling, are given; the last key is masked.

    Far below zero float32 is coarse, so the scores there lie so far apart that no digit counts.
    """

    def make(generator: torch.Generator) -> Inputs:
        key = torch.zeros(len(scores), 4)
        key[:, 1] = torch.tensor(scores)
        allowed = [True] * (len(scores) - 1) + [last_allowed]
        return {
            "query": torch.tensor([[0.0, 2.0, 0.0, 0.0]]),
            "key": key,
            "value": torch.arange(1.0, len(scores) + 1)[:, None],
            "mask": torch.tensor([allowed]),
        }

    return make


CASES = (
    Case(_("two queries, three keys of width four"), _hand),
    Case(_("three positions under a causal mask"), _causal),
    Case(_("a batch without a mask"), _random((2,), 3, 5, 7, 11), seed=1),
    Case(TWO_HEADS, _random((3, 2), 5, 7, 11, 13), seed=2),
    Case(ALIKE, _random((2, 2), 2, 2, 2, 2), seed=8),
    Case(_("as many queries as keys"), _random((2,), 5, 5, 7, 3, mask=(5, 5)), seed=3),
    Case(_("padding, the same for all heads"), _padded, seed=4),
    Case(_("float64, with a mask"), _random((), 2, 3, 2, 2, (2, 3), torch.float64), seed=5),
    Case(_("one query and one key"), _random((2,), 1, 1, 3, 5), seed=6),
    Case(_("a row with nothing allowed"), _empty_row),
    Case(_("a batch with an empty row"), _empty_rows, seed=7),
    Case(_("large scores"), _scored(100.0, 101.0, 99.0, last_allowed=True)),
    Case(FAR_BELOW, _scored(-2e6, -3e6, 1.0)),
    Case(FAR_ABOVE, _scored(1.0, 2.0, 300.0)),
)

SCALED_DOT_PRODUCT = Exercise(
    slug="scaled-dot-product-attention",
    title=_("Scaled dot-product attention"),
    chapter="02",
    difficulty=2,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Write down the shapes first. Which two axes of `key` must change places, so that "
            "`query @ key` gives a score for every pair?"
        ),
        _(
            "Divide the scores by the root of the width that was summed over, mask them, and only "
            "then take the softmax over the keys, the last axis."
        ),
        _(
            "`scores.masked_fill(~mask, -torch.inf)` masks. A row of -inf only becomes NaN in the "
            "softmax: `torch.where` with `mask.any(dim=-1, keepdim=True)` puts zeros there."
        ),
    ),
    solution=scaled_dot_product_attention,
    alternatives=(with_einsum, with_exponentials, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare,
)
