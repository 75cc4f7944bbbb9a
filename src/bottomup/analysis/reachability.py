"""Which positions can reach which, through layers with fixed patterns."""

import torch
from jaxtyping import Bool
from torch import Tensor

from bottomup.checks import checked


def reached(
    *steps: Bool[Tensor, "n n"], residual: bool = False
) -> Bool[Tensor, "n n"]:
    """Say which position can hold something of which, after all layers.

    ``reached[i, j]`` is True if there are positions
    ``j = m_0, m_1, ..., m_p = i`` such that ``steps[k][m_(k + 1), m_k]`` for
    every k: the boolean product ``steps[p - 1] ... steps[0]``. A path of p
    steps passes through p + 1 positions, both ends counted; the paper's "length
    p + 1" counts these.

    Args:
        *steps: each layer's pattern [query, key], the first layer's first.
            Order matters: in fixed attention a block must be read before its
            summary is.
        residual: whether a position also keeps what it had, as a residual
            connection does.

    Source: Child et al. (2019), section 4.2, the criterion of validity. Chapter
    07 derives it.

    Example:
        >>> window = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]).bool()
        >>> reached(window, window).int()  # two steps back in two layers
        tensor([[1, 0, 0],
                [1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    if not steps:
        raise ValueError("steps: expected at least one pattern, got none")
    for number, step in enumerate(steps):
        if not isinstance(step, Tensor) or step.dtype != torch.bool:
            got = getattr(step, "dtype", type(step).__name__)
            raise TypeError(
                f"steps[{number}]: expected a boolean mask, got {got}"
            )
        n = steps[0].shape[:1]  # of no size, if it has no axis
        if step.numel() == 0 or not n or tuple(step.shape) != (*n, *n):
            raise ValueError(
                f"steps[{number}]: expected a square mask [query, key], all of "
                f"one size, got shape {tuple(step.shape)}"
            )
    identity = torch.eye(len(step), dtype=torch.bool, device=step.device)
    total = identity
    for step in steps:
        kept = step | identity if residual else step
        # Counts of paths, in float32: only whether there is one matters.
        total = kept.float() @ total.float() > 0  # [query, key]
    return total


@checked
def reached_share(reach: Bool[Tensor, "n n"]) -> float:
    """Return the share of the pairs ``j <= i`` that a pattern reaches.

    Args:
        reach: a pattern [query, key], or a product of patterns.

    Source: a "valid" factorisation has the share 1: Child et al. (2019),
    section 4.2. Chapter 07 derives it.

    Example:
        >>> reached_share(torch.eye(3).bool())  # 3 of 6 pairs
        0.5
    """
    n = len(reach)
    return int(reach.tril().sum()) / (n * (n + 1) // 2)
