"""A feed-forward network with a gate: a neuron multiplies two readings."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.blocks.feed_forward import ACTIVATIONS
from bottomup.checks import (
    check_choice,
    check_integer,
    check_number,
    check_switch,
    checked,
)

GATES: dict[str, Callable[[Tensor], Tensor]] = {
    "silu": F.silu,
    **ACTIVATIONS,
    "sigmoid": torch.sigmoid,
}


class GatedFeedForward(nn.Module):
    """Let one map of the vector say how much of another map's result is used.

    ``output = W_out (g(W_gate x + b_gate) * (W_in x + b_in)) + b_out``, where
    ``*`` multiplies by components

    It has ``3 d_model d_ff`` weights. With two thirds of the neurons it is as
    large as a `FeedForward`, and so the paper compares them.

    Args:
        d_model: width of a position, in and out.
        d_ff: number of neurons.
        activation: g, one of "silu" (``z sigmoid(z)``), "gelu", "relu" or
            "sigmoid". The paper calls the networks SwiGLU, GEGLU, ReGLU and
            GLU. "gelu_tanh" is the approximation that `FeedForward` has.
        bias: whether the three maps add a bias.
        dropout: probability in [0, 1) with which a product is set to zero
            during training.

    The maps start as ``nn.Linear`` draws them.

    Source: Shazeer (2020), without biases there. Chapter 10b derives it.

    Example:
        >>> network = GatedFeedForward(d_model=2, d_ff=5)
        >>> sum(p.numel() for p in network.parameters())  # 3 * 2 * 5
        30
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "silu",
        bias: bool = False,
        dropout: int | float = 0.0,
    ) -> None:
        super().__init__()
        # No kind of `FeedForward`: the gate's map comes first, also in what a
        # seed draws, and the formula is read in one place.
        check_integer("d_model", d_model, at_least=1)
        check_integer("d_ff", d_ff, at_least=1)
        check_choice("activation", activation, GATES)
        check_number("dropout", dropout, at_least=0, below=1)
        self.d_model = d_model
        self.activation, self.dropout = activation, float(dropout)
        check_switch("bias", bias)
        self.W_gate = nn.Linear(d_model, d_ff, bias=bias)
        self.W_in = nn.Linear(d_model, d_ff, bias=bias)
        self.W_out = nn.Linear(d_ff, d_model, bias=bias)

    @checked
    def activations(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_ff"]:
        """Return ``g(W_gate x + b_gate) * (W_in x + b_in)``, undropped."""
        gate = GATES[self.activation](self.W_gate(x))  # [..., d_ff]
        return gate * self.W_in(x)

    @checked
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
