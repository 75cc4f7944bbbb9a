"""What a measure asks of samples: vectors, whole numbers, and an order.

Not by `checked`, which wants all tensors on one device: here labels and
generator may stay on the CPU wherever the vectors are.
"""

from typing import Any

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_generator, check_tensor


def check_vectors(name: str, vectors: Any, axes: str, **sizes: int) -> None:
    """Check floating-point vectors of any shape: their axes, and some sizes."""
    check_tensor(name, vectors, floating=True)
    _check_axes(name, vectors, axes, sizes)


def check_numbers(
    name: str, numbers: Any, axes: str, *, at_least: int = 0, **sizes: int
) -> None:
    """Check int64 numbers: axes, some sizes, a bound; axes "..." may be any."""
    check_tensor(name, numbers)
    _check_axes(name, numbers, axes, sizes)
    if numbers.dtype != torch.int64:
        wanted = "dtype torch.int64, got"
        raise TypeError(f"{name}: expected {wanted} {numbers.dtype}")
    lowest = int(numbers.min())
    if lowest < at_least:
        wanted = f"numbers of at least {at_least}"
        raise ValueError(f"{name}: expected {wanted}, got {lowest}")


def _check_axes(
    name: str, tensor: Tensor, axes: str, sizes: dict[str, int]
) -> None:
    shape = tuple(tensor.shape)
    names = ["..."] * len(shape) if axes == "..." else axes.split()
    fits = len(names) == len(shape) and all(
        sizes.get(axis, n) == n for axis, n in zip(names, shape, strict=True)
    )
    if not fits or 0 in shape:
        sized = [f"{a}={sizes[a]}" if a in sizes else a for a in names]
        wanted = f"{'non-empty ' * (0 in shape)}axes [{', '.join(sized)}]"
        raise ValueError(f"{name}: expected {wanted}, got shape {shape}")


def check_finite(name: str, vectors: Tensor) -> None:
    """Check vectors [sample, feature] for NaN and infinity, some at a time."""
    for rows in vectors.split(4096):
        if not (finite := rows.isfinite()).all():
            wrong = rows[~finite][0].item()
            raise ValueError(f"{name}: expected finite numbers, got {wrong}")


def permutation(
    count: int, generator: torch.Generator
) -> Int64[Tensor, " sample"]:
    """Draw an order on the generator's own device, and return it on the CPU."""
    device = check_generator("generator", generator).device
    return torch.randperm(count, generator=generator, device=device).cpu()
