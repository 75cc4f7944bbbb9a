"""Chapter 04: a hidden layer that computes the absolute value of each feature.

Many models are trained at once: each is an instance with weights of its own.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.models import sample_features


class AbsoluteValues(nn.Module):
    """Compute all ``|x_i|`` with few neurons.

    ``h = ReLU(W1 x)``, ``y = ReLU(W2 h + b)``

    W1: [instance, neurons, features]; W2: [instance, features, neurons]; b: [instance, features].
    Since ``|x| = ReLU(x) + ReLU(-x)``, two neurons compute one feature exactly, and one neuron its
    values of one sign. At the start W1 is normal with variance 2 / (neurons + features), W2 is the
    absolute value of such numbers, and b is zero.

    Source: Elhage et al. (2022), section "Computing in Superposition", for the setup; the start is
    ours.
    """

    def __init__(self, features: int, neurons: int, *, instances: int) -> None:
        super().__init__()
        deviation = (2 / (neurons + features)) ** 0.5
        self.W1 = nn.Parameter(deviation * torch.randn(instances, neurons, features))
        # an output that starts below zero has no gradient, so all start above
        start = deviation * torch.randn(instances, features, neurons).abs()
        self.W2 = nn.Parameter(start)
        self.b = nn.Parameter(torch.zeros(instances, features))

    def forward(
        self, x: Float[Tensor, "*instance sample features"]
    ) -> Float[Tensor, "instance sample features"]:
        """Return y. Without the axis of instances, every instance gets the same samples."""
        h = (x @ self.W1.mT).relu()  # [instance, sample, neurons]
        return (h @ self.W2.mT + self.b[:, None]).relu()


def signed_features(
    count: int, features: int, sparsity: float, generator: torch.Generator
) -> Float[Tensor, "sample features"]:
    """Draw features: zero with probability S, else uniform in (-1, 1)."""
    size = sample_features(count, features, sparsity, generator)
    negative = torch.rand(count, features, generator=generator) < 0.5
    return torch.where(negative, -size, size)


def explained(
    target: Float[Tensor, "sample features"], y: Float[Tensor, "sample features"]
) -> Float[Tensor, " features"]:
    """Return how much of each target's variance y explains.

    ``1 - mean (t_i - y_i)^2 / mean (t_i - mean t_i)^2``

    The best constant explains nothing. Of sparse features, one neuron that computes the values of
    one sign explains a half; two that compute both explain all.
    """
    spread = (target - target.mean(dim=0)).square().mean(dim=0)
    return 1 - (target - y).square().mean(dim=0) / spread


def purity(W1: Float[Tensor, "neurons features"]) -> Float[Tensor, " neurons"]:
    """Return which part of a neuron's squared incoming weights is its largest one's.

    A neuron of one feature has 1. A scale of the neuron, which W2 can undo, changes nothing.
    """
    squared = W1.square()
    return squared.amax(dim=1) / squared.sum(dim=1)
