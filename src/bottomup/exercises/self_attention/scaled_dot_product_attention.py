"""Exercise: scaled dot-product attention (Vaswani et al., 2017, equation 1)."""

from collections.abc import Callable
from math import inf, log
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask


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


Pair = tuple[Tensor, Tensor]


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


# ---- One thing wrong: what the mistakes are made of

TWO_HEADS = _("two heads without a mask")
Answer = Callable[..., Pair]
Normalise = Callable[[Tensor, Tensor], Tensor]  # scores and mask -> weights
Score = Callable[[Tensor, Tensor, Tensor], Tensor]  # query, key, value -> scores


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT


def fill(scores: Tensor, mask: Tensor, value: float = -inf) -> Tensor:
    return scores.masked_fill(~mask, value)


def guard(weights: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)


def right(scores: Tensor, mask: Tensor) -> Tensor:
    return guard(fill(scores, mask).softmax(-1), mask)


def nan_rows(scores: Tensor, mask: Tensor) -> Tensor:
    """Right but for a row in which nothing is allowed."""
    return fill(scores, mask).softmax(-1)


def uniform_rows(scores: Tensor, mask: Tensor) -> Tensor:
    """Right but for a row in which nothing is allowed, and for scores near the fill."""
    return fill(scores, mask, -1e9).softmax(-1)


def everything(scores: Tensor, mask: Tensor | None) -> Tensor:
    return torch.ones_like(scores, dtype=torch.bool) if mask is None else mask


