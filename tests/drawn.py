"""Random numbers that depend on nothing but their seed."""

import torch
from torch import Tensor


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def randn(
    *shape: int,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    device: torch.device | str | None = None,
) -> Tensor:
    """The same numbers, but for rounding, in each dtype and on every device."""
    drawn = torch.randn(shape, generator=seeded(seed), dtype=torch.float64)
    return drawn.to(device=device, dtype=dtype)
