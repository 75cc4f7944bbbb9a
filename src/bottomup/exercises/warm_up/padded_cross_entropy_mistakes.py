"""Mistakes in the cross-entropy of the real tokens of a padded batch, besides its padding."""

from collections.abc import Callable
from functools import partial
from math import log

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.warm_up.padded_cross_entropy_padding import (
    PADDING_MISTAKES,
    Finish,
    from_nats,
    mean_of_product,
    nats_of,
    sum_over_count,
)
from bottomup.i18n import _

LOSS = _("Cross-entropy")
SOFTMAX, AXES = _("Softmax"), _("Axes with names")
SQUARE, ABOVE = _("as many positions as tokens to choose from"), _("all logits far above zero")
FLOORS = (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5)


def _probability_of_right(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    return logits.softmax(-1).gather(-1, target[..., None])[mask]


def _over_axis(axis: int) -> Callable[..., Tensor]:
    return lambda logits, target, mask: (
        -logits.log_softmax(axis).gather(-1, target[..., None])[mask].mean()
    )


def _log_of_softmax(floor: float) -> Callable[..., Tensor]:
    return lambda *inputs: -torch.log(_probability_of_right(*inputs) + floor).mean()


def _own_softmax(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    p = logits.exp() / logits.exp().sum(-1, keepdim=True)
    return -p.gather(-1, target[..., None])[mask].log().mean()


def _own_logsumexp(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    log_p = logits - logits.exp().sum(-1, keepdim=True).log()
    return -log_p.gather(-1, target[..., None])[mask].mean()


def _below_the_largest(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    behind = logits.amax(-1, keepdim=True) - logits
    return behind.gather(-1, target[..., None])[mask].mean()


def _classes_second(finish: Finish) -> Callable[..., Tensor]:
    """cross_entropy takes the second axis for the vocabulary; here it is the position."""
    nats = partial(F.cross_entropy, reduction="none")
    return lambda logits, target, mask: finish(nats(logits, target), mask)


def _shifted(kept: slice) -> Callable[..., Tensor]:
    return lambda logits, target, mask: nats_of(logits[:, :-1], target[:, 1:])[mask[:, kept]].mean()


MISCONCEPTIONS = (
    *PADDING_MISTAKES,
    Misconception(
        "softmax-twice",
        lambda logits, target, mask: F.cross_entropy(logits.softmax(-1)[mask], target[mask]),
        _(
            "A softmax stands before the cross-entropy, which takes one itself. The second one "
            "sees numbers between 0 and 1, so even a certain and right model keeps a loss of "
            "log((e + V - 1)/e) for V tokens, and the gradient is nearly zero. Pass the logits as "
            "they are."
        ),
        LOSS,
        (lambda *inputs: -_probability_of_right(*inputs).log_softmax(0).mean(),),
    ),
    Misconception(
        "every-loss-with-every-mask",
        from_nats(lambda nats, mask: sum_over_count(nats[..., None], mask)),
        _(
            "The losses have the axes [batch, position, 1] and the mask [batch, position]. Where "
            "broadcasting lets the two meet, every loss is multiplied by a whole row of the mask; "
            "elsewhere it is an error. Drop the last axis first, with squeeze(-1) or [..., 0]."
        ),
        AXES,
        (from_nats(lambda nats, mask: mean_of_product(nats[..., None], mask)),),
    ),
    Misconception(
        "shifted-by-one",
        _shifted(slice(1, None)),
        _(
            "Each prediction is compared with the token of the next position. But target[b, i] is "
            "the right token for logits[b, i]: shifted again, a model learns to skip a token."
        ),
        _("A training loop"),
        (_shifted(slice(None, -1)),),
    ),
    Misconception(
        "vocabulary-second",
        _classes_second(lambda nats, mask: nats[mask].mean()),
        _(
            "cross_entropy takes the second axis for the vocabulary, and here that is the "
            "position. Where the two have one length it runs, with the softmax over positions; "
            "elsewhere it is an error. Pass logits.transpose(1, 2), or index both with mask."
        ),
        AXES,
        (
            _classes_second(lambda nats, mask: nats.mean()),
            _classes_second(sum_over_count),
            _classes_second(mean_of_product),
        ),
        SQUARE,
    ),
    Misconception(
        "bits",
        from_nats(lambda nats, mask: nats[mask].mean() / log(2)),
        _(
            "The logarithm has base 2, so this is the loss in bits. It is larger than the loss in "
            "nats by a factor 1/log 2 = 1.44, and e to the power of it is no perplexity. Use the "
            "natural logarithm."
        ),
        LOSS,
    ),
    Misconception(
        "sign",
        from_nats(lambda nats, mask: -nats[mask].mean()),
        _(
            "The minus is missing. Log-probabilities are negative, so minimising this makes the "
            "right token less and less probable. The loss is minus their mean."
        ),
        LOSS,
    ),
    Misconception(
        "no-logarithm",
        lambda *inputs: -_probability_of_right(*inputs).mean(),
        _(
            "The mean is taken of probabilities, not of their logarithms. It hardly notices "
            "whether a right token got 0.01 or 0.0001, and its gradient vanishes exactly where the "
            "model is most wrong. Take log_softmax of the logits; `nll_loss` takes no logarithm."
        ),
        LOSS,
        (lambda *inputs: 1 - _probability_of_right(*inputs).mean(),),
    ),
    Misconception(
        "no-softmax",
        lambda logits, target, mask: -logits.gather(-1, target[..., None])[mask].mean(),
        _(
            "Minus the right token's logit is averaged, with no softmax. The loss falls for ever "
            "when all logits grow together, and the wrong tokens never matter. `nll_loss` expects "
            "log-probabilities: take log_softmax first."
        ),
        LOSS,
    ),
    Misconception(
        "whole-vocabulary",
        lambda logits, target, mask: -logits.log_softmax(-1)[mask].mean(),
        _(
            "The mean runs over the vocabulary too, where each place has one right token. The "
            "others then count as well, or stand in the denominator as zeros. Pick the right token "
            "of each place first, then take the mean over places."
        ),
        LOSS,
        (lambda logits, target, mask: nats_of(logits, target)[mask].mean() / logits.shape[-1],),
    ),
    Misconception(
        "positions-compete",
        _over_axis(1),
        _(
            "The softmax runs over the positions of the sentence instead of the vocabulary. The "
            "probabilities of one position then do not sum to one, and the loss depends on what "
            "stands at the other positions, padding included. Take dim=-1, the vocabulary."
        ),
        LOSS,
        (_over_axis(0),),
    ),
    Misconception(
        "logarithm-of-softmax",
        _log_of_softmax(0.0),
        _(
            "The softmax is taken first and its logarithm afterwards. In float32 a probability "
            "below e^-104 rounds to zero, and its logarithm is minus infinity. One such token "
            "makes the loss infinite. log_softmax does both at once and stays finite."
        ),
        LOSS,
        tuple(_log_of_softmax(floor) for floor in FLOORS),
    ),
    Misconception(
        "overflow",
        _own_softmax,
        _(
            "The exponentials are taken of the logits as they are. In float32, e^x is infinite "
            "from x = 89 on, and the loss is then NaN or infinite, however right the model is. "
            "Use log_softmax, or subtract the row's maximum first."
        ),
        SOFTMAX,
        (_own_logsumexp,),
        ABOVE,
    ),
    Misconception(
        "largest-for-the-sum",
        _below_the_largest,
        _(
            "This is how far the right logit lies below the largest one. It is zero once the right "
            "token is ahead, by however little. Subtract logsumexp, not the maximum."
        ),
        LOSS,
    ),
)
