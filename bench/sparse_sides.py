"""Attention over n positions by sparse patterns and by dense kernels, and what each should give.

A side is a function of query, key and value, each [1, rows, n, d_head], where a row is one head of
one sequence. Beside it stands its rule: which query may read which key, in flex_attention's form.
The oracle computes any rule with torch's kernel under a boolean mask, some queries at a time, so
that it fits into memory where a mask of all pairs of n positions would not.
"""

import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention import (
    block_attention,
    column_attention,
    fixed_attention,
    fixed_mask_mod,
    strided_attention,
    strided_mask_mod,
    window_attention,
)
from bottomup.results.speed_scaling import CAUSAL, FIXED, FLEX, FULL, MASKED, NAIVE, STRIDED

QUERIES_AT_ONCE = 1024  # of the oracle and of the masks
TILE = 128  # positions: flex_attention leaves out a tile of queries and keys, or computes it
LONGEST = 160  # characters of a reason

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
Rule = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # of batch, head, query, key


class SparseSide(NamedTuple):
    """What is timed, and which query may read which key."""

    attend: Attend
    rule: Rule


@dataclass(frozen=True)
class Sides:
    """The sides that run, the seconds of their first call where they are compiled, and the rest.

    Args:
        found: by name.
        first_call: seconds on the wall.
        left_out: why a side does not run, in the words of what refused.
    """

    found: dict[str, SparseSide] = field(default_factory=dict)
    first_call: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def causal_rule(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Let a position read itself and what stands before it."""
    return key <= query


def full_rule(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Let every position read every other."""
    return (key >= 0) & (query >= 0)


def rules(size: int) -> dict[str, Rule]:
    """Return the rule of every pattern of ours, all with one l."""

    def window(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (key <= query) & (query - key < size)

    def column(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (key <= query) & ((query - key) % size == 0)

    def block(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (key <= query) & (query // size == key // size)

    sets = {"window": window, "column": column, "block": block}
    return {STRIDED: strided_mask_mod(size), FIXED: fixed_mask_mod(size)} | sets


def allowed(rule: Rule, queries: range, n: int) -> Tensor:
    """Return the rule as a mask, [query, key], for some of n queries."""
    rows, zero = torch.arange(queries.start, queries.stop)[:, None], torch.zeros((), dtype=int)
    return rule(zero, zero, rows, torch.arange(n))


def bands(n: int) -> list[range]:
    """Return the queries in steps."""
    starts = range(0, n, QUERIES_AT_ONCE)
    return [range(start, min(start + QUERIES_AT_ONCE, n)) for start in starts]


def mask_of(rule: Rule, n: int) -> Tensor:
    """Return the rule as a mask of all pairs, [n, n]."""
    return torch.cat([allowed(rule, queries, n) for queries in bands(n)])


def oracle(rule: Rule, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return dense attention under the rule's mask."""
    n = query.shape[-2]
    return torch.cat(
        [
            scaled_dot_product_attention(
                query[..., some.start : some.stop, :], key, value, attn_mask=allowed(rule, some, n)
            )
            for some in bands(n)
        ],
        dim=-2,
    )


def ours(size: int) -> dict[str, SparseSide]:
    """Return our functions, all with one l, and c = 1."""
    functions: Mapping[str, Attend] = {
        STRIDED: partial(strided_attention, stride=size),
        FIXED: partial(fixed_attention, block=size),
        "window": partial(window_attention, width=size),
        "column": partial(column_attention, stride=size),
        "block": partial(block_attention, block=size),
    }
    return {name: SparseSide(functions[name], rule) for name, rule in rules(size).items()}


def causal() -> SparseSide:
    """Return torch's kernel, which the flag lets skip what lies above the diagonal."""
    return SparseSide(partial(scaled_dot_product_attention, is_causal=True), causal_rule)


def dense(name: str, size: int, n: int) -> SparseSide:
    """Return a way to compute all n^2 scores: without a rule, or the strided pattern as a mask."""
    if name == FULL:
        return SparseSide(scaled_dot_product_attention, full_rule)
    rule = rules(size)[STRIDED]
    mask = mask_of(rule, n)
    if name == MASKED:
        return SparseSide(partial(scaled_dot_product_attention, attn_mask=mask), rule)
    return SparseSide(partial(naive, hidden=~mask), rule)


def naive(query: Tensor, key: Tensor, value: Tensor, *, hidden: Tensor) -> Tensor:
    """Return attention as the formula reads: every score, then the mask, then the softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.masked_fill(hidden, -torch.inf).softmax(dim=-1) @ value


def tile_mask(rule: Rule, n: int) -> BlockMask:
    """Return what create_block_mask does, for n a multiple of 128; it would hold n^2 int64."""
    some, every = [], []
    for queries in bands(n):
        tiles = allowed(rule, queries, n).unflatten(1, (-1, TILE)).unflatten(0, (-1, TILE))
        some.append(tiles.any(dim=3).any(dim=1))  # [tile of queries, tile of keys]
        every.append(tiles.all(dim=3).all(dim=1))
    whole = torch.cat(every)
    lists = [_listed(which) for which in (torch.cat(some) & ~whole, whole)]
    return BlockMask.from_kv_blocks(*lists[0], *lists[1], BLOCK_SIZE=TILE, mask_mod=rule)


def _listed(tiles: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many tiles of keys there are for a tile of queries, and their numbers first."""
    order = tiles.int().argsort(dim=-1, descending=True, stable=True)
    return tiles.sum(dim=-1)[None, None].int(), order[None, None].int()


def flex(name: str, size: int, inputs: tuple[Tensor, Tensor, Tensor]) -> tuple[SparseSide, float]:
    """Compile flex_attention for one of our patterns and these inputs, and call it once.

    The first call takes less where torch keeps on disk what an earlier run has compiled.

    Returns:
        The side, and the seconds on the wall of the first call.

    Raises:
        RuntimeError: it cannot be compiled, or has no backward pass here.
    """
    rule = rules(size)[name.removeprefix("flex-")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the compiler
        torch._dynamo.reset()  # else the eighth shape would quietly run uncompiled
        compiled = torch.compile(flex_attention, dynamic=False)
        if inputs[0].requires_grad:
            few = torch.zeros(1, 1, TILE, 16, requires_grad=True)
            compiled(few, few, few)  # refuses on a CPU
        tiles = tile_mask(rule, inputs[0].shape[-2])
        start = time.monotonic()
        with torch.no_grad():
            compiled(*inputs, block_mask=tiles)
    seconds = round(time.monotonic() - start, 1)
    return SparseSide(partial(compiled, block_mask=tiles), rule), seconds


def in_short(problem: RuntimeError) -> str:
    """Return the first line of what an error says, cut where it is long."""
    first = f"{type(problem).__name__}: {problem}".splitlines()[0]
    return first if len(first) <= LONGEST else f"{first[: LONGEST - 1]}…"


def sides(names: Mapping[str, str], size: int, inputs: tuple[Tensor, Tensor, Tensor]) -> Sides:
    """Return our sides, torch's causal kernel, and of the others those that run here.

    Args:
        names: the others, each with the reason for which it is left out, or "".
        size: l.
        inputs: query, key and value.
    """
    result = Sides(found={**ours(size), CAUSAL: causal()})
    for name, reason in names.items():
        if reason:
            result.left_out[name] = reason
        elif name in FLEX:
            try:
                result.found[name], result.first_call[name] = flex(name, size, inputs)
            except RuntimeError as problem:
                result.left_out[name] = in_short(problem)
        else:
            result.found[name] = dense(name, size, inputs[0].shape[-2])
    return result


OTHERS = (FULL, MASKED, NAIVE, *FLEX)
