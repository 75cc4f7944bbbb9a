"""The toy model of superposition: more features than dimensions, and a ReLU.

Many models are trained at once: each is an instance with weights of its own.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import (
    check_integer,
    check_number,
    check_switch,
    checked,
    is_traced,
)
from bottomup.precision import in_float32


class ToySuperposition(nn.Module):
    """Squeeze features into fewer dimensions and take them out again.

    ``h = W x``, ``x' = ReLU(W^T h + b)``; with `linear`, ``x' = W^T h + b``

    W: weights [instance, dimensions, features]; b: biases [instance, features].
    Column i of an instance's W, W_i, is the direction of feature i. The same W
    is used twice, so W_i also reads feature i out. At the start W is normal
    with variance 2 / (dimensions + features), and b is zero.

    Args:
        features: n, the number of features.
        dimensions: m, the width of h.
        instances: number of models side by side.
        linear: leave the ReLU out.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Chapter
    04 derives it.
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
        check_switch("linear", linear)
        self.features, self.dimensions = features, dimensions
        self.instances, self.linear = instances, linear
        deviation = (2 / (dimensions + features)) ** 0.5
        self.W = nn.Parameter(
            deviation * torch.randn(instances, dimensions, features)
        )
        self.b = nn.Parameter(torch.zeros(instances, features))

    @checked
    def hidden(
        self, x: Float[Tensor, "*instances sample features"]
    ) -> Float[Tensor, "instances sample dimensions"]:
        """Return ``h = W x``.

        Without the axis of instances, every instance gets the same samples.
        """
        if x.shape[:-2] not in ((), (self.instances,)):
            wanted = f"[instances={self.instances}, sample, features]"
            raise ValueError(
                f"x: expected axes {wanted}, got shape {tuple(x.shape)}"
            )
        return x @ self.W.mT

    @checked
    def forward(
        self, x: Float[Tensor, "*instances sample features"]
    ) -> Float[Tensor, "instances sample features"]:
        """Return x'.

        Without the axis of instances, every instance gets the same samples.
        """
        output = self.hidden(x) @ self.W + self.b[:, None]
        return output if self.linear else output.relu()


@checked
@in_float32
def superposition_loss(
    x: Float[Tensor, "... sample features"],
    x_hat: Float[Tensor, "... sample features"],
    importance: Float[Tensor, "... features"],
) -> Float[Tensor, "..."]:
    """Return the error of each instance: squared, weighed and summed.

    ``L = mean over samples of sum_i I_i (x_i - x'_i)^2``

    Args:
        x: the features, for each instance or the same for all.
        x_hat: x', what the model makes of them.
        importance: I, positive; one row for all instances, or one for each.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Chapter
    04 derives it.
    """
    check_importance(importance)
    try:
        error = importance[..., None, :] * (x - x_hat).square()
    except RuntimeError:
        tensors = (x, x_hat, importance)
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in tensors)
        raise ValueError(
            f"x, x_hat, importance: expected axes that fit, got shapes {shapes}"
        ) from None
    return error.sum(dim=-1).mean(dim=-1)  # [instance]


def sample_features(
    count: int,
    features: int,
    sparsity: int | float | Float[Tensor, " instance"],
    generator: torch.Generator | None = None,
    *,
    shared: bool = False,
) -> Float[Tensor, "*instance sample features"]:
    """Draw features: zero with probability S, else uniform in [0, 1).

    One uniform number u decides both: ``x = max(u - S, 0) / (1 - S)``. Features
    are independent.

    Args:
        count: number of samples, for each instance.
        features: their width.
        sparsity: S, in [0, 1): one number, or one for each instance.
        generator: of the numbers u, on the CPU; by default torch's own.
        shared: all instances get the same numbers u, and thin them by their own
            sparsity.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Used in
    chapter 04.
    """
    check_integer("count", count, at_least=1)
    check_integer("features", features, at_least=1)
    check_switch("shared", shared)
    shape: tuple[int, ...] = (count, features)
    if isinstance(sparsity, Tensor):
        check_sparsity(sparsity)
        shape = (1 if shared else len(sparsity), *shape)
        S = sparsity[:, None, None]
    else:
        check_number("sparsity", sparsity, at_least=0, below=1)
        S = torch.tensor(float(sparsity))
    u = torch.rand(shape, generator=generator)
    S = S.to(u)
    return (u - S).clamp(min=0) / (1 - S)


@checked
def check_sparsity(sparsity: Float[Tensor, " instance"]) -> None:
    """Check one sparsity for each instance: none outside [0, 1)."""
    fits = (sparsity >= 0) & (sparsity < 1)
    _check_all("sparsity", sparsity, fits, "in [0, 1)")


@checked
def check_importance(importance: Float[Tensor, "... features"]) -> None:
    """Check importances: all positive and finite."""
    fits = (importance > 0) & importance.isfinite()
    _check_all("importance", importance, fits, "above 0 and finite")


def _check_all(name: str, values: Tensor, good: Tensor, wanted: str) -> None:
    if not is_traced() and not good.all():
        worst = values[~good][0].item()
        raise ValueError(f"{name}: expected numbers {wanted}, got {worst:g}")
