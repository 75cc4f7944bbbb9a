"""Cases of a decoder layer's two attentions (Vaswani et al., 2017, section 3.1)."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.checks import check_mask
from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask

# ---- Functions that a case names by a text, so that a report can show them

WIDTH = 5
Norm = Callable[[Tensor], Tensor]
Attention = Callable[..., Tensor]


def constant(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def attention(seed: int) -> Attention:
    """Attention in one head, with fixed maps of its own."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            x @ constant(WIDTH, WIDTH, seed=seed + i).to(x) / WIDTH**0.5
            for i, x in enumerate((query, key, value))
        )
        return read(q, k, v, mask)

    return attend


def digits(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """What went in can be read off the sum: a query, keys in tens, values in hundreds."""
    level = torch.zeros_like(query)  # all scores are 0
    return query + 10 * read(level, key, key, mask) + 100 * read(level, key, value, mask)


def read(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    check_mask("mask", mask, (*query.shape[:-1], key.shape[-2]))
    q, k, v = (x.double() for x in (query, key, value))  # the digits of a report are certain
    return F.scaled_dot_product_attention(q, k, v, mask, scale=1.0).to(query)


def layer_norm(seed: int) -> Norm:
    """LayerNorm with a gain and a bias of its own."""

    def norm(x: Tensor) -> Tensor:
        gain, bias = 1 + 0.5 * constant(WIDTH, seed=seed), constant(WIDTH, seed=seed + 1)
        return F.layer_norm(x, (WIDTH,), gain.to(x), bias.to(x))

    return norm


DIGITS = _("query + 10 * mean of the keys it may read + 100 * mean of those values")
NOTHING = _("nothing: zeros")
OWN, CROSS = _("attention with fixed maps"), _("attention with other fixed maps")
FIRST_NORM, SECOND_NORM = _("LayerNorm with a first gain"), _("LayerNorm with a second gain")

FUNCTIONS: dict[str, Attention | Norm] = {
    "x / 2": lambda x: x / 2,
    "x + 1": lambda x: x + 1,
    DIGITS: digits,
    NOTHING: lambda query, key, value, mask=None: torch.zeros_like(query),
    OWN: attention(1),
    CROSS: attention(4),
    FIRST_NORM: layer_norm(7),
    SECOND_NORM: layer_norm(9),
}

run = run_with(FUNCTIONS)

BY_HAND: dict[str, Any] = {
    "attend": DIGITS,
    "cross_attend": DIGITS,
    "norm_1": "x / 2",
    "norm_2": "x + 1",
}
FIXED: dict[str, Any] = {
    "attend": OWN,
    "cross_attend": CROSS,
    "norm_1": FIRST_NORM,
    "norm_2": SECOND_NORM,
}


# ---- Cases


def causal(mask: Tensor) -> Tensor:
    return mask & causal_mask(mask.shape[-1])


def masks(target: list[int], source: list[int]) -> dict[str, Any]:
    """Sentences of these lengths, each side padded to its longest."""
    return {
        "target_mask": tensor(target).then(padding_mask).then(causal),
        "source_mask": tensor(source).then(padding_mask),
    }


def streams(
    target: list[int], source: list[int], scale: float = 1.0, dtype: torch.dtype | None = None
) -> dict[str, Any]:
    """A stream and a memory for them, and their masks."""
    return {
        "x": normal(len(target), max(target), WIDTH, scale=scale, dtype=dtype),
        "memory": normal(len(source), max(source), WIDTH, dtype=dtype),
        **masks(target, source),
    }


CASES = (
    case(
        _("one number at each of two source and two target positions"),
        x=tensor([[[2.0], [4.0]]]),
        memory=tensor([[[3.0], [5.0]]]),
        target_mask=tensor([[[True, False], [True, True]]]),
        source_mask=tensor([[[True, True]]]),
        **BY_HAND,
        # own is 1, 2; 1 + 10 + 100 and 2 + 15 + 150 are added: 113 and 171, with norm_2 114 and
        # 172; the memory has the mean 4
        gives=tensor([[[113.0 + 114 + 440], [171 + 172 + 440]]]),
    ),
    case(
        _("two source positions, the second is padding"),
        x=tensor([[[2.0], [4.0]]]),
        memory=tensor([[[3.0], [5.0]]]),
        target_mask=tensor([[[True, False], [True, True]]]),
        source_mask=tensor([[[True, False]]]),
        **BY_HAND,
        gives=tensor([[[113.0 + 114 + 330], [171 + 172 + 330]]]),
    ),
    case(_("a padded batch, the source longer"), seed=1, **streams([3, 2], [7, 4]), **FIXED),
    case(_("a padded batch, the target longer"), seed=2, **streams([7, 5, 2], [2, 3, 1]), **FIXED),
    case(_("as many source as target positions"), seed=3, **streams([5, 3], [4, 5]), **FIXED),
    case(_("one source token"), seed=4, **streams([3, 1], [1, 1]), **FIXED),
    case(
        _("self-attention finds nothing"),
        seed=5,
        **streams([3, 2], [2, 3]),
        **(FIXED | {"attend": NOTHING}),
    ),
    case(_("a large stream"), seed=6, **streams([2, 3], [3, 2], scale=100.0), **FIXED),
    case(_("float64"), seed=7, **streams([3, 2], [2, 5], dtype=torch.float64), **FIXED),
    case(
        _("gradients for x and memory"),
        seed=8,
        x=normal(1, 3, WIDTH, dtype=torch.float64).with_gradient(),
        memory=normal(1, 3, WIDTH, dtype=torch.float64).with_gradient(),
        **masks([3], [3]),
        **FIXED,
    ),
)
