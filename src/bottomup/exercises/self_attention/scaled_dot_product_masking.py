"""Mistakes in scaled dot-product attention: what is done with the mask."""

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.self_attention.scaled_dot_product_parts import (
    Answer,
    Normalise,
    fill,
    guard,
    nan_rows,
    normalised,
    right_answer,
    uniform_rows,
)
from bottomup.i18n import _

MASKS = _("Masks")
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
    Misconception(
        "mask-ignored",
        _masked(lambda scores, mask: scores.softmax(-1)),
        _(
            "The mask has no effect. A position reads padding as if it were text, and under a "
            "causal mask it reads the token that it is to predict: training looks perfect, and "
            "generation fails."
        ),
        MASKS,
        (_masked(lambda scores, mask: guard(scores.softmax(-1), mask)),),
    ),
    Misconception(
        "mask-after-softmax",
        _masked(lambda scores, mask: scores.softmax(-1) * mask),
        _(
            "The mask comes after the softmax. The masked weights are zero, but the others have "
            "already shared the sum with them: a row sums to less than one, and how much less "
            "depends on what must not be seen. Mask the scores, then take the softmax."
        ),
        MASKS,
    ),
    Misconception(
        "masked-scores-in-the-sum",
        _masked(_renormalised),
        _(
            "The masked keys are taken out after the softmax, and the rest is scaled up to sum to "
            "one. Where a masked score stands far above the others, the allowed weights have all "
            "rounded to zero by then, and nothing is left to scale up. Mask the scores first."
        ),
        MASKS,
        (
            _masked(lambda scores, mask: guard(_renormalised(scores, mask), mask)),
            _masked(lambda scores, mask: _renormalised(scores, mask, 1e-9)),
        ),
        case=FAR_ABOVE,
    ),
    Misconception(
        "inverted-mask",
        _masked(lambda scores, mask: guard(fill(scores, ~mask).softmax(-1).nan_to_num(), mask)),
        _(
            "The mask is read the wrong way round: True means may attend, and your weights lie "
            "where it is False. Under a causal mask every position then reads the future only. "
            "`masked_fill` fills where its mask is True, so it needs ~mask."
        ),
        MASKS,
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
    Misconception(
        "masked-score-zero",
        _masked(lambda scores, mask: (scores * mask).softmax(-1)),
        _(
            "A masked key counts with the score 0: the scores are multiplied by the mask, or "
            "filled with 0. e^0 is 1, so such a key beats every key with a negative score. It "
            "needs the score -inf."
        ),
        MASKS,
        (_masked(lambda scores, mask: guard((scores * mask).softmax(-1), mask)),),
    ),
    Misconception(
        "uniform-empty-row",
        _masked(uniform_rows),
        _(
            "A query that may attend to nothing reads the mean of all values, where zeros are "
            "expected. A large negative fill such as -1e9 does this: all scores of the row are "
            "then equal. Set the weights of such a row to zero."
        ),
        MASKS,
    ),
    Misconception(
        "finite-fill",
        _masked(lambda scores, mask: guard(fill(scores, mask, -1e6).softmax(-1), mask)),
        _(
            "Where the allowed scores lie far below zero, a masked key gets all the weight. "
            "Filling with a finite number such as -1e6 does this: a real score can be lower. Fill "
            "with -inf, which is below every number."
        ),
        MASKS,
        (
            _masked(lambda scores, mask: fill(scores, mask, -1e6).softmax(-1)),
            _masked(lambda scores, mask: fill(scores, mask, -1e4).softmax(-1)),
            _masked(lambda scores, mask: guard(fill(scores, mask, -1e4).softmax(-1), mask)),
        ),
        case=FAR_BELOW,
    ),
    Misconception(
        "nan-row",
        _masked(nan_rows),
        _(
            "A query that may attend to nothing gets NaN: all its scores are -inf, and the softmax "
            "divides 0 by 0. In a model the NaN reaches the loss, and after one update every "
            "parameter. Put zeros in the weights of such a row."
        ),
        MASKS,
    ),
)
