"""What the mistakes in the weights of local-p are made of: names, and wrong answers by part."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.i18n import _

WINDOW = _("A window around the position")
CENTRE = _("A predicted centre")
ON_A_WORD = _("centres on a word")
BETWEEN_TWO_WORDS = _("centres between two words")
AT_THE_EDGES = _("windows cut at the edges")
FAR_ABOVE = _("a score far above the others, outside the window")
Wrong = Callable[[Tensor, Tensor, int], Tensor]
Move = Callable[[Tensor], Tensor]


def distance_of(scores: Tensor, center: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) - center[..., None]


def gaussian_of(distance: Tensor, sigma: float) -> Tensor:
    return torch.exp(-(distance**2) / (2 * sigma**2))


def cut(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
    return scores.masked_fill(distance.abs() > half_width, -inf)


def right(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = distance_of(scores, center)
    weights = cut(scores, distance, half_width).softmax(-1)
    return weights * gaussian_of(distance, half_width / 2)


def with_factor(factor: Callable[[Tensor, int], Tensor]) -> Wrong:
    """A wrong answer that multiplies the window's softmax by another factor."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        distance = distance_of(scores, center)
        weights = cut(scores, distance, half_width).softmax(-1)
        return weights * factor(distance, half_width)

    return wrong


def with_weights(weigh: Callable[[Tensor, Tensor, int], Tensor]) -> Wrong:
    """A wrong answer that multiplies the right Gaussian to other weights."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        distance = distance_of(scores, center)
        return weigh(scores, distance, half_width) * gaussian_of(distance, half_width / 2)

    return wrong


def with_centers(for_window: Move, for_gaussian: Move) -> Wrong:
    """A wrong answer that moves the centre of the window, of the Gaussian or of both."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        weights = cut(scores, distance_of(scores, for_window(center)), half_width).softmax(-1)
        return weights * gaussian_of(distance_of(scores, for_gaussian(center)), half_width / 2)

    return wrong
