"""Attention over more and more positions, by sparse patterns and by dense kernels.

A row is one head of one sequence. Each side has a rule: which query may read which key, in
flex_attention's form. What it computes is compared, on the first row, with torch's kernel under the
rule as a mask; the mask is made for some queries at a time, since all of it would not fit.
"""

import math
from collections.abc import Callable
from functools import cache, partial

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

from bench.measure import Comparison, Side
from bottomup.attention import (
    block_attention,
    column_attention,
    fixed_attention,
    fixed_mask_mod,
    strided_attention,
    strided_mask_mod,
    window_attention,
)
from bottomup.results.speed import CAUSAL, FIXED, MASKED, STRIDED

D_HEAD = 64
QUERIES = 1024  # at once, of a mask
FEWEST = 256  # positions of flex_attention: two of its tiles
MOST_WITH_ROWS = 1024  # positions up to which the dense sides run on several rows

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
Rule = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]  # of batch, head, query, key


def sides(dtype: torch.dtype, *, n: int, rows: int, backward: bool) -> dict[str, Side]:
    """Return every side by its name, torch's causal kernel first; l is the root of n, c is 1."""
    generator = torch.Generator().manual_seed(0)
    *inputs, gradient = torch.randn(4, 1, rows, n, D_HEAD, generator=generator, dtype=dtype)
    made = {CAUSAL: (partial(scaled_dot_product_attention, is_causal=True), causal_rule)}
    made |= ours(math.isqrt(n))
    if rows == 1 or n <= MOST_WITH_ROWS:
        made |= dense(math.isqrt(n), n)
    if rows == 1 and n >= FEWEST and not backward:  # it has no backward pass on a CPU
        made |= flex(math.isqrt(n), n)
    given = gradient if backward else None

    @cache  # several sides have the same rule
    def expected(rule: Rule) -> dict[str, Tensor]:
        first = None if given is None else given[:, :1]
        return passed(partial(oracle, rule), [tensor[:, :1] for tensor in inputs], first)

    def computed(attend: Attend) -> dict[str, Tensor]:
        return {name: tensor[:, :1] for name, tensor in passed(attend, inputs, given).items()}

    return {
        name: Side(
            run=partial(passed, attend, inputs, given),
            computed=partial(computed, attend),
            expected=partial(expected, rule),
        )
        for name, (attend, rule) in made.items()
    }


def passed(attend: Attend, inputs: list[Tensor], gradient: Tensor | None) -> dict[str, Tensor]:
    """Return the output of a forward pass, or with its gradient those of the inputs as well."""
    if gradient is None:
        with torch.no_grad():
            return {"output": attend(*inputs)}
    leaves = [tensor.detach().requires_grad_() for tensor in inputs]
    output = attend(*leaves)
    found = torch.autograd.grad(output, leaves, gradient)
    return {"output": output.detach(), **dict(zip(("query", "key", "value"), found, strict=True))}


# ---- The sides, each with its rule


def ours(size: int) -> dict[str, tuple[Attend, Rule]]:
    """Return our functions: two unions of sets in one softmax, and three single sets."""
    return {
        STRIDED: (partial(strided_attention, stride=size), strided_rule(size)),
        FIXED: (partial(fixed_attention, block=size), fixed_rule(size)),
        "window": (
            partial(window_attention, width=size),
            lambda b, h, query, key: (key <= query) & (query - key < size),
        ),
        "column": (
            partial(column_attention, stride=size),
            lambda b, h, query, key: (key <= query) & ((query - key) % size == 0),
        ),
        "block": (
            partial(block_attention, block=size),
            lambda b, h, query, key: (key <= query) & (query // size == key // size),
        ),
    }


def dense(size: int, n: int) -> dict[str, tuple[Attend, Rule]]:
    """Return what computes all n^2 scores: without a rule, or the strided pattern as a mask."""
    rule = strided_rule(size)
    mask = mask_of(rule, n)
    return {
        "full": (scaled_dot_product_attention, lambda b, h, query, key: (key >= 0) & (query >= 0)),
        MASKED: (partial(scaled_dot_product_attention, attn_mask=mask), rule),
        "naive": (partial(naive, hidden=~mask), rule),
    }


def naive(query: Tensor, key: Tensor, value: Tensor, *, hidden: Tensor) -> Tensor:
    """Return attention as the formula reads: every score, then the mask, then the softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.masked_fill(hidden, -torch.inf).softmax(dim=-1) @ value


def flex(size: int, n: int) -> dict[str, tuple[Attend, Rule]]:
    """Return torch's compiled attention for patterns; it needs a C++ compiler."""
    torch._dynamo.reset()  # else the eighth shape would quietly run uncompiled
    compiled = torch.compile(flex_attention, dynamic=False)
    found = {}
    for name, rule in ((STRIDED, strided_rule(size)), (FIXED, fixed_rule(size))):
        tiles = create_block_mask(rule, None, None, n, n, device="cpu")
        found[f"flex-{name}"] = (partial(compiled, block_mask=tiles), rule)
    return found


# ---- Rules and masks

strided_rule = cache(strided_mask_mod)
fixed_rule = cache(fixed_mask_mod)


def causal_rule(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Let a position read itself and what stands before it."""
    return key <= query


def mask_of(rule: Rule, n: int, queries: range | None = None) -> Tensor:
    """Return the rule as a mask [query, key], for some queries or for all."""
    if queries is None:
        return torch.cat([mask_of(rule, n, some) for some in bands(n)])
    zero = torch.zeros((), dtype=torch.int64)
    return rule(zero, zero, torch.arange(queries.start, queries.stop)[:, None], torch.arange(n))


def bands(n: int) -> list[range]:
    """Return the queries in steps."""
    return [range(n)[start : start + QUERIES] for start in range(0, n, QUERIES)]


def oracle(rule: Rule, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return dense attention under the rule's mask."""
    n = query.shape[-2]
    return torch.cat(
        [
            scaled_dot_product_attention(
                query[..., some.start : some.stop, :], key, value, attn_mask=mask_of(rule, n, some)
            )
            for some in bands(n)
        ],
        dim=-2,
    )


# ---- The cases

ROUNDS = {  # of a pass, by its rows
    (1, False): {64: 100, 256: 60, 1024: 25, 4096: 9, 16384: 5},
    (1, True): {64: 60, 256: 30, 1024: 15, 4096: 7},
    (16, False): {64: 40, 256: 20, 1024: 9, 4096: 5},
}
COMPARISON = Comparison(
    cases=[
        (rounds, {"n": n, "rows": rows, "backward": backward})
        for (rows, backward), sizes in ROUNDS.items()
        for n, rounds in sizes.items()
    ],
    sides=sides,
    compared_in=torch.float32,
)
