"""Mistakes in scaled dot-product attention: the softmax's axis, the scale, who reads whom."""

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.self_attention.scaled_dot_product_masking import MASKING
from bottomup.exercises.self_attention.scaled_dot_product_parts import (
    Answer,
    Pair,
    divided_by,
    dots,
    everything,
    fill,
    guard,
    normalised,
    right,
    right_answer,
)
from bottomup.i18n import _

QUERY_AND_KEY, SCALING, FORMULA = _("Query and key"), _("Scaling"), _("The formula")
WHO_READS_WHOM = _("Who reads whom")
TWO_HEADS = _("two heads without a mask")


def _over_axis(axis: int) -> tuple[Answer, ...]:
    """Four ways to take the softmax over another axis: they differ where all of it is masked."""
    return (
        normalised(lambda scores, mask: fill(scores, mask).softmax(axis).nan_to_num()),
        normalised(lambda scores, mask: fill(scores, mask).softmax(axis)),
        normalised(lambda scores, mask: guard(fill(scores, mask).softmax(axis), mask)),
        normalised(lambda scores, mask: fill(scores, mask, -1e9).softmax(axis)),
    )


def _scaled_late(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    scores = dots(query, key)
    weights = right(scores, everything(scores, mask)) / query.shape[-1] ** 0.5
    return weights @ value, weights


def _weights_transposed(*inputs: Tensor) -> Pair:
    output, weights = right_answer(*inputs)
    return output, weights.mT


def _read_by_column(query: Tensor, key: Tensor, value: Tensor, *mask: Tensor) -> Pair:
    weights = right_answer(query, key, value, *mask)[1]
    return weights.mT @ value, weights


def _roles_swapped(query: Tensor, key: Tensor, value: Tensor, *mask: Tensor) -> Pair:
    return right_answer(key, query, value, *mask)


def _d_model(query: Tensor) -> int:
    heads = query.shape[-3] if query.dim() == 4 else 1
    return heads * query.shape[-1]


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

SCALES = (
    Misconception(
        "no-scale",
        divided_by(lambda query, key, value: 1),
        _(
            "The scores are not scaled. The dot product of two random vectors has the variance "
            "d_key, so wide vectors give large scores, nearly all weight goes to one key, and the "
            "softmax passes hardly any gradient. Divide by the root of d_key."
        ),
        SCALING,
    ),
    Misconception(
        "root-missing",
        divided_by(lambda query, key, value: query.shape[-1]),
        _(
            "The scores are divided by d_key, not by its root. Their variance is then 1 / d_key: "
            "the wider the vectors, the closer the weights are to uniform, and attention blurs. "
            "The spread of the dot products is the root of d_key."
        ),
        SCALING,
    ),
    Misconception(
        "scale-multiplied",
        divided_by(lambda query, key, value: query.shape[-1] ** -0.5),
        _(
            "The scores are multiplied by the root of d_key. Their spread grows to d_key instead "
            "of shrinking to one, and nearly all weight falls on one key. Divide by the root."
        ),
        SCALING,
    ),
    Misconception(
        "root-of-the-number-of-keys",
        divided_by(lambda query, key, value: key.shape[-2] ** 0.5),
        _(
            "The scores are divided by the root of the number of keys. The weights of a sentence "
            "then change when padding makes it longer. What makes a dot product large is the "
            "number of its terms, d_key, the last axis of query and key."
        ),
        SCALING,
        (divided_by(lambda query, key, value: query.shape[-2] ** 0.5),),
    ),
    Misconception(
        "root-of-d-value",
        divided_by(lambda query, key, value: value.shape[-1] ** 0.5),
        _(
            "The scores are divided by the root of d_value. The values take no part in the dot "
            "products, so their width does not change the spread. Where d_value equals d_key "
            "nothing shows. The width that was summed over is d_key."
        ),
        SCALING,
    ),
    Misconception(
        "root-of-d-model",
        divided_by(lambda query, key, value: _d_model(query) ** 0.5),
        _(
            "With several heads the scores are divided by the root of heads x d_key, the width of "
            "the whole model. Each dot product sums over the width of one head only, d_key, so the "
            "scores come out too small, the more so the more heads there are."
        ),
        SCALING,
        (
            divided_by(lambda query, key, value: (query.shape[1] * query.shape[-1]) ** 0.5),
            divided_by(lambda query, key, value: (query.shape[0] * query.shape[-1]) ** 0.5),
        ),
        case=TWO_HEADS,
    ),
    Misconception(
        "scaled-after-the-softmax",
        _scaled_late,
        _(
            "The root of d_key divides the weights, after the softmax. The scores stay as large as "
            "they were, and a row of weights sums to 1 / sqrt(d_key), so the output shrinks. Scale "
            "the scores."
        ),
        SCALING,
    ),
)

ROLES = (
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

MISCONCEPTIONS = (*AXES, *SCALES, *ROLES, *MASKING)
