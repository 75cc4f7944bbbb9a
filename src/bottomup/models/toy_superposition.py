"""The toy model of superposition: more features than dimensions, and a ReLU at the output.

Many models are trained at once: each is an instance with weights of its own.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import (
    check_axes,
    check_integer,
    check_number,
    check_same_kind,
)

AXES = "instance sample features"


class ToySuperposition(nn.Module):
    """Squeeze features into fewer dimensions and take them out again, in several instances.

    ``h = W x``, ``x' = ReLU(W^T h + b)``; with `linear`, ``x' = W^T h + b``

    W: weights [instance, dimensions, features]; b: biases [instance, features]. Column i of an
    instance's W, W_i, is the direction of feature i. The same W is used twice, so W_i also reads
    feature i out. At the start W is normal with variance 2 / (dimensions + features), and b is
    zero.

    Args:
        features: n, the number of features.
        dimensions: m, the width of h.
        instances: number of models side by side.
        linear: leave the ReLU out.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Chapter 04 derives it.
    """

    def __init__(
        self,
        features: int,
        dimensions: int,
        *,
        instances: int = 1,
        linear: bool = False,
    ) -> None:
        super().__init__()
        check_integer("features", features, at_least=1)
        check_integer("dimensions", dimensions, at_least=1)
        check_integer("instances", instances, at_least=1)
        self.features, self.dimensions, self.instances = (
            features,
            dimensions,
            instances,
        )
        self.linear = linear
        deviation = (2 / (dimensions + features)) ** 0.5
        self.W = nn.Parameter(
            deviation * torch.randn(instances, dimensions, features)
        )
        self.b = nn.Parameter(torch.zeros(instances, features))

    def hidden(
        self, x: Float[Tensor, "*instance sample features"]
    ) -> Float[Tensor, "instance sample dimensions"]:
        """Return ``h = W x``. Without the axis of instances, every instance gets the same samples."""
        if isinstance(x, Tensor) and x.dim() == 2:
            check_axes("x", x, "sample features", features=self.features)
        else:
            check_axes(
                "x", x, AXES, instance=self.instances, features=self.features
            )
        check_same_kind("x", x, "W", self.W)
        return x @ self.W.mT

    def forward(
        self, x: Float[Tensor, "*instance sample features"]
    ) -> Float[Tensor, "instance sample features"]:
        """Return x'. Without the axis of instances, every instance gets the same samples."""
        output = self.hidden(x) @ self.W + self.b[:, None]
        return output if self.linear else output.relu()


def superposition_loss(
    x: Float[Tensor, "*instance sample features"],
    x_hat: Float[Tensor, "*instance sample features"],
    importance: Float[Tensor, "*instance features"],
) -> Float[Tensor, "*instance"]:
    """Return the error of each instance: squared, weighed, summed over features.

    ``L = mean over samples of sum_i I_i (x_i - x'_i)^2``

    Args:
        x: the features.
        x_hat: x', what the model makes of them.
        importance: I, positive; one row for all instances, or one for each.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Chapter 04 derives it.
    """
    sizes = check_axes("x", x, "... sample features")
    check_axes("x_hat", x_hat, "... sample features", **sizes)
    check_importance(importance, sizes["features"])
    try:
        error = importance[..., None, :] * (x - x_hat).square()
    except RuntimeError:
        shapes = ", ".join(
            str(tuple(each.shape)) for each in (x, x_hat, importance)
        )
        raise ValueError(
            f"x, x_hat, importance: expected axes that fit, got shapes {shapes}"
        ) from None
    return error.sum(dim=-1).mean(dim=-1)


def sample_features(
    count: int,
    features: int,
    sparsity: int | float | Float[Tensor, " instance"],
    generator: torch.Generator | None = None,
    *,
    shared: bool = False,
) -> Float[Tensor, "*instance sample features"]:
    """Draw samples: each feature is zero with probability S, else uniform in [0, 1).

    One uniform number u decides both: ``x = max(u - S, 0) / (1 - S)``. Features are independent.

    Args:
        count: number of samples, for each instance.
        features: their width.
        sparsity: S, in [0, 1): one number, or one for each instance.
        generator: of the numbers u, on the CPU; by default torch's own.
        shared: all instances get the same numbers u, and thin them by their own sparsity.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Used in chapter 04.
    """
    check_integer("count", count, at_least=1)
    check_integer("features", features, at_least=1)
    if not isinstance(sparsity, Tensor):
        check_number("sparsity", sparsity, at_least=0, below=1)
        uniform = torch.rand(count, features, generator=generator)
        return _thin(uniform, torch.tensor(float(sparsity)))
    check_sparsity(sparsity)
    drawn = 1 if shared else len(sparsity)
    uniform = torch.rand(drawn, count, features, generator=generator)
    return _thin(uniform, sparsity.to(uniform)[:, None, None])


def _thin(uniform: Tensor, sparsity: Tensor) -> Tensor:
    return (uniform - sparsity).clamp(min=0) / (1 - sparsity)


def check_sparsity(sparsity: Tensor) -> None:
    """Check one sparsity for each instance: floating point, none outside [0, 1)."""
    check_axes("sparsity", sparsity, "instance")
    _check_all(
        "sparsity", sparsity, (sparsity >= 0) & (sparsity < 1), "in [0, 1)"
    )


def check_importance(importance: Tensor, features: int) -> None:
    """Check importances: one for each feature, all positive and finite."""
    check_axes("importance", importance, "... features", features=features)
    good = (importance > 0) & importance.isfinite()
    _check_all("importance", importance, good, "above 0 and finite")


def _check_all(name: str, values: Tensor, good: Tensor, wanted: str) -> None:
    if not bool(good.all()):
        raise ValueError(
            f"{name}: expected numbers {wanted}, got {values[~good][0].item():g}"
        )
