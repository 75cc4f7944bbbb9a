"""Root-mean-square normalisation: each vector's mean square becomes 1."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.blocks.normalization import EPSILON
from bottomup.checks import check_integer, check_number, checked
from bottomup.precision import in_float32


@checked
@in_float32
def rms_norm(
    x: Float[Tensor, "*leading d_model"],
    gain: Float[Tensor, " d_model"],
    *,
    epsilon: int | float = EPSILON,
) -> Float[Tensor, "*leading d_model"]:
    """Divide every vector by the root of its mean square, then scale it.

    ``y = gain x / sqrt(1/d sum_c x[c]^2 + epsilon)``, ``d = d_model``

    No mean is taken away, and no bias is added. Of a vector with mean 0 it is
    what `layer_norm` makes without its bias; a number that is added to all
    components changes the result, as it does not there.

    Args:
        x: one vector for each position.
        gain: factor of each component.
        epsilon: a number above 0, in the units of the mean square.

    Source: Zhang and Sennrich (2019). Chapter 10b derives it.

    Example:
        >>> x = torch.tensor([3.0, 4.0])  # the mean of the squares is 12.5
        >>> rms_norm(x, gain=torch.ones(2))
        tensor([0.8485, 1.1314])
    """
    check_number("epsilon", epsilon, above=0, below=torch.inf)
    square = x.square().mean(dim=-1, keepdim=True)  # [..., 1]
    return gain * x * torch.rsqrt(square + epsilon)


class RMSNorm(nn.Module):
    """Root-mean-square normalisation with a learned gain, as in `rms_norm`.

    Args:
        d_model: width of a vector; the module has as many parameters.
        epsilon: a number above 0, in the units of the mean square.

    The gain starts as ones.

    Source: Zhang and Sennrich (2019). Chapter 10b derives it.
    """

    def __init__(self, d_model: int, *, epsilon: int | float = EPSILON) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        check_number("epsilon", epsilon, above=0, below=torch.inf)
        self.d_model, self.epsilon = d_model, float(epsilon)
        self.gain = nn.Parameter(torch.ones(d_model))

    @checked
    def forward(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return the normalised vectors."""
        if x.dtype != self.gain.dtype:  # as autocast hands it on
            return rms_norm(x, self.gain, epsilon=self.epsilon)
        # One kernel: torch's own is the same formula.
        return nn.functional.rms_norm(x, x.shape[-1:], self.gain, self.epsilon)

    def extra_repr(self) -> str:
        """Show the sizes in the module's printout."""
        return f"d_model={self.d_model}, epsilon={self.epsilon}"
