"""The position-wise feed-forward network (MLP): the same two maps for each position alone."""

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

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": F.gelu,
}


def feed_forward(
    x: Float[Tensor, "*leading d_model"],
    *,
    W_in: Float[Tensor, "d_ff d_model"],
    b_in: Float[Tensor, " d_ff"] | None = None,
    W_out: Float[Tensor, "d_model d_ff"],
    b_out: Float[Tensor, " d_model"] | None = None,
    activation: str = "relu",
    dropout: int | float = 0.0,
) -> Float[Tensor, "*leading d_model"]:
    """Map each vector to d_ff numbers, bend them, and map them back.

    ``output = W_out f(W_in x + b_in) + b_out``, ``f = relu`` or ``f = gelu``

    Row k of W_in is what neuron k looks for, ``f(W_in x + b_in)[k]`` how strongly it answers, and
    column k of W_out what it then adds: the output is a sum of columns, weighted by activations.

    Args:
        x: one vector for each position; no position sees another.
        W_in, W_out: the maps, in the layout of ``nn.Linear``.
        b_in, b_out: what is added after each map; None adds nothing.
        activation: "relu", or "gelu", which is ``z Phi(z)`` with the normal distribution function
            Phi, computed exactly and not by its tanh approximation.
        dropout: probability in [0, 1) with which an activation is set to zero. 0 outside training.

    Source: Vaswani et al. (2017), section 3.3, which writes the vectors as rows, with W_1 and W_2;
    Hendrycks and Gimpel (2016) for GELU. Chapter 04 derives it.
    """
    check_number("dropout", dropout, at_least=0, below=1)
    active = _activations(x, W_in, b_in, activation)
    check_map_out(x, W_out, b_out, d_ff=active.shape[-1])
    return F.linear(F.dropout(active, dropout), W_out, b_out)


class FeedForward(nn.Module):
    """The feed-forward network of a Transformer's layer; `feed_forward` gives the formula.

    It has ``2 d_model d_ff`` weights, and ``d_ff + d_model`` biases.

    Args:
        d_model: width of a position, in and out.
        d_ff: number of neurons; 4 d_model in the paper.
        activation: "relu" or "gelu".
        bias: whether the two maps add a bias.
        dropout: probability in [0, 1) with which an activation is set to zero during training.

    The maps start as ``nn.Linear`` draws them.

    Source: Vaswani et al. (2017), section 3.3. Chapter 04 derives it.
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
        self.activation, self.dropout = activation, float(dropout)
        self.W_in = nn.Linear(d_model, d_ff, bias=bias)
        self.W_out = nn.Linear(d_ff, d_model, bias=bias)

    def activations(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_ff"]:
        """Return what each neuron answers, ``f(W_in x + b_in)``, before dropout."""
        check_axes("x", x, "... d_model", d_model=self.W_in.in_features)
        return _activations(
            x, self.W_in.weight, self.W_in.bias, self.activation
        )

    def forward(
        self, x: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading d_model"]:
        """Return the output at each position."""
        check_axes("x", x, "... d_model", d_model=self.W_in.in_features)
        return feed_forward(
            x,
            W_in=self.W_in.weight,
            b_in=self.W_in.bias,
            W_out=self.W_out.weight,
            b_out=self.W_out.bias,
            activation=self.activation,
            dropout=self.dropout if self.training else 0.0,
        )

    def extra_repr(self) -> str:
        """Show the choices in the module's printout."""
        return f"activation={self.activation!r}, dropout={self.dropout}"


def _activations(
    x: Tensor, W_in: Tensor, b_in: Tensor | None, activation: str
) -> Tensor:
    check_maps_in(x, {"W_in": W_in}, {"b_in": b_in})
    check_choice("activation", activation, ACTIVATIONS)
    return ACTIVATIONS[activation](F.linear(x, W_in, b_in))
