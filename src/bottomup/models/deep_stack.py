"""A deep stack of layers of one width, with and without a way around each."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import (
    check_choice,
    check_integer,
    check_number,
    checked,
)

KINDS = ("plain", "residual", "highway")
ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu}
INITIALISATIONS = ("default", "orthogonal")


class DeepStack(nn.Module):
    """Apply many layers of one width, one after the other.

    ``H(x) = f(W x + b)``, and a layer gives

    - plain: ``y = H(x)``
    - residual: ``y = x + H(x)``
    - highway: ``y = T(x) H(x) + (1 - T(x)) x``, with the gate
      ``T(x) = sigmoid(W_T x + b_T)``

    f: tanh or ReLU; W, W_T: [width, width]; b, b_T: [width]. All layers have
    parameters of their own. A gate whose bias is negative at the start is
    almost closed, and its layer hands x on.

    At the start W and b are uniform in ``± 1 / sqrt(width)``, which is torch's
    default for a linear map, and so is W_T. With "orthogonal", ``W^T W = I``
    and b = 0: the linear part of a layer keeps lengths.

    Args:
        width: of every layer.
        depth: number of layers.
        kind: "plain", "residual" or "highway".
        activation: f, "tanh" or "relu".
        initialisation: of W and b, "default" or "orthogonal".
        gate_bias: b_T at the start; only of the kind "highway".

    Source: He et al. (2016), equation 1, for residual layers; Srivastava et al.
    (2015), equations 1 to 3, for highway layers; Saxe et al. (2014) for
    orthogonal weights. Chapter 05 compares them.

    Example:
        >>> stack = DeepStack(width=4, depth=30, kind="residual")
        >>> stack(torch.randn(3, 4)).shape
        torch.Size([3, 4])
    """

    def __init__(
        self,
        width: int,
        depth: int,
        *,
        kind: str,
        activation: str = "tanh",
        initialisation: str = "default",
        gate_bias: int | float = -2.0,
    ) -> None:
        super().__init__()
        check_integer("width", width, at_least=1)
        check_integer("depth", depth, at_least=1)
        check_choice("kind", kind, KINDS)
        check_choice("activation", activation, ACTIVATIONS)
        check_choice("initialisation", initialisation, INITIALISATIONS)
        infinity = float("inf")
        check_number("gate_bias", gate_bias, above=-infinity, below=infinity)
        self.width, self.kind, self.activation = width, kind, activation
        self.maps = nn.ModuleList(
            _map(width, initialisation) for _ in range(depth)
        )
        self.gates = nn.ModuleList(
            _gate(width, float(gate_bias))
            for _ in range(depth if kind == "highway" else 0)
        )

    @checked
    def forward(
        self, x: Float[Tensor, "*leading width"]
    ) -> Float[Tensor, "*leading width"]:
        """Return what the last layer gives."""
        f = ACTIVATIONS[self.activation]
        for number, linear in enumerate(self.maps):  # x: [..., width]
            update = f(linear(x))
            if self.kind == "plain":
                x = update
            elif self.kind == "residual":
                x = x + update
            else:
                gate = self.gates[number](x).sigmoid()
                x = gate * update + (1 - gate) * x
        return x


def _map(width: int, initialisation: str) -> nn.Linear:
    linear = nn.Linear(width, width)
    if initialisation == "orthogonal":
        nn.init.orthogonal_(linear.weight)
        nn.init.zeros_(linear.bias)
    return linear


def _gate(width: int, bias: float) -> nn.Linear:
    gate = nn.Linear(width, width)
    nn.init.constant_(gate.bias, bias)
    return gate
