"""Random numbers that depend on nothing but their seed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn

Module = TypeVar("Module", bound=nn.Module)


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


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    """Seed torch's global generators, which new parameters are drawn from; put them back after."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


def learned(module: Module) -> Module:
    """The module with biases that are not zero and gains that are not one, as after training."""
    for name, parameter in module.named_parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=float(name.endswith("gain")))
    return module
