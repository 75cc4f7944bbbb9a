"""Mistakes in multi-head attention: from scores to weights, one map for each head."""

from collections.abc import Callable
from math import inf

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.multi_head_attention.multi_head_attention_parts import (
    Answer,
    Pair,
    with_step,
)
from bottomup.i18n import _

FORMULA = _("The formula")
AS_MANY = _("as many sequences as heads, with a mask")


def _repeated(scores: Tensor, mask: Tensor) -> Tensor:
    in_turn = mask.repeat(scores.shape[1], 1, 1).reshape(scores.shape)
    return scores.masked_fill(~in_turn, -inf)


def _shared(summary: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """One map for all heads, a summary over the heads' axis."""
    return lambda x: summary(x).expand_as(x)


def _mean(x: Tensor) -> Tensor:
    return x.mean(1, keepdim=True)


def _sum(x: Tensor) -> Tensor:
    return x.sum(1, keepdim=True)


def _one_map_returned(*changed: Callable[[Tensor], Tensor]) -> tuple[Answer, ...]:
    """Attention whose scores are joined before the softmax, with the map returned once."""
    return tuple(
        with_step(
            normalise=lambda scores, change=change: _shared(change)(scores).softmax(-1),
            returned=lambda weights: weights[:, 0],
        )
        for change in changed
    )


def _masked(change: Callable[[Tensor, Tensor], Tensor], zeros: bool = False) -> Answer:
    """A wrong mask; where that leaves a row nothing, its weights are NaN, or zeros."""
    if not zeros:
        return with_step(mask_scores=change)
    return with_step(mask_scores=change, normalise=lambda scores: scores.softmax(-1).nan_to_num())


def _inverted(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask[:, None], -inf)


def _weights_masked_late(*inputs: Tensor) -> Pair:
    if len(inputs) < 9:
        return with_step()(*inputs)
    mask = inputs[8]
    late = with_step(
        mask_scores=lambda scores, mask: scores,
        normalise=lambda scores: scores.softmax(-1) * mask[:, None],
    )
    return late(*inputs)


MASKING = (
    Misconception(
        "mask-without-head-axis",
        _masked(lambda scores, mask: scores.masked_fill(~mask, -inf)),
        _(
            "The mask [batch, query, key] meets the scores [batch, head, query, key] without an "
            "axis for the heads. Axes are matched from the right, so its batch axis lands on the "
            "heads. As a rule this raises an error; with as many heads as sequences, head h gets "
            "the padding of sequence h, in silence. Use mask[:, None]."
        ),
        FORMULA,
        (_masked(_repeated),),
        case=AS_MANY,
    ),
    Misconception(
        "mask-ignored",
        _masked(lambda scores, mask: scores),
        _(
            "The mask has no effect. Positions read padding as if it were text, and under a causal "
            "mask they read the token that they are to predict. Give the scores that are not "
            "allowed -inf, before the softmax."
        ),
        FORMULA,
    ),
    Misconception(
        "masked-scores-zero",
        _masked(lambda scores, mask: scores * mask[:, None]),
        _(
            "Scores that are not allowed are set to 0. The softmax takes exp(0) = 1, an ordinary "
            "score: a masked key is read as much as one that fits middlingly, and more than one "
            "with a negative score. Only -inf becomes a weight of zero."
        ),
        FORMULA,
    ),
    Misconception(
        "mask-inverted",
        _masked(_inverted),
        _(
            "The mask is read the wrong way round: True means may attend here, while torch's own "
            "module means the opposite. A causal position then reads only the future. "
            "`masked_fill` fills where its mask is True, so it needs ~mask."
        ),
        FORMULA,
        (_masked(_inverted, zeros=True),),
    ),
    Misconception(
        "mask-after-softmax",
        _weights_masked_late,
        _(
            "The mask comes after the softmax: the other keys have already shared the sum with the "
            "masked ones, so a row sums to less than one, and how much less depends on what must "
            "not be seen. Mask the scores."
        ),
        FORMULA,
    ),
)

JOINING = (
    Misconception(
        "maps-averaged-before-softmax",
        with_step(normalise=lambda scores: _shared(_mean)(scores).softmax(-1)),
        _(
            "The scores of all heads are joined before the softmax, so all heads share one map. "
            "That is a single head with wider queries and keys: no two positions can be looked for "
            "at once. Each head needs a softmax of its own."
        ),
        FORMULA,
        (
            with_step(normalise=lambda scores: _shared(_sum)(scores).softmax(-1)),
            *_one_map_returned(_mean, _sum),
        ),
    ),
    Misconception(
        "maps-averaged-after-softmax",
        with_step(normalise=lambda scores: _shared(_mean)(scores.softmax(-1))),
        _(
            "The weights of the heads are averaged, and every head reads with the mean. What one "
            "head singles out is washed out by the others. Average maps for a picture if you "
            "must; each head reads with its own."
        ),
        FORMULA,
        (
            with_step(
                normalise=lambda scores: _shared(_mean)(scores.softmax(-1)),
                returned=lambda weights: weights[:, 0],
            ),
        ),
    ),
    Misconception(
        "maps-averaged-on-return",
        with_step(returned=lambda weights: weights.mean(1)),
        _(
            "The output is right, but the weights are averaged over the heads: [batch, query, "
            "key]. torch's module does so by default. A mean of a sharp and a flat map looks like "
            "neither; return one map for each head."
        ),
        FORMULA,
        (with_step(returned=lambda weights: weights.mean(1, keepdim=True)),),
    ),
    Misconception(
        "heads-after-queries",
        with_step(returned=lambda weights: weights.transpose(1, 2)),
        _(
            "The output is right, but the heads stand behind the queries in the weights: [batch, "
            "query, head, key]. With as many heads as queries nothing complains, and a picture of "
            "one head shows a row of each. Return [batch, num_heads, query, key]."
        ),
        FORMULA,
    ),
    Misconception(
        "softmax-over-heads",
        with_step(normalise=lambda scores: scores.softmax(1)),
        _(
            "The softmax runs over the heads: for each pair of positions the heads compete, and a "
            "row of weights does not sum to one. Each head shares its weight among the keys, the "
            "last axis: dim=-1."
        ),
        FORMULA,
        (with_step(normalise=lambda scores: scores.softmax(1).nan_to_num()),),
    ),
    Misconception(
        "softmax-over-queries",
        with_step(normalise=lambda scores: scores.softmax(-2)),
        _(
            "The softmax runs over the queries: the columns of each map sum to one, not its rows. "
            "Queries then compete for a key, and one that matches nothing well reads almost "
            "nothing. Each query shares its weight among the keys, the last axis: dim=-1."
        ),
        FORMULA,
        (with_step(normalise=lambda scores: scores.softmax(-2).nan_to_num()),),
    ),
)
