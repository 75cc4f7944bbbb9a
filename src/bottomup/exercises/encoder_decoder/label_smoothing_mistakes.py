"""Mistakes in label smoothing, and the conventions that differ from the exercise's."""

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
from bottomup.exercises.encoder_decoder.label_smoothing_parts import masses, with_masses
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

MISCONCEPTIONS = (*CONVENTIONS, *MASSES, *PLACES, *LOSSES)
