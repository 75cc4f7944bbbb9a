"""Cross-entropy against a smoothed target in other ways: what the mistakes are made of."""

from collections.abc import Callable

import torch
from torch import Tensor

Answer = Callable[[Tensor, Tensor, Tensor, float, int], Tensor]
# number of classes, smoothing -> mass of the right token, of each other one, of padding
Masses = Callable[[int, float], tuple[float, float, float]]
Average = Callable[[Tensor, Tensor], Tensor]  # loss of every place, mask -> loss


def masses(classes: int, smoothing: float) -> tuple[float, float, float]:
    """The exercise's convention."""
    return 1 - smoothing, smoothing / (classes - 2), 0.0


def mean_of_real(losses: Tensor, mask: Tensor) -> Tensor:
    return losses[mask].mean()


def distribution(
    target: Tensor, classes: int, smoothing: float, pad: int, masses: Masses = masses
) -> Tensor:
    """The target distribution of every place; at a padded target all of `right` is padding's."""
    right, other, padding = masses(classes, smoothing)
    spread = torch.full((*target.shape, classes), other, dtype=torch.float64, device=target.device)
    spread[..., pad] = padding
    return spread.scatter(-1, target[..., None], right)


def losses_of(
    logits: Tensor, target: Tensor, smoothing: float, pad: int, masses: Masses = masses
) -> Tensor:
    """The loss of every place, padding included."""
    spread = distribution(target, logits.shape[-1], smoothing, pad, masses)
    return -(spread.to(logits) * logits.log_softmax(-1)).sum(-1)


def with_masses(masses: Masses, average: Average = mean_of_real) -> Answer:
    """Another target distribution, or another mean."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        return average(losses_of(logits, target, smoothing, pad, masses), mask)

    return wrong


def averaged(average: Average) -> Answer:
    """The right loss of every place, with another mean."""
    return with_masses(masses, average)


def scored(score: Callable[[Tensor], Tensor]) -> Answer:
    """The right distribution against something other than log-probabilities."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
        return -(spread * score(logits)).sum(-1)[mask].mean()

    return wrong


def picked(score: Callable[[Tensor], Tensor], *, subtracting: bool = True) -> Answer:
    """The same without a distribution; the others' sum subtracts, or is over them alone."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        scores, right = score(logits)[mask], target[mask][:, None]
        own = scores.gather(-1, right)[:, 0]
        classes = torch.arange(scores.shape[-1])
        others = scores.masked_fill((classes == pad) | (classes == right), 0).sum(-1)
        if subtracting:
            others = scores.sum(-1) - own - scores[:, pad]
        return -((1 - smoothing) * own + smoothing / (len(classes) - 2) * others).mean()

    return wrong


def log_of_softmax(added: float) -> Callable[[Tensor], Tensor]:
    """The logarithm of a probability, with a small number added to it."""
    return lambda logits: (logits.softmax(-1) + added).log()
