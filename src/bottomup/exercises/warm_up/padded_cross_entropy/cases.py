"""Cases of the cross-entropy of the real tokens of a padded batch."""

from math import log

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, integers, normal, tensor
from bottomup.i18n import _
from bottomup.masks import padding_mask


def logits_of_two(p: Tensor) -> Tensor:
    """Two tokens, of which number 1 has the probability p."""
    return torch.stack([torch.zeros_like(p), torch.log(p / (1 - p))], dim=-1)


def real(*lengths: int, width: int) -> Drawn:
    """A mask with that many real tokens in each sentence, then padding."""
    return tensor(lengths).then(lambda each: padding_mask(each, width=width)[:, 0].clone())


CASES = (
    case(
        _("two sentences; the right tokens have p = 1/2, 1/2, 1/4, and 1/8"),
        logits=tensor(  # in sixteenths: each logit is too large by log 16, a shift
            [
                [[2.0, 8, 4, 2], [4, 2, 2, 8], [4, 8, 1, 3]],
                [[5, 5, 2, 4], [1, 1, 1, 13], [2, 10, 2, 2]],
            ]
        ).then(torch.log),
        target=tensor([[1, 3, 0], [2, 3, 1]]),
        mask=tensor([[True, True, True], [True, False, False]]),
        gives=tensor(7 / 4 * log(2)),  # 1, 1, 2 and 3 bits
    ),
    case(
        _("one sentence without padding"),
        logits=tensor([[0.5, 0.8, 0.1]]).then(logits_of_two),
        target=tensor([[1, 1, 1]]),
        mask=tensor([[True, True, True]]),
    ),
    case(
        _("padding on the left and in the middle"),
        logits=tensor([[0.4, 0.5, 0.8], [0.1, 0.7, 0.5]]).then(logits_of_two),
        target=tensor([[1, 1, 1], [1, 1, 1]]),
        mask=tensor([[False, True, True], [True, False, True]]),
        gives=tensor(-(log(0.5) + log(0.8) + log(0.1) + log(0.5)) / 4),
    ),
    case(
        _("one place in each sentence"),
        logits=tensor([[0.5], [0.8], [0.1]]).then(logits_of_two),
        target=tensor([[1], [1], [1]]),
        mask=tensor([[True], [False], [True]]),
        gives=tensor(-(log(0.5) + log(0.1)) / 2),
    ),
    case(
        _("a padded batch"),
        seed=1,
        logits=normal(3, 7, 11, scale=2.0),
        target=integers(3, 7, high=11),
        mask=real(7, 2, 5, width=7),
    ),
    case(
        _("as many positions as tokens to choose from"),
        seed=2,
        logits=normal(2, 5, 5, scale=2.0),
        target=integers(2, 5, high=5),
        mask=real(5, 3, width=5),
    ),
    case(
        _("float64"),
        seed=3,
        logits=normal(3, 3, 13, scale=2.0, dtype=torch.float64),
        target=integers(3, 3, high=13),
        mask=real(3, 2, 1, width=3),
    ),
    case(
        _("padding beyond the longest sentence"),
        seed=4,
        logits=normal(2, 7, 5, scale=2.0),
        target=integers(2, 7, high=5),
        mask=real(2, 3, width=7),
    ),
    case(
        _("a sentence of padding alone"),
        seed=5,
        logits=normal(3, 3, 7, scale=2.0),
        target=integers(3, 3, high=7),
        mask=real(3, 0, 2, width=3),
    ),
    case(
        _("all logits far above zero"),
        seed=8,
        logits=normal(2, 5, 7, scale=2.0).then(lambda logits: logits + 300),
        target=integers(2, 5, high=7),
        mask=real(3, 5, width=5),
    ),
    case(
        _("large logits"),
        seed=6,
        logits=normal(2, 5, 7, scale=300.0),
        target=integers(2, 5, high=7),
        mask=real(3, 5, width=5),
    ),
    case(
        _("a gradient for the logits"),
        seed=7,
        logits=normal(2, 2, 3, scale=2.0).with_gradient(),
        target=integers(2, 2, high=3),
        mask=real(1, 2, width=2),
    ),
)
