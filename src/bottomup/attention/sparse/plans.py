"""How a pattern is cut into dense products, and how many scores those have.

A pattern is a list of `Part`s. A part views the positions as groups, and in
each group every query is multiplied with every key: ``groups x rows x columns``
scores, of which a causal rule or a small mask, the same for all groups, leaves
out some. No part reads a key twice, and no two parts of one plan hold the same
pair of query and key.

Groups are views wherever memory allows: a block is a run of rows, a column
every `stride`-th row, a tile of the window an overlapping run. Only the few
summaries of the fixed pattern are gathered.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from bottomup.attention.sparse.patterns import check_summary
from bottomup.checks import check_integer, is_traced

# [lead, n, width] -> [lead, group, *rows, width]
View = Callable[[Tensor], Tensor]

CHUNKS = 8  # in so many steps the summaries of earlier blocks are read
FEW_KEYS = 32  # a product with fewer keys is not worth a step of its own


@dataclass(frozen=True)
class Part:
    """Some groups of queries and, for each, the keys it is multiplied with.

    Args:
        queries: views [lead, n, width] as [lead, group, *rows, width].
        keys: the same for the keys; the groups are those of the queries.
        causal: whether the k-th query of a group may read the group's first k
            keys only.
        allowed: gives [row, key], which query of a group may read which key;
            None allows every pair. No row allows nothing.
        whole: whether every position is among the queries once and among the
            keys once.
    """

    queries: View
    keys: View
    causal: bool = False
    allowed: Callable[[], Tensor] | None = None
    whole: bool = False

    @property
    def bias(self) -> Tensor | None:
        """What is added to the scores of all groups, [row, key]: 0 or -inf."""
        # A graph that is traced has tensors of its own: they must not stay.
        return self._bias() if is_traced() else self._kept

    @cached_property
    def _kept(self) -> Tensor | None:
        return self._bias()

    def _bias(self) -> Tensor | None:
        if self.allowed is None:
            return None
        forbidden = ~self.allowed()
        bias = torch.zeros(forbidden.shape, device="cpu")
        return bias.masked_fill_(forbidden, -torch.inf)

    def add_to_queries(
        self, total: Tensor, update: Tensor, groups: slice
    ) -> None:
        """Add [lead, group, row, width] to the positions of the queries."""
        self._add(self.queries(total)[:, groups], update)

    def add_to_keys(self, total: Tensor, update: Tensor, groups: slice) -> None:
        """Add [lead, group, key, width] to the positions of the keys."""
        self._add(self.keys(total)[:, groups], update)

    def _add(self, rows: Tensor, update: Tensor) -> None:
        update = update.reshape(rows.shape)
        # A whole part comes first in its plan and finds nothing to add to.
        rows.copy_(update) if self.whole else rows.add_(update)


@dataclass(frozen=True)
class TiledPart(Part):
    """A part whose groups of keys overlap: each starts one tile after the last.

    Args:
        tile: positions from one group's first key to the next one's.
    """

    tile: int = 1

    def add_to_keys(self, total: Tensor, update: Tensor, groups: slice) -> None:
        """Add tile by tile: a position is written to by several groups."""
        count, keys = update.shape[1:3]
        start = groups.start * self.tile
        tiles = total[:, start : start + (count - 1) * self.tile + keys]
        tiles = tiles.unflatten(1, (-1, self.tile))  # [lead, tile, key, width]
        for first in range(keys // self.tile):
            rows = update[:, :, first * self.tile : (first + 1) * self.tile]
            tiles[:, first : first + count].add_(rows)


class Plan(NamedTuple):
    """The parts of a pattern, and the number of positions they view.

    That is n or, padded, more. Only the first part may be whole. Without parts
    nothing is read.
    """

    parts: tuple[Part, ...]
    length: int

    @property
    def starts_whole(self) -> bool:
        """Whether the first part writes every position."""
        return bool(self.parts) and self.parts[0].whole

    @property
    def scores(self) -> int:
        """Number of entries of all products."""
        positions = torch.empty(1, self.length, 1, device="meta")
        sides = [(part.queries, part.keys) for part in self.parts]
        return sum(
            queries(positions).numel() * keys(positions)[0, 0].numel()
            for queries, keys in sides
        )


# ---- The plans of the sets, and of their unions


@lru_cache(maxsize=32)
def whole_plan(n: int) -> Plan:
    """Return the dense causal product: a pattern that spans all positions."""
    return Plan((_blocks(n, n),), n)


@lru_cache(maxsize=32)
def window_plan(n: int, width: int) -> Plan:
    """Return the plan of ``0 <= i - j < width``."""
    if width >= n:
        return whole_plan(n)
    return Plan(_window(n, width, nearest=0), _up_to(n, tile_size(width)))


@lru_cache(maxsize=32)
def column_plan(n: int, stride: int) -> Plan:
    """Return the plan of ``j <= i and (i - j) % stride == 0``."""
    stride = min(stride, n)
    return Plan((_columns(n, stride),), _up_to(n, stride))


@lru_cache(maxsize=32)
def strided_plan(n: int, stride: int) -> Plan:
    """Return the plan of window and column; i itself is left to the column."""
    if stride >= n:
        return whole_plan(n)
    length = max(_up_to(n, stride), _up_to(n, tile_size(stride)))
    return Plan((_columns(n, stride), *_window(n, stride, nearest=1)), length)


@lru_cache(maxsize=32)
def block_plan(n: int, block: int) -> Plan:
    """Return the plan of ``j <= i and j // block == i // block``."""
    block = min(block, n)
    return Plan((_blocks(n, block),), _up_to(n, block))


