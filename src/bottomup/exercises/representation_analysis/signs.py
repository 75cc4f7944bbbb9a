"""Signs that a decomposition leaves open: one machine returns a vector, another its negative."""

import torch
from torch import Tensor


def turned(x: Tensor) -> Tensor:
    """Return the columns, each with the sign that makes the first of its large entries positive."""
    if x.ndim != 2 or not x.is_floating_point() or not x.numel():
        return x
    large = x.abs() >= 0.5 * x.abs().amax(dim=0)
    first = large.to(torch.uint8).argmax(dim=0)
    signs = x.gather(0, first[None]).sign()
    return torch.where(signs == 0, x, x * signs)


def orthonormal(x: Tensor) -> Tensor:
    """Return an orthonormal basis of the columns."""
    return turned(torch.linalg.qr(x).Q)