def scored(score: Score, normalise: Normalise = right) -> Answer:
    """Right but for the scores, and for the way from scores and mask to weights if one is given."""

    def wrong(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
        scores = score(query, key, value)
        weights = normalise(scores, everything(scores, mask))
        return weights @ value, weights

    return wrong


def however_masked(score: Score) -> tuple[Answer, ...]:
    """Wrong scores: with right weights, with a row of NaN and with a row of equal weights."""
    return tuple(scored(score, normalise) for normalise in (right, nan_rows, uniform_rows))


def divided_by(divisor: Callable[[Tensor, Tensor, Tensor], Tensor | float]) -> Score:
    """Scores that are right but for what they are divided by."""
    return lambda query, key, value: dots(query, key) / divisor(query, key, value)


def normalised(normalise: Normalise) -> Answer:
    """Right but for the way from scores and mask to weights."""
    return scored(divided_by(lambda query, key, value: query.shape[-1] ** 0.5), normalise)


right_answer = normalised(right)


# ---- Mistakes: what is done with the mask

FAR_BELOW = _("allowed scores far below zero")
FAR_ABOVE = _("a masked score far above the others")


def _masked(normalise: Normalise) -> Answer:
    """Right but for what it does with a mask; right where there is none."""
    with_mask = normalised(normalise)
    return lambda *inputs: with_mask(*inputs) if len(inputs) == 4 else right_answer(*inputs)


def _renormalised(scores: Tensor, mask: Tensor, floor: float = 0.0) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / (weights.sum(-1, keepdim=True) + floor)


MASKING = (
    Mistake(
        "mask-ignored",
        _masked(lambda scores, mask: scores.softmax(-1)),
        (_masked(lambda scores, mask: guard(scores.softmax(-1), mask)),),
    ),
    Mistake("mask-after-softmax", _masked(lambda scores, mask: scores.softmax(-1) * mask)),
    Mistake(
        "masked-scores-in-the-sum",
        _masked(_renormalised),
        (
            _masked(lambda scores, mask: guard(_renormalised(scores, mask), mask)),
            _masked(lambda scores, mask: _renormalised(scores, mask, 1e-9)),
        ),
        case=FAR_ABOVE,
    ),
    Mistake(
        "inverted-mask",
        _masked(lambda scores, mask: guard(fill(scores, ~mask).softmax(-1).nan_to_num(), mask)),
        (
            _masked(lambda scores, mask: fill(scores, ~mask).softmax(-1).nan_to_num()),
            _masked(lambda scores, mask: guard(fill(scores, ~mask).softmax(-1), ~mask)),
            _masked(lambda scores, mask: guard(fill(scores, ~mask).softmax(-1), mask)),
            _masked(lambda scores, mask: fill(scores, ~mask).softmax(-1)),
            _masked(lambda scores, mask: fill(scores, ~mask, -1e9).softmax(-1)),
            normalised(lambda scores, mask: fill(scores, ~mask).softmax(-1).nan_to_num()),
            normalised(lambda scores, mask: guard(fill(scores, ~mask).softmax(-1), mask)),
        ),
    ),
    Mistake(
        "masked-score-zero",
        _masked(lambda scores, mask: (scores * mask).softmax(-1)),
        (_masked(lambda scores, mask: guard((scores * mask).softmax(-1), mask)),),
    ),
    Mistake("uniform-empty-row", _masked(uniform_rows)),
    Mistake(
        "finite-fill",
        _masked(lambda scores, mask: guard(fill(scores, mask, -1e6).softmax(-1), mask)),
        (
            _masked(lambda scores, mask: fill(scores, mask, -1e6).softmax(-1)),
            _masked(lambda scores, mask: fill(scores, mask, -1e4).softmax(-1)),
            _masked(lambda scores, mask: guard(fill(scores, mask, -1e4).softmax(-1), mask)),
        ),
        case=FAR_BELOW,
    ),
    Mistake("nan-row", _masked(nan_rows)),
)


# ---- Mistakes: what the scores are divided by


def _over(divisor: Callable[[Tensor, Tensor, Tensor], float]) -> Answer:
    return scored(divided_by(divisor))


def _over_lengths(length: Callable[[Tensor, Tensor], Tensor]) -> tuple[Answer, ...]:
    """Divided by lengths of vectors; the masked scores and the empty rows in three ways."""
    return however_masked(divided_by(lambda query, key, value: length(query, key)))


def _of_each_key(key: Tensor) -> Tensor:
    return key.norm(dim=-1).unsqueeze(-2)  # [..., 1, key]


def _of_both(query: Tensor, key: Tensor) -> Tensor:
    return query.norm(dim=-1, keepdim=True) * _of_each_key(key)


def _d_model(query: Tensor) -> int:
    heads = query.shape[-3] if query.dim() == 4 else 1
    return heads * query.shape[-1]


def _scaled_late(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    scores = dots(query, key)
    weights = right(scores, everything(scores, mask)) / query.shape[-1] ** 0.5
    return weights @ value, weights


NO_SCALE = however_masked(divided_by(lambda query, key, value: 1))
ROOT_MISSING = however_masked(divided_by(lambda query, key, value: query.shape[-1]))
BY_LENGTH = _over_lengths(lambda query, key: _of_each_key(key))
BY_BOTH_LENGTHS = _over_lengths(_of_both)

SCALES = (
    Mistake("no-scale", NO_SCALE[0], NO_SCALE[1:]),
    Mistake("root-missing", ROOT_MISSING[0], ROOT_MISSING[1:]),
    Mistake("scale-multiplied", _over(lambda query, key, value: query.shape[-1] ** -0.5)),
    Mistake(
        "root-of-the-number-of-keys",
        _over(lambda query, key, value: key.shape[-2] ** 0.5),
        (_over(lambda query, key, value: query.shape[-2] ** 0.5),),
    ),
    Mistake("root-of-d-value", _over(lambda query, key, value: value.shape[-1] ** 0.5)),
    Mistake(
        "root-of-d-model",
        _over(lambda query, key, value: _d_model(query) ** 0.5),
        (
            _over(lambda query, key, value: (query.shape[1] * query.shape[-1]) ** 0.5),
            _over(lambda query, key, value: (query.shape[0] * query.shape[-1]) ** 0.5),
        ),
        case=TWO_HEADS,
    ),
    Mistake("scaled-after-the-softmax", _scaled_late),
    Mistake(
        "norm-in-place-of-the-width",
        BY_LENGTH[0],
        (
            *BY_LENGTH[1:],
            *_over_lengths(lambda query, key: key.norm()),
            *_over_lengths(lambda query, key: key.norm(dim=(-2, -1), keepdim=True)),
            *_over_lengths(lambda query, key: key.norm(dim=-1, keepdim=True)),
            *_over_lengths(lambda query, key: _of_each_key(key).sqrt()),
            *_over_lengths(lambda query, key: key.norm().sqrt()),
            *_over_lengths(lambda query, key: query.norm(dim=-1, keepdim=True)),
        ),
    ),
    Mistake(
        "cosine",
        BY_BOTH_LENGTHS[0],
        (
            *BY_BOTH_LENGTHS[1:],
            *_over_lengths(lambda query, key: _of_both(query, key) * query.shape[-1] ** 0.5),
        ),
    ),
)


# ---- Mistakes: the softmax's axis, who reads whom

ALIKE = _("every axis of length two")


def _over_axis(axis: int) -> tuple[Answer, ...]:
    """Four ways to take the softmax over another axis: they differ where all of it is masked."""
    return (
        normalised(lambda scores, mask: fill(scores, mask).softmax(axis).nan_to_num()),
        normalised(lambda scores, mask: fill(scores, mask).softmax(axis)),
        normalised(lambda scores, mask: guard(fill(scores, mask).softmax(axis), mask)),
        normalised(lambda scores, mask: fill(scores, mask, -1e9).softmax(axis)),
    )


def _dots_with(turned: Callable[[Tensor], Tensor]) -> tuple[Answer, ...]:
    """Products of the queries with keys of which another pair of axes has changed places."""
    return however_masked(lambda query, key, value: query @ turned(key) / query.shape[-1] ** 0.5)


def _all_axes_turned(key: Tensor) -> Tensor:
    return key.permute(*reversed(range(key.dim())))  # as key.T


def _swapped(normalise: Normalise) -> Answer:
    right_order = normalised(normalise)
    return lambda *inputs: right_order(*inputs)[::-1]


def _weights_transposed(*inputs: Tensor) -> Pair:
    output, weights = right_answer(*inputs)
    return output, weights.mT


def _read_by_column(query: Tensor, key: Tensor, value: Tensor, *mask: Tensor) -> Pair:
    weights = right_answer(query, key, value, *mask)[1]
    return weights.mT @ value, weights


def _roles_swapped(query: Tensor, key: Tensor, value: Tensor, *mask: Tensor) -> Pair:
    return right_answer(key, query, value, *mask)


QUERY_AXIS, BATCH_AXIS, SECOND_AXIS = _over_axis(-2), _over_axis(0), _over_axis(1)

AXES = (
    Mistake("query-axis", QUERY_AXIS[0], QUERY_AXIS[1:]),
    Mistake(
        "counted-from-the-front", BATCH_AXIS[0], (*BATCH_AXIS[1:], *SECOND_AXIS), case=TWO_HEADS
    ),
)

ALL_TURNED = _dots_with(_all_axes_turned)
NOT_TURNED = _dots_with(lambda key: key)

TURNS = (
    Mistake(
        "axes-counted-from-the-front",
        ALL_TURNED[0],
        (
            *ALL_TURNED[1:],
            *_dots_with(lambda key: key.transpose(0, 1)),
            *_dots_with(lambda key: key.transpose(1, 2)),
        ),
        case=ALIKE,
    ),
    Mistake("key-not-transposed", NOT_TURNED[0], NOT_TURNED[1:], case=ALIKE),
)

ROLES = (
    Mistake("outputs-swapped", _swapped(right), (_swapped(nan_rows), _swapped(uniform_rows))),
    Mistake("roles-swapped", _roles_swapped),
    Mistake("weights-transposed", _weights_transposed),
    Mistake("read-by-column", _read_by_column),
)

MISTAKES = (*AXES, *TURNS, *SCALES, *ROLES, *MASKING)


# ---- Cases


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

ANSWERS = Answers(
    solution=scaled_dot_product_attention,
    alternatives=(with_einsum, with_exponentials, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare,
)
