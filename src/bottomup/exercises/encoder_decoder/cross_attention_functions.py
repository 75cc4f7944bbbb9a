"""Functions that a case of the wiring exercise names by a text, so that a report can show them."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import masked_softmax
from bottomup.i18n import _

Norm = Callable[[Tensor], Tensor]
Attention = Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]

WIDTH = 5


def _drawn(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _attention(seed: int) -> Attention:
    """Attention in one head, with fixed maps of its own."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            x @ _drawn(WIDTH, WIDTH, seed=seed + i).to(x) / WIDTH**0.5
            for i, x in enumerate((query, key, value))
        )
        return masked_softmax(q @ k.mT, mask) @ v

    return attend


def _digits(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """What went in can be read off the sum: a query, keys in tens, values in hundreds."""
    scores = query.new_zeros(*query.shape[:-1], key.shape[-2])
    weights = masked_softmax(scores, mask)
    return query + 10 * (weights @ key) + 100 * (weights @ value)


def _norm(seed: int) -> Norm:
    """LayerNorm with a gain and a bias of its own."""

    def norm(x: Tensor) -> Tensor:
        gain, bias = 1 + 0.5 * _drawn(WIDTH, seed=seed), _drawn(WIDTH, seed=seed + 1)
        return F.layer_norm(x, (WIDTH,), gain.to(x), bias.to(x))

    return norm


DIGITS = _("query + 10 * mean of the keys it may read + 100 * mean of those values")
NOTHING = _("nothing: zeros")
OWN, CROSS = _("attention with fixed maps"), _("attention with other fixed maps")
FIRST_NORM, SECOND_NORM = _("LayerNorm with a first gain"), _("LayerNorm with a second gain")

FUNCTIONS: dict[str, Attention | Norm] = {
    "x / 2": lambda x: x / 2,
    "x + 1": lambda x: x + 1,
    DIGITS: _digits,
    NOTHING: lambda query, key, value, mask=None: torch.zeros_like(query),
    OWN: _attention(1),
    CROSS: _attention(4),
    FIRST_NORM: _norm(7),
    SECOND_NORM: _norm(9),
}
