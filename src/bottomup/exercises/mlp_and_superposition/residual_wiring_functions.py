"""Functions that a case of the wiring exercise names by a text, so that a report can show them."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.i18n import _

Function = Callable[[Tensor], Tensor]

WIDTH = 4


def _drawn(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _attention(x: Tensor) -> Tensor:
    """Self-attention in one head, with fixed maps."""
    query, key, value = (x @ _drawn(WIDTH, WIDTH, seed=seed).to(x) for seed in (1, 2, 3))
    return F.scaled_dot_product_attention(query, key, value)


def _network(x: Tensor) -> Tensor:
    """A feed-forward network of seven neurons, with fixed maps."""
    hidden = (x @ _drawn(WIDTH, 7, seed=4).to(x) + _drawn(7, seed=5).to(x)).relu()
    return hidden @ _drawn(7, WIDTH, seed=6).to(x)


def _norm(seed: int) -> Function:
    """LayerNorm with a gain and a bias of its own."""

    def norm(x: Tensor) -> Tensor:
        gain, bias = 1 + 0.5 * _drawn(WIDTH, seed=seed), _drawn(WIDTH, seed=seed + 1)
        return F.layer_norm(x, (WIDTH,), gain.to(x), bias.to(x))

    return norm


ATTENTION, NETWORK = _("attention with fixed maps"), _("a feed-forward network with fixed maps")
FIRST_NORM, SECOND_NORM = _("LayerNorm with a first gain"), _("LayerNorm with a second gain")
SAME, NOTHING = _("the input itself"), _("nothing: zeros")

FUNCTIONS: dict[str, Function] = {
    "3 x": lambda x: 3 * x,
    "x + 1": lambda x: x + 1,
    "x / 2": lambda x: x / 2,
    "x / 5": lambda x: x / 5,
    SAME: lambda x: x.clone(),
    NOTHING: torch.zeros_like,
    ATTENTION: _attention,
    NETWORK: _network,
    FIRST_NORM: _norm(7),
    SECOND_NORM: _norm(9),
}
