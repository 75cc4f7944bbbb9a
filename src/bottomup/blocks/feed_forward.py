"""The position-wise feed-forward network: two maps, for each position alone."""

import functools
from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import (
    check_choice,
    check_integer,
    check_number,
    check_switch,
    checked,
)

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu_tanh": functools.partial(F.gelu, approximate="tanh"),
}


class FeedForward(nn.Module):
    """Map each vector to d_ff numbers, bend them, and map them back (an MLP).

    ``output = W_out f(W_in x + b_in) + b_out``, ``f = relu`` or ``f = gelu``

    Row k of W_in is what neuron k looks for, ``f(W_in x + b_in)[k]`` how
    strongly it answers, and column k of W_out what it then adds: the output is
    a sum of columns, weighted by activations. No position sees another. There
    are ``2 d_model d_ff`` weights, and ``d_ff + d_model`` biases.

    Args:
        d_model: width of a position, in and out.
        d_ff: number of neurons; 4 d_model in the paper.
        activation: f, "relu", or "gelu", which is ``z Phi(z)`` with the normal
            distribution function Phi, or "gelu_tanh", its approximation
            ``z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))``, which is at most
            0.0005 off: the weights of GPT-2 were trained with it.
        bias: whether the two maps add a bias.
        dropout: probability in [0, 1) with which an activation is set to zero
            during training.

    The maps start as ``nn.Linear`` draws them.

    Source: Vaswani et al. (2017), section 3.3, which writes the vectors as
    rows, with W_1 and W_2; Hendrycks and Gimpel (2016) for GELU. Chapter 04
    derives it.

    Example:
        >>> network = FeedForward(d_model=2, d_ff=5)
        >>> network(torch.zeros(3, 2)).shape
        torch.Size([3, 2])
        >>> sum(p.numel() for p in network.parameters())  # 2 * 2 * 5 + 5 + 2
        27
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "relu",
        bias: bool = True,
        dropout: int | float = 0.0,
    ) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        check_integer("d_ff", d_ff, at_least=1)
        check_choice("activation", activation, ACTIVATIONS)
        check_number("dropout", dropout, at_least=0, below=1)
        self.d_model = d_model
        self.activation, self.dropout = activation, float(dropout)
        check_switch("bias", bias)
        self.W_in = nn.Linear(d_model, d_ff, bias=bias)
        self.W_out = nn.Linear(d_ff, d_model, bias=bias)

    @checked
    def activations(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_ff"]:
        """Return what each neuron answers, ``f(W_in x + b_in)``, undropped."""
        return ACTIVATIONS[self.activation](self.W_in(x))

    def forward(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return the output at each position."""
        active = self.activations(x)  # [..., d_ff]
        active = F.dropout(active, self.dropout, self.training)
        return self.W_out(active)  # [..., d_model]

    def extra_repr(self) -> str:
        """Show the choices in the module's printout."""
        return f"activation={self.activation!r}, dropout={self.dropout}"
