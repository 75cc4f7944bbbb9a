"""Rotary positions for many layers: the turns worked out once, then used."""

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.blocks.positional_encoding import BASE, sinusoidal_positions
from bottomup.checks import check_integer, checked
from bottomup.precision import in_float32


def rotary_waves(
    length: int,
    d_head: int,
    *,
    base: int | float = BASE,
    first: int = 0,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> tuple[
    Float[Tensor, "position half"],
    Float[Tensor, "position half"],
]:
    """Return the cosines and the sines by which rotary positions turn.

    ``cos[pos, i] = cos(pos w_i)``, ``sin[pos, i] = sin(pos w_i)``,
    ``w_i = base^(-2i / d_head)``, i from 0 to ``d_head / 2 - 1``

    These are the numbers of `sinusoidal_positions`: there they are added, here
    they multiply. The angles are float64 in any case, so that far positions
    differ.

    Args:
        length: number of positions.
        d_head: width of a query or a key, even.
        base: as in `sinusoidal_positions`.
        first: the first position.
        device: where the result lies.
        dtype: of the result, as of the queries that are turned; by default
            torch's own.

    Source: Su et al. (2021), section 3.2.2, equation 15. Chapter 10b derives
    it.

    Example:
        >>> cos, sin = rotary_waves(length=2, d_head=2)
        >>> cos, sin  # of the angles 0 and 1
        (tensor([[1.0000],
                [0.5403]]), tensor([[0.0000],
                [0.8415]]))
    """
    check_integer("d_head", d_head, at_least=2)
    table = sinusoidal_positions(
        length, d_head, base=base, first=first, device=device, dtype=dtype
    )
    return table[:, 1::2], table[:, 0::2]


@checked
@in_float32
def rotate_halves(
    x: Float[Tensor, "*leading position d_head"],
    cos: Float[Tensor, "position half"],
    sin: Float[Tensor, "position half"],
) -> Float[Tensor, "*leading position d_head"]:
    """Turn coordinate i together with coordinate ``i + d_head / 2``.

    ``y[pos, i] = x[pos, i] cos - x[pos, i + d_head / 2] sin``,
    ``y[pos, i + d_head / 2] = x[pos, i] sin + x[pos, i + d_head / 2] cos``,
    with the cos and sin of ``[pos, i]``

    It is `rotate_positions` with its coordinates in another order: all first
    ones of a pair, then all second ones. Code for language models mostly has
    this order, since two halves are cut faster than every other number.

    Args:
        x: queries or keys.
        cos, sin: rows of `rotary_waves`, one for each position of x.

    Source: Su et al. (2021), section 3.2.2, for the turn; the order is that of
    Hugging Face's Llama. Chapter 10b derives it.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
        >>> rotate_halves(x, *rotary_waves(length=2, d_head=2))
        tensor([[1.0000, 0.0000],
                [0.5403, 0.8415]])
    """
    if 2 * cos.shape[-1] != x.shape[-1]:
        raise ValueError(
            f"cos: expected half of d_head={x.shape[-1]} columns, "
            f"got {cos.shape[-1]}"
        )
    one, other = x.chunk(2, dim=-1)  # [..., position, half]
    turned = [one * cos - other * sin, one * sin + other * cos]
    return torch.cat(turned, dim=-1)  # [..., position, d_head]
