"""Layer normalisation: each vector gets mean 0 and variance 1, then a scale."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import check_integer, check_number, checked
from bottomup.precision import widened

EPSILON = 1e-5


@checked
def layer_norm(
    x: Float[Tensor, "*leading d_model"],
    gain: Float[Tensor, " d_model"],
    bias: Float[Tensor, " d_model"],
    *,
    epsilon: int | float = EPSILON,
) -> Float[Tensor, "*leading d_model"]:
    """Normalise every vector by its own moments, then scale and shift it.

    ``y = gain (x - mean) / sqrt(variance + epsilon) + bias``,
    ``mean = 1/d sum_c x[c]``, ``variance = 1/d sum_c (x[c] - mean)^2``,
    ``d = d_model``

    Mean and variance are taken over the last axis alone, so that no vector
    depends on another position or another sequence. The variance divides by d,
    not by d - 1. Epsilon stands inside the root: a vector of equal components
    becomes the bias, and no division by zero occurs.

    Args:
        x: one vector for each position.
        gain: factor of each component.
        bias: what is added to each component.
        epsilon: a number above 0, in the units of the variance.

    Source: Ba, Kiros and Hinton (2016). Chapter 04 derives it.

    Example:
        >>> x = torch.tensor([1.0, 3.0])
        >>> layer_norm(x, torch.ones(2), torch.zeros(2))  # mean 2, deviation 1
        tensor([-1.0000,  1.0000])
    """
    check_number("epsilon", epsilon, above=0, below=torch.inf)
    return _normalised(x, gain, bias, float(epsilon))


def _normalised(
    x: Tensor, gain: Tensor, bias: Tensor, epsilon: float
) -> Tensor:
    if not x.dtype == gain.dtype == bias.dtype:  # as autocast hands them on
        x, gain, bias = widened(x), widened(gain), widened(bias)
    # One kernel: the formula's eight operations made a training step about a
    # tenth longer on a CPU.
    return F.layer_norm(x, x.shape[-1:], gain, bias, epsilon)


class LayerNorm(nn.Module):
    """Layer normalisation with a learned gain and bias, as in `layer_norm`.

    It does the same in training and evaluation, and the same for a sequence
    alone as in a batch.

    Args:
        d_model: width of a vector; the module has ``2 d_model`` parameters.
        epsilon: a number above 0, in the units of the variance.

    The gain starts as ones and the bias as zeros.

    Source: Ba, Kiros and Hinton (2016). Chapter 04 derives it.

    Example:
        >>> norm = LayerNorm(d_model=2)
        >>> norm(torch.tensor([[1.0, 3.0], [10.0, 30.0]])).detach()
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """

    def __init__(self, d_model: int, *, epsilon: int | float = EPSILON) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        check_number("epsilon", epsilon, above=0, below=torch.inf)
        self.d_model, self.epsilon = d_model, float(epsilon)
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    @checked
    def forward(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return the normalised vectors."""
        return _normalised(x, self.gain, self.bias, self.epsilon)

    def extra_repr(self) -> str:
        """Show the sizes in the module's printout."""
        return f"d_model={self.d_model}, epsilon={self.epsilon}"
