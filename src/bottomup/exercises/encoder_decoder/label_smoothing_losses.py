"""Mistakes in the loss that label smoothing goes into: which places count, and what is smoothed."""

from collections.abc import Callable
from math import log

import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.encoder_decoder.label_smoothing_parts import (
    Answer,
    Average,
    averaged,
    distribution,
    log_of_softmax,
    losses_of,
    picked,
    scored,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Label smoothing")
FOUR = _("one place, four classes")
HAND = _("two places, the second is padding")
LARGE = _("large logits")
PAD_IS_FOUR = _("padding is class 4, and no place is padded")


def _masked_mean(losses: Tensor, mask: Tensor) -> Tensor:
    return (losses * mask).mean()


def _over_real(losses: Tensor, mask: Tensor) -> Tensor:
    """All losses, but divided by the number of real tokens."""
    return losses.sum() / mask.sum()


def _each_sentence(least: int) -> Average:
    return lambda losses, mask: ((losses * mask).sum(1) / mask.sum(1).clamp(min=least)).mean()


def _torch_everywhere(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), target, label_smoothing=smoothing)


def _others_without_target_everywhere(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    """The sum of all but padding, less the right one, which at a padded place is padding."""
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, target[..., None])[..., 0]
    others = log_p.sum(-1) - log_p[..., pad] - right
    return -((1 - smoothing) * right + smoothing / (logits.shape[-1] - 2) * others).mean()


def _emptied_everywhere(average: Average) -> Answer:
    """The class pad is emptied last, also where it is the target."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
        spread[..., pad] = 0
        return average(-(spread * logits.log_softmax(-1)).sum(-1), mask)

    return wrong


def _plain_loss_of(change: Callable[[Tensor, float], Tensor]) -> Answer:
    """The unsmoothed cross-entropy of logits that were changed instead of the target."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        return F.cross_entropy(change(logits, smoothing)[mask], target[mask])

    return wrong


def _towards_the_mean(logits: Tensor, smoothing: float) -> Tensor:
    return (1 - smoothing) * logits + smoothing * logits.mean(-1, keepdim=True)


def _mixed_probabilities(others: int) -> Callable[[Tensor, float], Tensor]:
    def change(logits: Tensor, smoothing: float) -> Tensor:
        share = smoothing / (logits.shape[-1] - others)
        return ((1 - smoothing) * logits.softmax(-1) + share).log()

    return change


