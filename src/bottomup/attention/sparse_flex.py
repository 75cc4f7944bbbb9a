"""The same patterns in the form that ``torch.nn.attention.flex_attention`` takes, to compare with.

flex_attention gets a function of (batch, head, query, key), compiles it into a kernel, and skips
the tiles of 128 x 128 positions that it leaves empty. Nothing of this package calls it.
"""

from collections.abc import Callable

from torch import Tensor

from bottomup.checks import check_integer
from bottomup.masks import check_summary

MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def strided_mask_mod(stride: int) -> MaskMod:
    """Return the union of window and column: ``j <= i`` and (i - j < stride or divisible by it).

    Use it as ``create_block_mask(strided_mask_mod(stride), None, None, n, n)``.

    Source: Child et al. (2019), section 4.3. Chapter 07 compares with it.
    """
    check_integer("stride", stride, at_least=1)

    def allowed(
        batch: Tensor, head: Tensor, query: Tensor, key: Tensor
    ) -> Tensor:
        back = query - key
        return (back >= 0) & ((back < stride) | (back % stride == 0))

    return allowed


def fixed_mask_mod(block: int, summary: int = 1) -> MaskMod:
    """Return the union of own block and summaries, both with ``j <= i``.

    Source: Child et al. (2019), section 4.3. Chapter 07 compares with it.
    """
    check_summary(block, summary)

    def allowed(
        batch: Tensor, head: Tensor, query: Tensor, key: Tensor
    ) -> Tensor:
        own = query // block == key // block
        return (key <= query) & (own | (key % block >= block - summary))

    return allowed
