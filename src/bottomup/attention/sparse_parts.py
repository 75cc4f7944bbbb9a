"""How the patterns of sparse attention are cut into dense products.

A pattern is a list of `Part`s. A part views the positions as groups, and in each group every query
is multiplied with every key: ``groups x rows x columns`` scores, of which a causal rule or a small
mask, the same for all groups, leaves out some. No part reads a key twice, and no two parts of one
plan hold the same pair of query and key.

Groups are views wherever memory allows: a block is a run of rows, a column every `stride`-th row,
a tile of the window an overlapping run. Only the few summaries of fixed attention are gathered.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

View = Callable[
    [Tensor], Tensor
]  # [lead, n, width] -> [lead, group, *rows, width]

CHUNKS = 8  # in so many steps the summaries of earlier blocks are read
FEW_KEYS = 32  # a product with fewer keys is not worth a step of its own


@dataclass(frozen=True)
class Part:
    """Some groups of queries and, for each group, the keys it is multiplied with.

    Args:
        queries: views [lead, n, width] as [lead, group, *rows, width].
        keys: the same for the keys; the groups are those of the queries.
        causal: whether the k-th query of a group may read the group's first k keys only.
        bias: [row, key], added to the scores of all groups: 0, or -inf where a query may not read;
            None allows every pair. No row of it is -inf throughout.
        whole: whether every position is among the queries once and among the keys once.
    """

    queries: View
    keys: View
    causal: bool = False
    bias: Tensor | None = None
    whole: bool = False

    def add_to_queries(
        self, total: Tensor, update: Tensor, groups: slice
    ) -> None:
        """Add [lead, group, row, width] to the positions that the queries come from."""
        self._add(self.queries(total)[:, groups], update)

    def add_to_keys(self, total: Tensor, update: Tensor, groups: slice) -> None:
        """Add [lead, group, key, width] to the positions that the keys come from."""
        self._add(self.keys(total)[:, groups], update)

    def _add(self, rows: Tensor, update: Tensor) -> None:
        """Add to a view; a whole part comes first in its plan and finds nothing to add to."""
        update = update.reshape(rows.shape)
        rows.copy_(update) if self.whole else rows.add_(update)


@dataclass(frozen=True)
class TiledPart(Part):
    """A part whose groups of keys overlap: each starts one tile of positions after the last one.

    Args:
        tile: number of positions from one group's first key to the next one's.
    """

    tile: int = 1

    def add_to_keys(self, total: Tensor, update: Tensor, groups: slice) -> None:
        """Add tile by tile, since a position is written to by several groups."""
        count, keys = update.shape[1:3]
        start = groups.start * self.tile
        tiles = total[:, start : start + (count - 1) * self.tile + keys]
        tiles = tiles.unflatten(
            1, (-1, self.tile)
        )  # [lead, tile, position, width]
        for first in range(keys // self.tile):
            rows = update[:, :, first * self.tile : (first + 1) * self.tile]
            tiles[:, first : first + count].add_(rows)


class Plan(NamedTuple):
    """The parts of a pattern, and the number of positions they view: n or, padded, more.

    Only the first part may be whole. Without parts nothing is read.
    """

    parts: tuple[Part, ...]
    length: int

    @property
    def starts_whole(self) -> bool:
        """Whether the first part writes every position, so that nothing has to be there before."""
        return bool(self.parts) and self.parts[0].whole


@lru_cache(maxsize=32)
def whole_plan(n: int) -> Plan:
    """Return the dense causal product, which every pattern is where it spans all positions."""
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
    """Return the plan of the union of window and column; i itself is left to the column."""
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
    count = -(-n // block)

    def last(x: Tensor) -> Tensor:
        return _split(x, count, block)[:, :, block - summary :]

    own = Part(last, last, causal=True)
    return Plan((own, *_earlier_summaries(n, block, summary)), count * block)


@lru_cache(maxsize=32)
def fixed_plan(n: int, block: int, summary: int) -> Plan:
    """Return the plan of the union of own block and summaries; the own block's count once."""
    if block >= n:
        return whole_plan(n)
    return Plan(
        (_blocks(n, block), *_earlier_summaries(n, block, summary)),
        _up_to(n, block),
    )


def rows_of(view: Tensor, groups: slice) -> Tensor:
    """Return the rows of some groups of a part's view, [lead, group, row, width]."""
    return view[:, groups].flatten(2, -2)


