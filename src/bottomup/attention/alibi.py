"""Linear biases: a score loses in proportion to the distance."""

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.attention.sliding_window import check_first
from bottomup.checks import check_integer


def alibi_slopes(num_heads: int) -> Float[Tensor, " head"]:
    """Return how much each head loses per position of distance.

    ``slope_h = 2^(-8 h / num_heads)`` for h from 1 to num_heads, a power of two

    With 8 heads these are 1/2, 1/4, ... 1/256. For another number of heads the
    authors' code takes the slopes of the largest power of two below it, and
    then every other one of the next power's, from the first: 12 heads have
    those of 8, and the 1st, 3rd, 5th and 7th of 16. Weights that were trained
    with them, such as Bloom's, need them.

    Source: Press et al. (2022), section 3, and ``get_slopes`` in their
    ``fairseq/models/transformer.py``. Chapter 10b derives it.
    """
    check_integer("num_heads", num_heads, at_least=1)
    power = 2 ** (int(num_heads).bit_length() - 1)  # the largest up to it
    slopes, between = _slopes(power), _slopes(2 * power)[::2]
    return torch.cat([slopes, between[: num_heads - power]])


def _slopes(power: int) -> Tensor:
    heads = torch.arange(1, power + 1, dtype=torch.float64)
    return 2.0 ** (-8 * heads / power)


def alibi_bias(
    num_heads: int, length: int, *, first: int = 0
) -> Float[Tensor, "head query key"]:
    """Return what is added to the scores of a decoder's positions.

    ``bias[h, i, j] = -slope_h (i - j)``

    Nothing else tells a network with these biases where a token stands. Keys
    behind the query would gain; a causal mask takes them out.

    Args:
        num_heads: number of heads.
        length: number of keys, from position 0.
        first: position of the first query; the last one is the last key's.

    Source: Press et al. (2022), section 3. Chapter 10b derives it.

    Example:
        >>> alibi_bias(num_heads=2, length=3)[0]  # the first slope is 1/16
        tensor([[-0.0000,  0.0625,  0.1250],
                [-0.0625, -0.0000,  0.0625],
                [-0.1250, -0.0625, -0.0000]], dtype=torch.float64)
    """
    check_integer("length", length, at_least=1)
    check_first(first, length)
    key = torch.arange(length)
    distance = key[first:, None] - key  # [query, key]
    return -alibi_slopes(num_heads)[:, None, None] * distance