@lru_cache(maxsize=32)
def summary_plan(n: int, block: int, summary: int) -> Plan:
    """Return the plan of ``j <= i and j % block >= block - summary``."""
    if block > n:  # one block, cut: its summary is what is left of it
        block, summary = n, summary - (block - n)
    if summary < 1:
        return Plan((), n)
    length = _up_to(n, block)

    def last(x: Tensor) -> Tensor:
        return _split(x, length // block, block)[:, :, block - summary :]

    own = Part(last, last, causal=True)
    return Plan((own, *_earlier_summaries(n, block, summary)), length)


@lru_cache(maxsize=32)
def fixed_plan(n: int, block: int, summary: int) -> Plan:
    """Return the plan of own block and summaries of the blocks before it."""
    if block >= n:
        return whole_plan(n)
    earlier = _earlier_summaries(n, block, summary)
    return Plan((_blocks(n, block), *earlier), _up_to(n, block))


def tile_size(width: int) -> int:
    """Return how many queries share one run of keys in a window.

    A tile of C queries multiplies about ``width + C`` keys, C of them in vain;
    a short tile makes products too small to be fast, and copies a key's
    gradient ``width / C`` times.
    """
    return 16 if width <= 17 else 32 * -(-width // 128)


def _up_to(n: int, size: int) -> int:
    return -(-n // size) * size


def _split(x: Tensor, count: int, size: int) -> Tensor:
    """Return the first ``count * size`` as [lead, count, size, width]."""
    return x[:, : count * size].unflatten(1, (count, size))


def _blocks(n: int, block: int) -> Part:
    def view(x: Tensor) -> Tensor:
        return _split(x, -(-n // block), block)

    return Part(view, view, causal=True, whole=True)


def _columns(n: int, stride: int) -> Part:
    """Return the columns of a table with rows of `stride` positions."""

    def view(x: Tensor) -> Tensor:  # [lead, column, row, width]
        return _split(x, -(-n // stride), stride).transpose(1, 2)

    return Part(view, view, causal=True, whole=True)


def _window(n: int, width: int, nearest: int) -> tuple[Part, ...]:
    """Return ``nearest <= i - j < width``.

    The first tiles, whose window is cut, are one group; then a tile is a group.
    """
    if nearest >= width:
        return ()
    tile = tile_size(width)
    end = _up_to(n, tile)
    reach = _up_to(width - 1, tile)  # keys before a tile's first one
    head = min(reach, end)
    reading = head - nearest  # queries with a key in the head, and keys read
    parts: list[Part] = []
    if reading > 0:
        parts.append(
            Part(
                lambda x: x[:, None, nearest:head],
                lambda x: x[:, None, :reading],
                causal=True,
                allowed=None
                if head <= width
                else lambda: _band(reading, reading, nearest, nearest, width),
            )
        )
    if head < end:
        parts.append(
            TiledPart(
                lambda x: x[:, head:end].unflatten(1, (-1, tile)),
                lambda x: x[:, :end].unfold(1, reach + tile, tile).mT,
                allowed=lambda: _band(
                    tile, reach + tile, reach, nearest, width
                ),
                tile=tile,
            )
        )
    return tuple(parts)


def _band(rows: int, keys: int, first: int, nearest: int, width: int) -> Tensor:
    """Return ``nearest <= i - j < width``, [row, key]; row 0 is i = first."""
    position = torch.arange(first + rows + keys, device="cpu")
    back = position[first : first + rows, None] - position[:keys]
    return (back >= nearest) & (back < width)


def _earlier_summaries(n: int, block: int, summary: int) -> tuple[Part, ...]:
    """Return for every block the summaries of the blocks before it.

    The blocks are taken in chunks. A chunk reads all summaries before it in one
    product without a mask; inside the chunks a mask says which block comes
    first.
    """
    count = -(-n // block)
    chunk = max(-(-count // CHUNKS), -(-FEW_KEYS // summary))  # blocks
    chunk = min(count, chunk)
    full = count // chunk * chunk
    inside = [
        _inside_chunks(start, stop, groups, block, summary)
        for start, stop, groups in [(0, full, full // chunk), (full, count, 1)]
        if stop - start > groups  # more than one block in each
    ]
    before = [
        _before_chunk(start, min(start + chunk, count), block, summary)
        for start in range(chunk, count, chunk)
    ]
    return *inside, *before


def _inside_chunks(
    start: int, stop: int, groups: int, block: int, summary: int
) -> Part:
    """Return what the blocks from `start` on read inside their chunks."""

    def view(x: Tensor) -> Tensor:  # [lead, chunk, block, position, width]
        x = x[:, start * block : stop * block]
        return x.unflatten(1, (groups, -1, block))

    def allowed() -> Tensor:
        blocks = torch.arange((stop - start) // groups, device="cpu")
        reading = blocks[1:].repeat_interleave(block)
        return reading[:, None] > blocks.repeat_interleave(summary)

    # A chunk's first block has no summary before it in the chunk. Nobody reads
    # its last block's; it stays among the keys because products of even sizes
    # are faster.
    return Part(
        lambda x: view(x)[:, :, 1:],
        lambda x: view(x)[:, :, :, block - summary :],
        allowed=allowed,
    )


def _before_chunk(start: int, stop: int, block: int, summary: int) -> Part:
    """Return what the blocks of a chunk read before it."""
    return Part(
        lambda x: x[:, None, start * block : stop * block],
        lambda x: _split(x, start, block)[:, None, :, block - summary :],
    )


# ---- The cost without a clock


class ScoreCount(NamedTuple):
    """Scores for one head of one sequence.

    `needed` are the pairs of query and key in the pattern, each once.
    `computed` are the entries of the matrix products, with those that a mask
    throws away again and those of padding positions. A CPU's kernel computes
    fewer: where a product is causal it leaves out tiles of 32 queries above the
    diagonal.
    """

    needed: int
    computed: int


def causal_scores(n: int) -> ScoreCount:
    """Count the scores of dense causal attention.

    ``n (n + 1) / 2`` are needed, n^2 computed. Chapter 07 compares with it.

    Example:
        >>> causal_scores(4)
        ScoreCount(needed=10, computed=16)
    """
    check_integer("n", n, at_least=1)
    return ScoreCount(n * (n + 1) // 2, n * n)


def strided_scores(n: int, stride: int) -> ScoreCount:
    """Count the scores of ``strided_attention(..., merge="union")``.

    With l = stride, ``q, r = divmod(n, l)`` and l < n, the window has
    ``l (l + 1) / 2 + (n - l) l`` pairs, the columns
    ``l q (q + 1) / 2 + r (q + 1)``, and n of them are in both. With
    ``l = sqrt(n)`` that is about ``1.5 n^1.5``.

    Source: Child et al. (2019), section 4.3, whose O(n sqrt(n)) is this count.
    Chapter 07 derives it.

    Example:
        >>> strided_scores(4, stride=2).needed  # the window 7, two pairs more
        9
    """
    check_integer("n", n, at_least=1)
    check_integer("stride", stride, at_least=1)
    if stride >= n:
        return causal_scores(n)
    full, rest = divmod(n, stride)
    window = stride * (stride + 1) // 2 + (n - stride) * stride
    columns = stride * full * (full + 1) // 2 + rest * (full + 1)
    return ScoreCount(window + columns - n, strided_plan(n, stride).scores)


def fixed_scores(n: int, block: int, summary: int = 1) -> ScoreCount:
    """Count the scores of ``fixed_attention(..., merge="union")``.

    With l = block, c = summary and ``q, r = divmod(n, l)``, the blocks have
    ``q l (l + 1) / 2 + r (r + 1) / 2`` pairs, and the summaries of earlier
    blocks ``l c q (q - 1) / 2 + r c q``. With ``l = sqrt(n)`` and c = 1 that is
    about ``n^1.5``.

    Source: Child et al. (2019), section 4.3, whose O(n sqrt(n)) is this count.
    Chapter 07 derives it.

    Example:
        >>> fixed_scores(4, block=2).needed  # blocks 3 + 3, summaries 2
        8
    """
    check_integer("n", n, at_least=1)
    check_summary(block, summary)
    if block >= n:
        return causal_scores(n)
    full, rest = divmod(n, block)
    own = full * block * (block + 1) // 2 + rest * (rest + 1) // 2
    earlier = block * summary * full * (full - 1) // 2 + rest * summary * full
    return ScoreCount(own + earlier, fixed_plan(n, block, summary).scores)
