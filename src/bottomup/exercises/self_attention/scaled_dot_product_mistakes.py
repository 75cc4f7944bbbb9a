"""Mistakes in scaled dot-product attention: the softmax's axis, who reads whom."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.self_attention.scaled_dot_product_masking import MASKING
from bottomup.exercises.self_attention.scaled_dot_product_parts import (
    TWO_HEADS,
    Answer,
    Normalise,
    Pair,
    fill,
    guard,
    however_masked,
    nan_rows,
    normalised,
    right,
    right_answer,
    uniform_rows,
)
from bottomup.exercises.self_attention.scaled_dot_product_scales import SCALES
from bottomup.i18n import _

QUERY_AND_KEY, FORMULA = _("Query and key"), _("The formula")
WHO_READS_WHOM = _("Who reads whom")
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
    Misconception(
        "query-axis",
        QUERY_AXIS[0],
        _(
            "The softmax runs over the queries: each column of weights sums to one, not each row. "
            "Positions then compete for being allowed to read, and a position that loses "
            "everywhere reads almost nothing. Normalise over the keys, the last axis."
        ),
        FORMULA,
        QUERY_AXIS[1:],
    ),
    Misconception(
        "counted-from-the-front",
        BATCH_AXIS[0],
        _(
            "The softmax runs over an axis counted from the front, dim=0 or dim=1. That axis is "
            "the batch or the heads as soon as there are any, so a sentence's weights depend on "
            "the other sentences of its batch. The keys are the last axis: dim=-1."
        ),
        FORMULA,
        (*BATCH_AXIS[1:], *SECOND_AXIS),
        case=TWO_HEADS,
    ),
)

ALL_TURNED = _dots_with(_all_axes_turned)
NOT_TURNED = _dots_with(lambda key: key)

TURNS = (
    Misconception(
        "axes-counted-from-the-front",
        ALL_TURNED[0],
        _(
            "Other axes of `key` change places than the last two. `key.T` turns all axes round, "
            "and transpose(0, 1) counts from the front: right for one sentence, but a batch and "
            "heads stand in front. Mostly the shapes then do not fit. Count from the end: "
            "`key.transpose(-2, -1)`, for short `key.mT`."
        ),
        FORMULA,
        (
            *ALL_TURNED[1:],
            *_dots_with(lambda key: key.transpose(0, 1)),
            *_dots_with(lambda key: key.transpose(1, 2)),
        ),
        case=ALIKE,
    ),
    Misconception(
        "key-not-transposed",
        NOT_TURNED[0],
        _(
            "The product is query @ key, without a transpose: it sums over d_key of the query and "
            "over the positions of the key. Where the two numbers differ, the shapes do not fit; "
            "where they agree, nothing complains. scores[i, j] = query[i] · key[j] sums over d_key "
            "in both."
        ),
        QUERY_AND_KEY,
        NOT_TURNED[1:],
        case=ALIKE,
    ),
)

ROLES = (
    Misconception(
        "outputs-swapped",
        _swapped(right),
        _(
            "The two results come in the other order: weights, output. Who unpacks them as output, "
            "weights then hands the table of weights on to the next layer. Return the output "
            "first."
        ),
        FORMULA,
        (_swapped(nan_rows), _swapped(uniform_rows)),
    ),
    Misconception(
        "roles-swapped",
        _roles_swapped,
        _(
            "Query and key have changed places: row i holds the scores of key i for all queries. "
            "Position i then reads from those who look for it, not from those it looks for. With "
            "as many queries as keys nothing complains. scores[i, j] = query[i] · key[j]."
        ),
        QUERY_AND_KEY,
    ),
    Misconception(
        "weights-transposed",
        _weights_transposed,
        _(
            "The output is right, but the weights come out as [key, query]: row i then says who "
            "reads position i. Row i must say what position i reads, and it is the rows that sum "
            "to one."
        ),
        WHO_READS_WHOM,
    ),
    Misconception(
        "read-by-column",
        _read_by_column,
        _(
            "The weights are right, but the output is weights^T value: position i collects the "
            "values of those who read it. These weights sum to anything but one. Row i of the "
            "weights belongs to query i, so the output is weights @ value."
        ),
        WHO_READS_WHOM,
    ),
)

MISCONCEPTIONS = (*AXES, *TURNS, *SCALES, *ROLES, *MASKING)
