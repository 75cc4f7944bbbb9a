"""A feed-forward network with a gate: each neuron's answer is a product of two readings."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.blocks.feed_forward_checks import check_map_out, check_maps_in
from bottomup.checks import (
    check_axes,
    check_choice,
    check_integer,
    check_number,
)

GATES: dict[str, Callable[[Tensor], Tensor]] = {
    "silu": F.silu,
    "gelu": F.gelu,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
}


def gated_feed_forward(
    x: Float[Tensor, "*leading d_model"],
    *,
    W_gate: Float[Tensor, "d_ff d_model"],
    W_in: Float[Tensor, "d_ff d_model"],
    W_out: Float[Tensor, "d_model d_ff"],
    b_gate: Float[Tensor, " d_ff"] | None = None,
    b_in: Float[Tensor, " d_ff"] | None = None,
    b_out: Float[Tensor, " d_model"] | None = None,
    activation: str = "silu",
    dropout: int | float = 0.0,
) -> Float[Tensor, "*leading d_model"]:
    """Let one map of the vector say how much of another map's result is used.

    ``output = W_out (g(W_gate x + b_gate) * (W_in x + b_in)) + b_out``, ``*`` by components

    Args:
        x: one vector for each position; no position sees another.
        W_gate, W_in, W_out: the maps, in the layout of ``nn.Linear``.
        b_gate, b_in, b_out: what is added after each map; None adds nothing.
        activation: g, one of "silu" (``z sigmoid(z)``), "gelu", "relu" or "sigmoid". The paper
            calls the networks SwiGLU, GEGLU, ReGLU and GLU.
        dropout: probability in [0, 1) with which a product is set to zero. 0 outside training.

    Source: Shazeer (2020), without biases there. Chapter 04 names it.
    """
    check_number("dropout", dropout, at_least=0, below=1)
    active = _activations(x, W_gate, W_in, b_gate, b_in, activation)
    check_map_out(x, W_out, b_out, d_ff=active.shape[-1])
    return F.linear(F.dropout(active, dropout), W_out, b_out)


class GatedFeedForward(nn.Module):
    """A feed-forward network with a gate; `gated_feed_forward` gives the formula.

    It has ``3 d_model d_ff`` weights. With two thirds of the neurons it is as large as a
    `FeedForward`, and so the paper compares them.

    Args:
        d_model: width of a position, in and out.
        d_ff: number of neurons.
        activation: the gate's: "silu", "gelu", "relu" or "sigmoid".
        bias: whether the three maps add a bias.
        dropout: probability in [0, 1) with which a product is set to zero during training.

    The maps start as ``nn.Linear`` draws them.

    Source: Shazeer (2020). Chapter 04 names it.
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
        check_integer("d_model", d_model, at_least=1)
        check_integer("d_ff", d_ff, at_least=1)
        check_choice("activation", activation, GATES)
        check_number("dropout", dropout, at_least=0, below=1)
        self.activation, self.dropout = activation, float(dropout)
        self.W_gate = nn.Linear(d_model, d_ff, bias=bias)
        self.W_in = nn.Linear(d_model, d_ff, bias=bias)
        self.W_out = nn.Linear(d_ff, d_model, bias=bias)

    def activations(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_ff"]:
        """Return each neuron's product, ``g(W_gate x + b_gate) * (W_in x + b_in)``, before dropout."""
        check_axes("x", x, "... d_model", d_model=self.W_in.in_features)
        gate, reading = self.W_gate, self.W_in
        return _activations(
            x,
            gate.weight,
            reading.weight,
            gate.bias,
            reading.bias,
            self.activation,
        )

    def forward(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return the output at each position."""
        check_axes("x", x, "... d_model", d_model=self.W_in.in_features)
        return gated_feed_forward(
            x,
            W_gate=self.W_gate.weight,
            W_in=self.W_in.weight,
            W_out=self.W_out.weight,
            b_gate=self.W_gate.bias,
            b_in=self.W_in.bias,
            b_out=self.W_out.bias,
            activation=self.activation,
            dropout=self.dropout if self.training else 0.0,
        )

    def extra_repr(self) -> str:
        """Show the choices in the module's printout."""
        return f"activation={self.activation!r}, dropout={self.dropout}"


def _activations(
    x: Tensor,
    W_gate: Tensor,
    W_in: Tensor,
    b_gate: Tensor | None,
    b_in: Tensor | None,
    activation: str,
) -> Tensor:
    check_maps_in(
        x, {"W_gate": W_gate, "W_in": W_in}, {"b_gate": b_gate, "b_in": b_in}
    )
    check_choice("activation", activation, GATES)
    return GATES[activation](F.linear(x, W_gate, b_gate)) * F.linear(
        x, W_in, b_in
    )
