"""Mistakes in label smoothing, and the conventions that differ from the exercise's."""

from collections.abc import Callable
from math import inf

import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.encoder_decoder.label_smoothing_losses import (
    FOUR,
    HAND,
    LARGE,
    LOSSES,
    PAD_IS_FOUR,
    PLACES,
    SECTION,
)
from bottomup.exercises.encoder_decoder.label_smoothing_parts import (
    Answer,
    masses,
    picked,
    scored,
    with_masses,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

__all__ = ["FOUR", "HAND", "LARGE", "MISCONCEPTIONS", "PAD_IS_FOUR"]


def _by_torch(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
    return F.cross_entropy(logits[mask], target[mask], label_smoothing=smoothing)


def _without_class_zero(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    """The others are all but the right one and class 0, which is thus subtracted twice if right."""
    log_p = logits.log_softmax(-1)[mask]
    right = log_p.gather(-1, target[mask][:, None])[:, 0]
    others = log_p.sum(-1) - right - log_p[:, 0]
    return -((1 - smoothing) * right + smoothing / (logits.shape[-1] - 2) * others).mean()


def _pad_masked(score: Callable[..., Answer], below: float, **options: bool) -> Answer:
    """The logit of the class pad is lowered before the softmax."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        def without_pad(given: Tensor) -> Tensor:
            lowered = given.clone()
            lowered[..., pad] = below
            return lowered.log_softmax(-1)

        return score(without_pad, **options)(logits, target, mask, smoothing, pad)

    return wrong


def _filled_with_pad(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    """The masses are right, but the softmax has one class less."""
    kept = [c for c in range(logits.shape[-1]) if c != pad]
    log_p = logits[..., kept].log_softmax(-1)
    places = (target - (target > pad).to(target)).clamp(max=len(kept) - 1)
    right = log_p.gather(-1, places[..., None])[..., 0]
    others = log_p.sum(-1) - right
    loss = -((1 - smoothing) * right + smoothing / (len(kept) - 1) * others)
    return loss[mask].mean()


CONVENTIONS = (
    Misconception(
        "shared-among-all-classes",
        _by_torch,
        _(
            "This is torch's convention: every class gets smoothing / V, the right token and "
            "padding included. It is a convention and no mistake, and `label_smoothing` of "
            "`F.cross_entropy` works so; but part of the mass trains the model to predict padding, "
            "and its losses cannot be compared with those of the convention asked for here."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "shared-among-all-others",
        with_masses(lambda v, e: (1 - e, e / (v - 1), e / (v - 1))),
        _(
            "This is another convention: all V - 1 classes but the right one share the mass, and "
            "padding is one of them. It sums to 1, so it is no error of arithmetic; but a token "
            "that never follows another gets a share. Leave padding out: V - 2 tokens share."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "shared-with-the-right-token",
        with_masses(lambda v, e: (1 - e + e / (v - 1), e / (v - 1), 0.0)),
        _(
            "All tokens but padding share the mass, the right one too. It sums to 1 and is a "
            "convention that one meets, but the right token then has 1 - smoothing and its share. "
            "The statement gives it 1 - smoothing; the V - 2 others share the rest."
        ),
        SECTION,
        case=FOUR,
    ),
)

MASSES = (
    Misconception(
        "mass-on-padding",
        with_masses(lambda v, e: (1 - e, e / (v - 2), e / (v - 2))),
        _(
            "Padding gets the share of a token. The model is asked to predict padding after every "
            "word, and the masses sum to more than 1. Set the mass of the class pad to zero."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "padding-assumed-first",
        lambda logits, target, mask, smoothing, pad: with_masses(masses)(
            logits, target, mask, smoothing, 0
        ),
        _(
            "Class 0 is left out, where the class pad should be. Another tokenizer gives padding "
            "another number; then a real token gets no mass, and padding gets some. Use pad."
        ),
        SECTION,
        (_without_class_zero,),
        PAD_IS_FOUR,
    ),
    Misconception(
        "masses-do-not-sum-to-one",
        with_masses(lambda v, e: (1.0, e / (v - 2), 0.0)),
        _(
            "The masses of a place do not sum to 1: what the others get is not what the right "
            "token gave away. The loss is scaled, and the model learns the masses divided by their "
            "sum, which is another smoothing than the one asked for. Check: 1 - smoothing, and "
            "V - 2 times smoothing / (V - 2)."
        ),
        SECTION,
        (
            with_masses(lambda v, e: (1.0, e / (v - 1), 0.0)),
            with_masses(lambda v, e: (1.0, e / v, 0.0)),
            with_masses(lambda v, e: (1.0, e / (v - 2), e / (v - 2))),
            with_masses(lambda v, e: (1.0, e / (v - 1), e / (v - 1))),
            with_masses(lambda v, e: (1.0, e / v, e / v)),
            with_masses(lambda v, e: (1 - e, e, 0.0)),
            with_masses(lambda v, e: (1 - e, e, e)),
            with_masses(lambda v, e: (1 - e, e / (v - 1), 0.0)),
            with_masses(lambda v, e: (1 - e, e / v, 0.0)),
            with_masses(lambda v, e: (1 - e, e / v, e / v)),
            with_masses(lambda v, e: (1 - e + e / v, e / v, 0.0)),
            with_masses(lambda v, e: (1 - e + e / (v - 2), e / (v - 2), 0.0)),
            with_masses(lambda v, e: (1 - e + e / (v - 2), e / (v - 2), e / (v - 2))),
        ),
        FOUR,
    ),
    Misconception(
        "right-token-gets-the-rest",
        with_masses(lambda v, e: (e, (1 - e) / (v - 2), 0.0)),
        _(
            "smoothing and 1 - smoothing have changed places: the right token gets the small mass. "
            "With smoothing 0.1 the model learns to avoid it. The right token gets 1 - smoothing."
        ),
        SECTION,
        (with_masses(lambda v, e: (e, 1 - e, 0.0)),),
        FOUR,
    ),
    Misconception(
        "not-smoothed",
        with_masses(lambda v, e: (1.0, 0.0, 0.0)),
        _(
            "This is the plain cross-entropy: the right token has all the mass. A model can lower "
            "it for ever by making its logits larger, which smoothing is there to stop. Take part "
            "of the mass from the right token and share it."
        ),
        SECTION,
        (with_masses(lambda v, e: (1 - e, 0.0, 0.0)),),
        FOUR,
    ),
)

SOFTMAXES = (
    Misconception(
        "padding-taken-out-of-the-softmax",
        _pad_masked(scored, -inf),
        _(
            "The class pad is taken out of the softmax. With a logit of minus infinity its "
            "log-probability is minus infinity, and 0 times that is NaN; with a large negative "
            "number the other probabilities become too large. Leave p as the model gives it: only "
            "the target distribution leaves pad out."
        ),
        SECTION,
        (
            _pad_masked(picked, -inf),
            _pad_masked(picked, -inf, subtracting=False),
            *(_pad_masked(scored, below) for below in (-1e4, -1e9)),
            _filled_with_pad,
        ),
        FOUR,
    ),
    Misconception(
        "softmax-over-the-positions",
        scored(lambda logits: logits.log_softmax(1)),
        _(
            "The softmax runs over the positions, axis 1 of [batch, position, V], so the tokens of "
            "a sentence compete for one class. With one position the loss is then 0, whatever the "
            "logits. Probabilities of one place sum to 1 over the classes: dim=-1."
        ),
        SECTION,
        (
            picked(lambda logits: logits.log_softmax(1)),
            scored(lambda logits: logits.log_softmax(0)),
        ),
        FOUR,
    ),
    Misconception(
        "softmax-twice",
        scored(lambda logits: logits.softmax(-1).log_softmax(-1)),
        _(
            "There are two softmaxes: `log_softmax` and `F.cross_entropy` take logits, and they "
            "got probabilities. Those lie between 0 and 1, so no token can get more than e times "
            "the probability of another, and the loss cannot become small. Pass the logits."
        ),
        SECTION,
        (picked(lambda logits: logits.softmax(-1).log_softmax(-1)),),
        FOUR,
    ),
)

MISCONCEPTIONS = (*CONVENTIONS, *MASSES, *PLACES, *LOSSES, *SOFTMAXES)
