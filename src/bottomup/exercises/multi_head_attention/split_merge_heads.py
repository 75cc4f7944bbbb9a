"""Exercise: from one width to several heads and back (Vaswani et al., 2017, section 3.2.2)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.multi_head_attention.split_merge_heads_mistakes import (
    MISCONCEPTIONS,
    Pair,
)
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def split_and_merge(x, heads, num_heads):
    """Cut x into heads; put finished heads beside each other again.

    x [batch, n, num_heads * d_head]: the first d_head columns belong to
    the first head, the next d_head to the second, and so on.
    heads [batch, num_heads, m, d_value]: what the heads have read.
    Returns (split, merged): [batch, num_heads, n, d_head] and
    [batch, m, num_heads * d_value], the first head's columns first.
    """
    ...
'''


def split_and_merge(
    x: torch.Tensor, heads: torch.Tensor, num_heads: int
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, n, width = x.shape
    split = x.reshape(batch, n, num_heads, width // num_heads).transpose(1, 2)
    m, d_value = heads.shape[2:]
    merged = heads.transpose(1, 2).reshape(batch, m, num_heads * d_value)
    return split, merged


def with_slices(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1), torch.cat(heads.unbind(1), dim=-1)


def with_flatten(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1), heads.movedim(1, 2).flatten(2)


def with_loops(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    d_head, d_value = x.shape[-1] // num_heads, heads.shape[-1]
    split = torch.empty(x.shape[0], num_heads, x.shape[1], d_head, dtype=x.dtype)
    merged = torch.empty(x.shape[0], heads.shape[2], num_heads * d_value, dtype=x.dtype)
    for h in range(num_heads):
        split[:, h] = x[..., h * d_head : (h + 1) * d_head]
        merged[..., h * d_value : (h + 1) * d_value] = heads[:, h]
    return split, merged


def _counting(*sizes: int) -> Callable[[torch.Generator], Inputs]:
    """Numbers in the order of memory, so that one can see where each has gone."""
    batch, num_heads, n, d_head, m, d_value = sizes

    def make(generator: torch.Generator) -> Inputs:
        x = torch.arange(float(batch * n * num_heads * d_head))
        heads = torch.arange(float(batch * num_heads * m * d_value))
        return {
            "x": x.reshape(batch, n, num_heads * d_head),
            "heads": heads.reshape(batch, num_heads, m, d_value),
            "num_heads": num_heads,
        }

    return make


def _random(*sizes: int, double: bool = False) -> Callable[[torch.Generator], Inputs]:
    batch, num_heads, n, d_head, m, d_value = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        return {
            "x": torch.randn(batch, n, num_heads * d_head, generator=generator, dtype=dtype),
            "heads": torch.randn(batch, num_heads, m, d_value, generator=generator, dtype=dtype),
            "num_heads": num_heads,
        }

    return make


CASES = (
    Case(_("one sequence, two positions, two heads of width two"), _counting(1, 2, 2, 2, 2, 2)),
    Case(_("three heads of width one"), _counting(1, 3, 2, 1, 2, 1)),
    Case(_("a batch"), _random(2, 3, 5, 7, 11, 2), seed=1),
    Case(_("as many positions as heads"), _random(2, 3, 3, 2, 3, 5), seed=2),
    Case(_("as many positions as numbers in a head"), _random(3, 2, 5, 5, 7, 7), seed=3),
    Case(_("as many heads as sequences"), _random(3, 3, 6, 2, 6, 2), seed=4),
    Case(_("one head"), _random(2, 1, 3, 5, 7, 2), seed=5),
    Case(_("one position"), _random(2, 3, 1, 5, 1, 7), seed=6),
    Case(_("float64"), _random(3, 2, 7, 5, 3, 11, double=True), seed=7),
)

SPLIT_MERGE_HEADS = Exercise(
    slug="split-merge-heads",
    title=_("Split and merge heads"),
    chapter="03",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Look at one position first. How would you cut its vector of width 6 into 3 heads of "
            "width 2? Which axis is new, and where does it stand before you move anything?"
        ),
        _(
            "`reshape` keeps the order in memory and only cuts an axis into two or glues two "
            "neighbours together: the last axis becomes (num_heads, d_head). Moving an axis is a "
            "second step, `transpose`."
        ),
        _(
            "Merging does the same steps backwards: first bring head and d_value next to each "
            "other, then glue them."
        ),
    ),
    solution=split_and_merge,
    alternatives=(with_slices, with_flatten, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named("split", "merged"),
)
