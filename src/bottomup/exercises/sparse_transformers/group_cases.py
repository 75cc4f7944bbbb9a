"""Inputs for attention within groups of positions."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Inputs

Make = Callable[[torch.Generator], Inputs]

COUNTED = 512  # positions where the cost is looked at


def means(size_name: str, values: list[float], size: int) -> Make:
    """Queries of zero: each position gets the mean of the values that it reads."""

    def make(generator: torch.Generator) -> Inputs:
        v = torch.tensor(values)[None, :, None]
        zero = torch.zeros_like(v)
        return {"q": zero, "k": zero.clone(), "v": v, size_name: size}

    return make


def given(size_name: str, keys: list[float], values: list[float], size: int, d: int) -> Make:
    """Queries of ones and keys of `d` equal numbers, so that the scale shows."""

    def make(generator: torch.Generator) -> Inputs:
        k = torch.tensor(keys)[None, :, None].repeat(1, 1, d)
        v = torch.tensor(values)[None, :, None]
        return {"q": torch.ones_like(k), "k": k, "v": v, size_name: size}

    return make


def random(
    size_name: str, heads: int, groups: int, size: int, d: int, d_value: int, *,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """`groups` times `size` positions."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(width: int) -> Tensor:
            return torch.randn(heads, groups * size, width, generator=generator, dtype=dtype)

        return {"q": draw(d), "k": draw(d), "v": draw(d_value), size_name: size}

    return make


def counted(size_name: str, size: int) -> Make:
    """Groups of eight positions, so that few scores are enough."""
    return random(size_name, 1, COUNTED // size, size, 2, 1)


def with_gradients(make: Make) -> Make:
    def with_leaves(generator: torch.Generator) -> Inputs:
        return {
            name: value.requires_grad_() if isinstance(value, Tensor) else value
            for name, value in make(generator).items()
        }

    return with_leaves
