"""Mistakes about the padding of a batch whose cross-entropy is computed."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

PADDING = _("Padding in a mean")
ANYWHERE = _("padding on the left and in the middle")
Finish = Callable[[Tensor, Tensor], Tensor]
Wrong = Callable[..., Tensor]


def nats_of(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


def from_nats(finish: Finish) -> Wrong:
    """A wrong answer that goes astray after the right loss of each position."""
    return lambda logits, target, mask: finish(nats_of(logits, target), mask)


def mean_of_product(nats: Tensor, mask: Tensor) -> Tensor:
    return (nats * mask).mean()


def sum_over_count(nats: Tensor, mask: Tensor) -> Tensor:
    return (nats * mask).sum() / mask.sum()


def _each_sentence(least: int) -> Wrong:
    """The mean of the sentences' means, each over at least `least` tokens."""
    return from_nats(
        lambda nats, mask: ((nats * mask).sum(1) / mask.sum(1).clamp(min=least)).mean()
    )


def _each_real_sentence(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    kept = mask.any(1)
    return _each_sentence(0)(logits[kept], target[kept], mask[kept])


def _first_of_each_row(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    first = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)
    return sum_over_count(nats_of(logits, target), first)


def _up_to_padding(own_count: bool) -> Wrong:
    """A loop over each row that ends at the first padding."""

    def finish(nats: Tensor, mask: Tensor) -> Tensor:
        kept = mask.long().cumprod(1)
        return (nats * kept).sum() / (kept if own_count else mask).sum()

    return from_nats(finish)


PADDING_MISTAKES = (
    Misconception(
        "padding-counted",
        from_nats(lambda nats, mask: nats.mean()),
        _(
            "Padding counts like a token: the mean runs over every place of the rectangle. The "
            "model is then trained to predict padding, and the loss of a sentence changes with the "
            "longest one in its batch. Take the mean over the places where the mask is True."
        ),
        PADDING,
        (lambda logits, target, mask: nats_of(logits, target.masked_fill(~mask, 0)).mean(),),
    ),
    Misconception(
        "mask-inverted",
        from_nats(lambda nats, mask: nats[~mask].mean()),
        _(
            "The mask is inverted: the mean is over the padding, and the real tokens are left out. "
            "A batch without padding has no loss at all. True means a real token."
        ),
        PADDING,
        (
            from_nats(lambda nats, mask: sum_over_count(nats, ~mask)),
            from_nats(lambda nats, mask: (nats * ~mask).sum() / mask.sum()),
        ),
    ),
    Misconception(
        "divided-by-all-places",
        from_nats(mean_of_product),
        _(
            "The padded losses are zero, but they are still counted in the denominator. The more "
            "padding a batch holds, the smaller its loss looks, and the smaller its gradient is. "
            "Divide by the number of real tokens."
        ),
        PADDING,
    ),
    Misconception(
        "sum",
        from_nats(lambda nats, mask: (nats * mask).sum()),
        _(
            "This is the sum over the real tokens. A batch with twice as many tokens then takes a "
            "step twice as large, and losses of different batches cannot be compared. Divide by "
            "the number of real tokens."
        ),
        PADDING,
    ),
    Misconception(
        "divided-by-one-axis",
        from_nats(lambda nats, mask: (nats * mask).sum() / len(mask)),
        _(
            "The sum over the real tokens is divided by the number of sentences, or by the width "
            "of the batch. Neither counts the real tokens: the loss grows with the length or the "
            "number of the sentences. Divide by mask.sum()."
        ),
        PADDING,
        (from_nats(lambda nats, mask: (nats * mask).sum() / mask.shape[1]),),
    ),
    Misconception(
        "mean-of-sentence-means",
        _each_sentence(0),
        _(
            "Each sentence is averaged first, and then the sentences are. A word in a sentence of "
            "two then weighs ten times as much as one in a sentence of twenty, and a sentence of "
            "padding alone divides by zero. Sum over all real tokens and divide once."
        ),
        PADDING,
        (_each_sentence(1), _each_real_sentence),
    ),
    Misconception(
        "places-ignored",
        _first_of_each_row,
        _(
            "The number of real tokens is taken from the mask, and their places are not: the first "
            "n of each row are used. Padding may stand anywhere. Pick with the mask itself."
        ),
        PADDING,
        (_up_to_padding(own_count=True), _up_to_padding(own_count=False)),
        case=ANYWHERE,
    ),
    Misconception(
        "padding-logits-zero",
        lambda logits, target, mask: nats_of(logits * mask[..., None], target).mean(),
        _(
            "The logits of padding are set to zero, and its places still count: each adds log V to "
            "the sum. Leave the places out of the mean."
        ),
        PADDING,
        (
            lambda logits, target, mask: (
                nats_of(logits * mask[..., None], target).sum() / mask.sum()
            ),
        ),
    ),
    Misconception(
        "padding-logits-infinite",
        lambda logits, target, mask: nats_of(
            logits.masked_fill(~mask[..., None], -torch.inf), target
        ).mean(),
        _(
            "The logits of padding are -inf, all of them, and the softmax of such a row is 0/0, "
            "NaN. A product with the mask does not remove it: NaN times 0 is NaN. Leave the places "
            "out of the mean."
        ),
        PADDING,
    ),
    Misconception(
        "number-zero-is-padding",
        lambda logits, target, mask: F.cross_entropy(
            logits.transpose(1, 2), target, ignore_index=0
        ),
        _(
            "Padding is recognised by its number, 0, instead of the mask. A real token may have "
            "number 0 too, and is then left out. Padded places that hold another number are "
            "counted. The mask alone says which places are real."
        ),
        PADDING,
        (
            lambda logits, target, mask: F.cross_entropy(
                logits.transpose(1, 2), target * mask, ignore_index=0
            ),
        ),
    ),
)
