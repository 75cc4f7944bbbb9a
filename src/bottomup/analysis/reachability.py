"""Which positions can reach which through several layers of attention with fixed patterns."""

import torch
from jaxtyping import Bool
from torch import Tensor

from bottomup.checks import check_tensor


def reached(
    *steps: Bool[Tensor, "query key"], residual: bool = False
) -> Bool[Tensor, "query key"]:
    """Say which position can hold something of which, after layers with these patterns.

    ``reached[i, j]`` is True if there are positions ``j = m_0, m_1, ..., m_p = i`` such that
    ``steps[k][m_(k + 1), m_k]`` for every k: the boolean product ``steps[p - 1] ... steps[0]``. A
    path of p steps passes through p + 1 positions, both ends counted; the paper's "length p + 1"
    counts these.

    Args:
        *steps: each layer's pattern, the first layer's first. Order matters: in fixed attention
            a block must be read before its summary is.
        residual: whether a position also keeps what it had, as a residual connection does.

    Source: Child et al. (2019), section 4.2, the criterion of validity. Chapter 07 derives it.
    """
    if not steps:
        raise ValueError("steps: expected at least one pattern, got none")
    for number, step in enumerate(steps):
        _check_square(f"steps[{number}]", step, like=steps[0])
    identity = torch.eye(
        len(steps[0]), dtype=torch.bool, device=steps[0].device
    )
    total = identity
    for step in steps:
        kept = step | identity if residual else step
        # Counts of paths, in float32: only whether there is one matters, so rounding does no harm.
        total = kept.float() @ total.float() > 0
    return total


def reached_share(reach: Bool[Tensor, "query key"]) -> float:
    """Return the share of the pairs ``j <= i`` that a pattern or a product of patterns reaches.

    Source: a "valid" factorisation has the share 1: Child et al. (2019), section 4.2. Chapter 07
    derives it.
    """
    _check_square("reach", reach, like=reach)
    n = len(reach)
    return int(reach.tril().sum()) / (n * (n + 1) // 2)


def _check_square(name: str, pattern: Tensor, *, like: Tensor) -> None:
    """Check a boolean pattern [n, n] of the size of another, which may be itself."""
    check_tensor(name, pattern)
    if pattern.dtype != torch.bool:
        raise TypeError(
            f"{name}: expected a boolean mask, got dtype {pattern.dtype}"
        )
    n = like.shape[0] if like.dim() else 0
    if n == 0 or tuple(pattern.shape) != (n, n):
        raise ValueError(
            f"{name}: expected a square mask [query, key], all of one size, "
            f"got shape {tuple(pattern.shape)}"
        )
