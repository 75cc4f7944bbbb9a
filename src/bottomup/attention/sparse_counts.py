"""How many scores sparse attention needs, and how many it computes: the cost without a clock."""

from typing import NamedTuple

from bottomup.attention.sparse_parts import chunk_size, tile_size
from bottomup.checks import check_integer
from bottomup.masks import check_summary


class ScoreCount(NamedTuple):
    """Scores for one head of one sequence.

    `needed` are the pairs of query and key in the pattern, each once. `computed` are the entries of
    the matrix products, with those that a mask throws away again and those of padding positions. A
    CPU's kernel computes fewer: where a product is causal it leaves out tiles of 32 queries above
    the diagonal.
    """

    needed: int
    computed: int


def causal_scores(n: int) -> ScoreCount:
    """Count the scores of dense causal attention: ``n (n + 1) / 2`` needed, n^2 computed.

    Chapter 07 compares with it.
    """
    check_integer("n", n, at_least=1)
    return ScoreCount(n * (n + 1) // 2, n * n)


def strided_scores(n: int, stride: int) -> ScoreCount:
    """Count the scores of ``strided_attention(..., merge="union")``.

    With l = stride, ``q, r = divmod(n, l)`` and l < n, the window has ``l (l + 1) / 2 + (n - l) l``
    pairs, the columns ``l q (q + 1) / 2 + r (q + 1)``, and n of them are in both. With
    ``l = sqrt(n)`` that is about ``1.5 n^1.5``.

    Source: Child et al. (2019), section 4.3, whose O(n sqrt(n)) is this count. Chapter 07 derives
    it.
    """
    check_integer("n", n, at_least=1)
    check_integer("stride", stride, at_least=1)
    if stride >= n:
        return causal_scores(n)
    full, rest = divmod(n, stride)
    window = stride * (stride + 1) // 2 + (n - stride) * stride
    columns = stride * full * (full + 1) // 2 + rest * (full + 1)
    rows = -(-n // stride)
    return ScoreCount(
        window + columns - n, stride * rows**2 + _window_products(n, stride)
    )


def fixed_scores(n: int, block: int, summary: int = 1) -> ScoreCount:
    """Count the scores of ``fixed_attention(..., merge="union")``.

    With l = block, c = summary and ``q, r = divmod(n, l)``, the blocks have
    ``q l (l + 1) / 2 + r (r + 1) / 2`` pairs, and the summaries of earlier blocks
    ``l c q (q - 1) / 2 + r c q``. With ``l = sqrt(n)`` and c = 1 that is about ``n^1.5``.

    Source: Child et al. (2019), section 4.3, whose O(n sqrt(n)) is this count. Chapter 07 derives
    it.
    """
    check_integer("n", n, at_least=1)
    check_summary(block, summary)
    if block >= n:
        return causal_scores(n)
    full, rest = divmod(n, block)
    own = full * block * (block + 1) // 2 + rest * (rest + 1) // 2
    earlier = block * summary * full * (full - 1) // 2 + rest * summary * full
    count = -(-n // block)
    products = count * block**2 + block * summary * _summary_products(
        count, summary
    )
    return ScoreCount(own + earlier, products)


def _window_products(n: int, width: int) -> int:
    """Return the entries of the window's products, with i itself left to the columns."""
    if width == 1:
        return 0
    tile = tile_size(width)
    end, reach = -(-n // tile) * tile, -(-(width - 1) // tile) * tile
    head = min(reach, end)
    return (head - 1) ** 2 + (end - head) * (reach + tile)


def _summary_products(count: int, summary: int) -> int:
    """Return the entries of the products with earlier summaries, in pairs of blocks."""
    chunk = chunk_size(count, summary)
    products = 0
    for start in range(0, count, chunk):
        blocks = min(chunk, count - start)
        products += (blocks - 1) * blocks + blocks * start
    return products
