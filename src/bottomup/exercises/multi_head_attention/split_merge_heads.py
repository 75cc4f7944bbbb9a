"""Exercise: from one width to several heads and back (Vaswani et al., 2017, section 3.2.2)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def split_and_merge(
    x: torch.Tensor, heads: torch.Tensor, num_heads: int
) -> tuple[torch.Tensor, torch.Tensor]:
    batch, n, width = x.shape
    split = x.reshape(batch, n, num_heads, width // num_heads).transpose(1, 2)
    m, d_value = heads.shape[2:]
    merged = heads.transpose(1, 2).reshape(batch, m, num_heads * d_value)
    return split, merged


Pair = tuple[Tensor, Tensor]


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


# ---- Mistakes

Split = Callable[[Tensor, int], Tensor]
Merge = Callable[[Tensor], Tensor]
Answer = Callable[[Tensor, Tensor, int], Pair]


def _split(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def _merge(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def _answer(split: Split = _split, merge: Merge = _merge) -> Answer:
    return lambda x, heads, num_heads: (split(x, num_heads), merge(heads))


def _both_ways(split: Split, *merges: Merge) -> tuple[Answer, ...]:
    """A wrong split with the right merge, and with each of the wrong merges that go with it."""
    return (_answer(split), *(_answer(split, merge) for merge in merges))


def _viewed(x: Tensor, num_heads: int) -> Tensor:
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n, width // num_heads)


def _flattened(heads: Tensor) -> Tensor:
    batch, num_heads, m, d_value = heads.shape
    return heads.reshape(batch, m, num_heads * d_value)


def _interleaved(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _merged_in_turn(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 3, 1).flatten(2)


def _with_batch(x: Tensor, num_heads: int) -> Tensor:
    return _split(x, num_heads).flatten(0, 1)


def _with_batch_viewed(x: Tensor, num_heads: int) -> Tensor:
    return x.reshape(-1, x.shape[1], x.shape[2] // num_heads)


def _heads_outside(x: Tensor, num_heads: int) -> Tensor:
    return torch.cat(x.chunk(num_heads, -1))


def _heads_first(x: Tensor, num_heads: int) -> Tensor:
    return _split(x, num_heads).transpose(0, 1)


def _in_place(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1))


def _turned(x: Tensor, num_heads: int) -> Tensor:
    return _split(x, num_heads).mT


def _positions_shared(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.tensor_split(num_heads, dim=1), dim=1)


def _copied(x: Tensor, num_heads: int) -> Tensor:
    return x[:, None].expand(-1, num_heads, -1, -1)


def _own_split_merged(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    split = _split(x, num_heads)
    return split, _merge(split)


def _swapped(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    return _merge(heads), _split(x, num_heads)


IN_TURN = _both_ways(_interleaved, _merged_in_turn)

WITH_BATCH = (
    *_both_ways(_with_batch),
    *_both_ways(_with_batch_viewed),
    *_both_ways(_heads_outside),
    *_both_ways(_heads_first),
)

MISTAKES = (
    Mistake("view-without-transpose", _answer(_viewed), (_answer(_viewed, _flattened),)),
    Mistake("merge-without-transpose", _answer(merge=_flattened)),
    Mistake("heads-mixed-with-batch", WITH_BATCH[0], WITH_BATCH[1:]),
    Mistake("every-so-many-columns", IN_TURN[0], IN_TURN[1:]),
    Mistake("heads-under-each-other", _answer(merge=lambda heads: heads.flatten(1, 2))),
    Mistake("merge-in-turn", _answer(merge=_merged_in_turn)),
    Mistake("heads-after-positions", _answer(_in_place)),
    Mistake("head-transposed", _answer(_turned)),
    Mistake("positions-shared-out", _answer(_positions_shared)),
    Mistake("full-width-for-each-head", _answer(_copied)),
    Mistake("own-split-merged", _own_split_merged),
    Mistake("results-swapped", _swapped),
    Mistake(
        "heads-added",
        _answer(merge=lambda heads: heads.sum(1)),
        (_answer(merge=lambda heads: heads.mean(1)),),
    ),
)


# ---- Cases


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

ANSWERS = Answers(
    solution=split_and_merge,
    alternatives=(with_slices, with_flatten, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("split", "merged"),
)
