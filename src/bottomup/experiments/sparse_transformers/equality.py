"""Chapter 07: sparse attention against dense attention under the mask that says the same."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from bottomup.attention import (
    fixed_attention,
    fixed_masks,
    scaled_dot_product_attention,
    strided_attention,
    strided_masks,
)
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.sparse_transformers.config import Config

BATCH, HEADS, D_KEY, D_VALUE = 2, 4, 5, 3
MERGES = ("union", "heads")

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def measure_equality(config: Config, seed: int, device: torch.device) -> dict[str, object]:
    """Compare outputs and gradients in float64, by pattern and merge, over `config.sizes`.

    ``strided_union.output`` and so on: the number of decimal places on which the two agree, the
    least over the sizes; a gradient is that of a weighted sum of all outputs with respect to
    queries, keys and values. ``output_digits``, ``gradient_digits``: the least of all. ``sizes``:
    how many sizes there were.
    """
    generator = torch.Generator().manual_seed(seed)
    found: dict[str, dict[str, list[float]]] = {}
    for n, size, summary in config.sizes:
        for name, (attention, mask) in patterns(n, size, summary, device).items():
            digits = found.setdefault(name, {"output": [], "gradient": []})
            for kind, value in agreement(attention, mask, generator, device).items():
                digits[kind].append(value)
    least = {
        name: {kind: min(values) for kind, values in digits.items()}
        for name, digits in found.items()
    }
    return {
        **least,
        "output_digits": min(digits["output"] for digits in least.values()),
        "gradient_digits": min(digits["gradient"] for digits in least.values()),
        "sizes": len(config.sizes),
    }


def patterns(
    n: int, size: int, summary: int, device: torch.device
) -> dict[str, tuple[Attention, Tensor]]:
    """Return strided and fixed attention, both merges of each, with the mask that says the same."""
    functions: dict[str, Callable[..., Tensor]] = {
        "strided": partial(strided_attention, stride=size),
        "fixed": partial(fixed_attention, block=size, summary=summary),
    }
    sets = {
        "strided": strided_masks(n, size, device=device),
        "fixed": fixed_masks(n, size, summary, device=device),
    }
    return {
        f"{name}_{merge}": (partial(function, merge=merge), _merged(*sets[name], merge))
        for name, function in functions.items()
        for merge in MERGES
    }


def _merged(first: Tensor, second: Tensor, merge: str) -> Tensor:
    """Return the mask of every head, [head or 1, query, key]."""
    if merge == "union":
        return (first | second)[None]
    return torch.stack([first, second]).repeat_interleave(HEADS // 2, dim=0)


def agreement(
    attention: Attention, mask: Tensor, generator: torch.Generator, device: torch.device
) -> dict[str, float]:
    """Return the decimal places on which outputs and gradients agree, for unit normal vectors."""
    n = mask.shape[-1]

    def draw(width: int) -> Tensor:
        drawn = torch.randn(BATCH, HEADS, n, width, generator=generator, dtype=torch.float64)
        return drawn.to(device)

    query, key, value = (draw(width).requires_grad_() for width in (D_KEY, D_KEY, D_VALUE))
    weigh = draw(D_VALUE)  # every output counts differently
    outputs = (
        attention(query, key, value),
        scaled_dot_product_attention(query, key, value, mask)[0],
    )
    gradients = [torch.autograd.grad(output, (query, key, value), weigh) for output in outputs]
    return {
        "output": agreeing_digits(*outputs),
        "gradient": min(map(agreeing_digits, *gradients)),
    }