def _unnormalised_mixture(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    p = (1 - smoothing) * logits.softmax(-1) + smoothing / (logits.shape[-1] - 2)
    return F.nll_loss(p.log()[mask], target[mask])


def _divergence(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
    spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
    return F.kl_div(logits.log_softmax(-1), spread, reduction="none").sum(-1)[mask].mean()


def _divided_by_classes(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    return losses_of(logits, target, smoothing, pad)[mask].mean() / logits.shape[-1]


PLACES = (
    Misconception(
        "padding-counted",
        averaged(lambda losses, mask: losses.mean()),
        _(
            "The loss of padded places counts. Their target is padding, so the model is trained to "
            "predict it, and the loss of a sentence changes with the longest one of its batch. "
            "Leaving the class out of the target distribution does not help here: pick the places "
            "with the mask."
        ),
        SECTION,
        (
            averaged(_over_real),
            _torch_everywhere,
            _others_without_target_everywhere,
            _emptied_everywhere(lambda losses, mask: losses.mean()),
            _emptied_everywhere(_over_real),
        ),
        HAND,
    ),
    Misconception(
        "mean-over-all-places",
        averaged(_masked_mean),
        _(
            "The losses of padded places are zero, but the mean still counts them. The more "
            "padding a batch holds, the smaller its loss and its gradient. Divide by the number of "
            "real tokens."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "mask-inverted",
        averaged(lambda losses, mask: losses[~mask].mean()),
        _(
            "The mask is inverted: the mean is over the padding. A batch without padding has no "
            "loss at all. True means a real token."
        ),
        SECTION,
        (
            averaged(lambda losses, mask: (losses * ~mask).sum() / mask.sum()),
            _emptied_everywhere(lambda losses, mask: losses[~mask].mean()),
        ),
        HAND,
    ),
    Misconception(
        "sum",
        averaged(lambda losses, mask: losses[mask].sum()),
        _(
            "This is the sum over the real tokens. A batch with twice as many tokens then takes a "
            "step twice as large. Divide by the number of real tokens."
        ),
        SECTION,
        (averaged(lambda losses, mask: losses[mask].sum() / len(mask)),),
    ),
    Misconception(
        "mean-of-sentence-means",
        averaged(_each_sentence(0)),
        _(
            "Each sentence is averaged first, and then the sentences are. A word in a sentence of "
            "two then weighs ten times as much as one in a sentence of twenty. Take one mean over "
            "all real tokens."
        ),
        SECTION,
        (averaged(_each_sentence(1)),),
    ),
)

LOSSES = (
    Misconception(
        "logits-smoothed",
        _plain_loss_of(lambda logits, smoothing: (1 - smoothing) * logits),
        _(
            "The smoothing acts on what the model says, its logits or probabilities, where it "
            "should act on what it is asked for. Smaller logits only make the model learn larger "
            "ones, which is what smoothing should prevent. Leave the logits alone and change the "
            "target distribution."
        ),
        SECTION,
        (
            _plain_loss_of(_towards_the_mean),
            _plain_loss_of(lambda logits, e: (1 - e) * logits + e / logits.shape[-1]),
            _plain_loss_of(_mixed_probabilities(0)),
            _plain_loss_of(_mixed_probabilities(2)),
            _unnormalised_mixture,
        ),
        FOUR,
    ),
    Misconception(
        "divergence",
        _divergence,
        _(
            "This is the Kullback-Leibler divergence: the cross-entropy minus the entropy of the "
            "target distribution. The gradient is the same, and some code uses it; but the number "
            "is another one, 0 for a perfect model. The statement asks for the cross-entropy."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "mean-over-classes",
        _divided_by_classes,
        _(
            "The sum over the classes has become a mean: the loss is too small by the factor V. "
            "Each place has one loss, the sum over all classes of mass times log-probability. "
            "Take the mean over places alone."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "no-logarithm",
        scored(lambda logits: logits.softmax(-1)),
        _(
            "The masses meet probabilities and not their logarithms. Such a loss hardly notices "
            "whether a token got 0.01 or 0.0001, and its gradient vanishes where the model is most "
            "wrong. Take `torch.log_softmax`."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "log-of-softmax",
        scored(log_of_softmax(0.0)),
        _(
            "The logarithm is taken after the softmax. A probability that is too small for a "
            "float32 becomes 0 and its logarithm minus infinity; 0 times that, or the difference "
            "of two of them, is NaN, and one such place spoils the loss of the batch. A small "
            "number added inside the logarithm hides the true loss. Take log_softmax, which never "
            "forms the probability."
        ),
        SECTION,
        (
            picked(log_of_softmax(0.0)),
            picked(log_of_softmax(0.0), subtracting=False),
            *(scored(log_of_softmax(added)) for added in (1e-8, 1e-9, 1e-10, 1e-12)),
        ),
        LARGE,
    ),
    Misconception(
        "no-softmax",
        scored(lambda logits: logits),
        _(
            "The masses meet the logits themselves. Adding a number to all logits of a place "
            "changes nothing that the model says, but it changes this loss, which has no lower "
            "bound. Take `torch.log_softmax` first."
        ),
        SECTION,
    ),
    Misconception(
        "sign",
        averaged(lambda losses, mask: -losses[mask].mean()),
        _(
            "The minus is missing. Log-probabilities are negative, so minimising this makes the "
            "right token less and less probable. The loss is minus the weighted sum."
        ),
        SECTION,
        case=FOUR,
    ),
    Misconception(
        "bits",
        averaged(lambda losses, mask: losses[mask].mean() / log(2)),
        _(
            "The logarithm has base 2, so this is the loss in bits. It is larger than the loss in "
            "nats by a factor 1/log 2 = 1.44. Use the natural logarithm."
        ),
        SECTION,
        case=FOUR,
    ),
)
