"""Cases of the cross-entropy against smoothed targets (Szegedy et al., 2016, section 7)."""

from math import log
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, integers, normal, tensor
from bottomup.i18n import _


def drawn(
    lengths: list[int],
    classes: int,
    smoothing: float,
    *,
    pad: int = 0,
    scale: float = 2.0,
    width: int = 0,
    dtype: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Sentences of these lengths; no real target is padding."""
    shape = len(lengths), max(width, *lengths)

    def real(lengths: Tensor) -> Tensor:
        return torch.arange(shape[1]) < lengths[:, None]

    def sentences(numbers: Tensor) -> Tensor:
        tokens = numbers + (numbers >= pad)  # all classes but pad
        return tokens.masked_fill(~real(torch.tensor(lengths)), pad)

    return {
        "logits": normal(*shape, classes, scale=scale, dtype=dtype),
        "target": integers(*shape, high=classes - 1).then(sentences),
        "mask": tensor(lengths).then(real),
        "smoothing": smoothing,
        "pad": pad,
    }


def without_padding(logits: Tensor) -> Tensor:
    logits[..., 0] -= 50
    return logits


CASES = (
    case(
        _("one place, four classes"),
        logits=tensor([[[1.0, 4.0, 2.0, 1.0]]]).then(torch.log),  # probabilities in eighths
        target=tensor([[1]]),
        mask=tensor([[True]]),
        smoothing=0.2,
        pad=0,
        # masses 0, 0.8, 0.1, 0.1; 1/2, 1/4 and 1/8 are one, two and three bits
        gives=tensor((0.8 * 1 + 0.1 * 2 + 0.1 * 3) * log(2)),
    ),
    case(
        _("two places, the second is padding"),
        logits=tensor([[[1.0, 4.0, 2.0, 1.0], [4.0, 1.0, 1.0, 2.0]]]).then(torch.log),
        target=tensor([[2, 0]]),
        mask=tensor([[True, False]]),
        smoothing=0.2,
        pad=0,
        gives=tensor((0.1 * 1 + 0.8 * 2 + 0.1 * 3) * log(2)),  # masses 0, 0.1, 0.8, 0.1
    ),
    case(
        _("padding in front, and a token that is certain"),
        logits=tensor([[[3.0, 1.0, 2.0], [0.0, 200.0, 0.0], [log(2), 0.0, 0.0]]]),
        target=tensor([[0, 1, 2]]),
        mask=tensor([[False, True, True]]),
        smoothing=0.0,
        pad=0,
        gives=tensor((0 + log(4)) / 2),  # the certain token costs nothing and counts all the same
    ),
    case(_("a padded batch"), seed=1, **drawn([7, 2, 5], 11, 0.1)),
    case(_("padding is class 4, and no place is padded"), seed=2, **drawn([3, 3], 7, 0.3, pad=4)),
    case(_("the last class is padding"), seed=3, **drawn([2, 5, 3], 13, 0.1, pad=12)),
    case(_("without smoothing"), seed=4, **drawn([5, 3], 7, 0.0)),
    case(_("three classes: one other token"), seed=5, **drawn([3, 2, 5], 3, 0.2)),
    case(
        _("padding is very improbable"),
        seed=6,
        **(drawn([3, 2], 5, 0.1) | {"logits": normal(2, 3, 5, scale=2.0).then(without_padding)}),
    ),
    case(_("large logits"), seed=7, **drawn([3, 5], 7, 0.1, scale=100.0)),
    case(_("padding beyond the longest sentence"), seed=8, **drawn([2, 3], 5, 0.4, width=7)),
    case(_("float64"), seed=9, **drawn([3, 1, 2], 17, 0.1, dtype=torch.float64)),
    case(
        _("a gradient for the logits"),
        seed=10,
        **(
            drawn([1, 2], 5, 0.3)
            | {"logits": normal(2, 2, 5, scale=2.0, dtype=torch.float64).with_gradient()}
        ),
    ),
)