def tile_size(width: int) -> int:
    """Return how many queries share one run of keys in a window.

    A tile of C queries multiplies about ``width + C`` keys, C of them in vain; a short tile makes
    products too small to be fast, and copies a key's gradient ``width / C`` times.
    """
    return 16 if width <= 17 else 32 * -(-width // 128)


def chunk_size(count: int, summary: int) -> int:
    """Return how many of `count` blocks read the summaries before them in one product."""
    return min(count, max(-(-count // CHUNKS), -(-FEW_KEYS // summary)))


def _up_to(n: int, size: int) -> int:
    return -(-n // size) * size


def _split(x: Tensor, count: int, size: int) -> Tensor:
    """Return the first ``count * size`` positions as [lead, count, size, width]."""
    return x[:, : count * size].unflatten(1, (count, size))


def _blocks(n: int, block: int) -> Part:
    def view(x: Tensor) -> Tensor:
        return _split(x, -(-n // block), block)

    return Part(view, view, causal=True, whole=True)


def _columns(n: int, stride: int) -> Part:
    """Return the columns of the table with rows of `stride` positions, each column a group."""

    def view(x: Tensor) -> Tensor:
        return _split(x, -(-n // stride), stride).transpose(
            1, 2
        )  # [lead, offset, row, width]

    return Part(view, view, causal=True, whole=True)


def _window(n: int, width: int, nearest: int) -> tuple[Part, ...]:
    """Return ``nearest <= i - j < width``: first tiles as one group, then one group a tile."""
    if nearest >= width:
        return ()
    tile = tile_size(width)
    end, reach = (
        _up_to(n, tile),
        _up_to(width - 1, tile),
    )  # reach: keys before a tile's first one
    head = min(reach, end)
    parts: list[Part] = []
    if head > nearest:
        parts.append(_window_head(head, width, nearest))
    if head < end:
        parts.append(
            TiledPart(
                lambda x: x[:, head:end].unflatten(1, (-1, tile)),
                lambda x: (
                    x[:, :end].unfold(1, reach + tile, tile).transpose(-1, -2)
                ),
                bias=_band(tile, reach + tile, reach, range(nearest, width)),
                tile=tile,
            )
        )
    return tuple(parts)


def _window_head(head: int, width: int, nearest: int) -> Part:
    """Return the window of the first positions, which is cut: there are no keys before them."""
    reading = head - nearest  # queries that have a key, and keys that are read
    everything = head <= width
    return Part(
        lambda x: x[:, None, nearest:head],
        lambda x: x[:, None, :reading],
        causal=True,
        bias=None
        if everything
        else _band(reading, reading, nearest, range(nearest, width)),
    )


def _band(rows: int, keys: int, first: int, distances: range) -> Tensor:
    """Return the bias of keys within the distances, for queries that start at key `first`."""
    position = torch.arange(first + rows + keys, device="cpu")
    back = position[first : first + rows, None] - position[:keys]
    return _as_bias((back >= distances.start) & (back < distances.stop))


def _as_bias(allowed: Tensor) -> Tensor:
    return torch.zeros(allowed.shape, device="cpu").masked_fill_(
        ~allowed, -torch.inf
    )


def _earlier_summaries(n: int, block: int, summary: int) -> tuple[Part, ...]:
    """Return for every block the summaries of the blocks before it.

    The blocks are taken in chunks. A chunk reads all summaries before it in one product without
    a mask; inside the chunks a mask says which block comes first.
    """
    count = -(-n // block)
    chunk = chunk_size(count, summary)
    parts = []
    for start, stop, groups in _inside(count, chunk):
        parts.append(_inside_chunks(start, stop, groups, block, summary))
    for start in range(chunk, count, chunk):
        parts.append(
            _before_chunk(start, min(start + chunk, count), block, summary)
        )
    return tuple(parts)


def _inside(count: int, chunk: int) -> list[tuple[int, int, int]]:
    """Return (first block, last block + 1, groups) of the full chunks, and of the last, cut one."""
    full = count // chunk * chunk
    runs = [(0, full, full // chunk), (full, count, 1)]
    return [
        (start, stop, groups)
        for start, stop, groups in runs
        if stop - start > groups
    ]


def _inside_chunks(
    start: int, stop: int, groups: int, block: int, summary: int
) -> Part:
    def view(
        x: Tensor,
    ) -> Tensor:  # [lead, group, block of the chunk, position, width]
        return x[:, start * block : stop * block].unflatten(
            1, (groups, -1, block)
        )

    # A chunk's first block has no summary before it in the chunk. Nobody reads its last block's; it
    # stays among the keys because products of even sizes are faster.
    blocks = torch.arange((stop - start) // groups, device="cpu")
    reading = blocks[1:].repeat_interleave(block)
    return Part(
        lambda x: view(x)[:, :, 1:],
        lambda x: view(x)[:, :, :, block - summary :],
        bias=_as_bias(reading[:, None] > blocks.repeat_interleave(summary)),
    )


def _before_chunk(start: int, stop: int, block: int, summary: int) -> Part:
    return Part(
        lambda x: x[:, None, start * block : stop * block],
        lambda x: _split(x, start, block)[:, None, :, block - summary :],
    )
