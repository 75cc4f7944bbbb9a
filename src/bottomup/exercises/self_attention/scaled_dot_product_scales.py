"""Mistakes in scaled dot-product attention: what the scores are divided by."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.self_attention.scaled_dot_product_parts import (
    TWO_HEADS,
    Answer,
    Pair,
    divided_by,
    dots,
    everything,
    however_masked,
    right,
    scored,
)
from bottomup.i18n import _

SCALING = _("Scaling")


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
    Misconception(
        "no-scale",
        NO_SCALE[0],
        _(
            "The scores are not scaled. The dot product of two random vectors has the variance "
            "d_key, so wide vectors give large scores, nearly all weight goes to one key, and the "
            "softmax passes hardly any gradient. Divide by the root of d_key."
        ),
        SCALING,
        NO_SCALE[1:],
    ),
    Misconception(
        "root-missing",
        ROOT_MISSING[0],
        _(
            "The scores are divided by d_key, not by its root. Their variance is then 1 / d_key: "
            "the wider the vectors, the closer the weights are to uniform, and attention blurs. "
            "The spread of the dot products is the root of d_key."
        ),
        SCALING,
        ROOT_MISSING[1:],
    ),
    Misconception(
        "scale-multiplied",
        _over(lambda query, key, value: query.shape[-1] ** -0.5),
        _(
            "The scores are multiplied by the root of d_key. Their spread grows to d_key instead "
            "of shrinking to one, and nearly all weight falls on one key. Divide by the root."
        ),
        SCALING,
    ),
    Misconception(
        "root-of-the-number-of-keys",
        _over(lambda query, key, value: key.shape[-2] ** 0.5),
        _(
            "The scores are divided by the root of the number of keys. The weights of a sentence "
            "then change when padding makes it longer. What makes a dot product large is the "
            "number of its terms, d_key, the last axis of query and key."
        ),
        SCALING,
        (_over(lambda query, key, value: query.shape[-2] ** 0.5),),
    ),
    Misconception(
        "root-of-d-value",
        _over(lambda query, key, value: value.shape[-1] ** 0.5),
        _(
            "The scores are divided by the root of d_value. The values take no part in the dot "
            "products, so their width does not change the spread. Where d_value equals d_key "
            "nothing shows. The width that was summed over is d_key."
        ),
        SCALING,
    ),
    Misconception(
        "root-of-d-model",
        _over(lambda query, key, value: _d_model(query) ** 0.5),
        _(
            "With several heads the scores are divided by the root of heads x d_key, the width of "
            "the whole model. Each dot product sums over the width of one head only, d_key, so the "
            "scores come out too small, the more so the more heads there are."
        ),
        SCALING,
        (
            _over(lambda query, key, value: (query.shape[1] * query.shape[-1]) ** 0.5),
            _over(lambda query, key, value: (query.shape[0] * query.shape[-1]) ** 0.5),
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
    Misconception(
        "norm-in-place-of-the-width",
        BY_LENGTH[0],
        _(
            "The scores are divided by the length (the norm) of a vector, not by the root of its "
            "width. Long keys then count no more than short ones, and the spread of the scores "
            "depends on what is read. d_key is how many components a key has: "
            "`key.shape[-1] ** 0.5`."
        ),
        SCALING,
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
    Misconception(
        "cosine",
        BY_BOTH_LENGTHS[0],
        _(
            "The scores are divided by the lengths of query and key: these are cosines, all "
            "between -1 and 1, so no key can get more than about seven times the weight of "
            "another. Attention leaves the lengths in the score, and divides by the root of d_key."
        ),
        SCALING,
        (
            *BY_BOTH_LENGTHS[1:],
            *_over_lengths(lambda query, key: _of_both(query, key) * query.shape[-1] ** 0.5),
        ),
    ),
)
