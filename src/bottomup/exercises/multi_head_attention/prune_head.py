"""Exercise: remove one head exactly, so that the smaller attention gives the same output."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.multi_head_attention.prune_head_mistakes import MISCONCEPTIONS, SQUARE
from bottomup.exercises.multi_head_attention.prune_head_parts import NAMES, Parameters
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def prune_head(head, num_heads, W_Q, W_K, W_V, b_V, W_O, b_O):
    """Remove one head for good.

    The smaller attention must give what the larger one gives when this
    head's contribution to the sum over heads is zero.
    head: its number, counted from 0. W_Q, W_K [num_heads * d_head,
    d_model], W_V [num_heads * d_value, d_model], b_V [num_heads *
    d_value], W_O [d_model, num_heads * d_value], b_O [d_model].
    Returns the smaller (W_Q, W_K, W_V, b_V, W_O, b_O).
    """
    ...
'''


def prune_head(
    head: int, num_heads: int,
    W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, b_V: torch.Tensor,
    W_O: torch.Tensor, b_O: torch.Tensor,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    kept = torch.arange(num_heads) != head
    narrow = kept.repeat_interleave(W_Q.shape[0] // num_heads)  # the slices d_head wide
    wide = kept.repeat_interleave(W_V.shape[0] // num_heads)  # the slices d_value wide
    return W_Q[narrow], W_K[narrow], W_V[wide], b_V[wide], W_O[:, wide], b_O


def with_slices(
    head: int, num_heads: int,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor, b_O: Tensor,
) -> Parameters:  # fmt: skip
    def without(matrix: Tensor) -> Tensor:
        width = len(matrix) // num_heads
        return torch.cat([matrix[: head * width], matrix[(head + 1) * width :]])

    return without(W_Q), without(W_K), without(W_V), without(b_V), without(W_O.T).T, b_O


def with_heads_apart(
    head: int, num_heads: int,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor, b_O: Tensor,
) -> Parameters:  # fmt: skip
    kept = [h for h in range(num_heads) if h != head]
    rows = (x.unflatten(0, (num_heads, -1))[kept].flatten(0, 1) for x in (W_Q, W_K, W_V, b_V))
    return *rows, W_O.unflatten(1, (num_heads, -1))[:, kept].flatten(1), b_O.clone()


def with_chunks(
    head: int, num_heads: int,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor, b_O: Tensor,
) -> Parameters:  # fmt: skip
    smaller = []
    for matrix, axis in ((W_Q, 0), (W_K, 0), (W_V, 0), (b_V, 0), (W_O, 1)):
        pieces = list(matrix.chunk(num_heads, dim=axis))
        del pieces[head]
        smaller.append(torch.cat(pieces, dim=axis))
    return *smaller, b_O


Make = Callable[[torch.Generator], Inputs]


def _random(
    head: int, num_heads: int, d_model: int, d_head: int, d_value: int,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    shapes = {
        "W_Q": (num_heads * d_head, d_model),
        "W_K": (num_heads * d_head, d_model),
        "W_V": (num_heads * d_value, d_model),
        "b_V": (num_heads * d_value,),
        "W_O": (d_model, num_heads * d_value),
        "b_O": (d_model,),
    }

    def make(generator: torch.Generator) -> Inputs:
        drawn = {
            name: torch.randn(shape, generator=generator, dtype=dtype)
            for name, shape in shapes.items()
        }
        return {"head": head, "num_heads": num_heads, **drawn}

    return make


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "head": 0,
        "num_heads": 2,
        "W_Q": torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
        "W_K": torch.tensor([[5.0, 6.0], [7.0, 8.0]]),
        "W_V": torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]),
        "b_V": torch.tensor([1.0, 2.0, 3.0, 4.0]),
        "W_O": torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]),
        "b_O": torch.tensor([9.0, 10.0]),
    }


CASES = (
    Case(_("the first of two heads"), _hand),
    Case(_("a head in the middle"), _random(1, 3, 5, 2, 7), seed=1),
    Case(_("the last head"), _random(4, 5, 7, 3, 2), seed=2),
    Case(SQUARE, _random(0, 2, 2, 1, 1), seed=3),
    Case(_("three heads, square maps"), _random(1, 3, 6, 2, 2), seed=8),
    Case(_("heads of width one"), _random(2, 5, 3, 1, 1), seed=4),
    Case(_("as wide as there are heads"), _random(0, 3, 7, 3, 3), seed=5),
    Case(_("the second of two heads"), _random(1, 2, 3, 5, 7), seed=6),
    Case(_("float64"), _random(3, 5, 11, 2, 3, torch.float64), seed=7),
)

PRUNE_HEAD = Exercise(
    slug="prune-head",
    title=_("Remove a head exactly"),
    chapter="03",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Write the output as a sum over heads: b_O plus, for each head, what it has read times "
            "its piece of W_O. Which numbers occur in one term only?"
        ),
        _(
            "The rows of W_Q, W_K and W_V make a head's numbers, the columns of W_O use them. The "
            "bias of the values is added to those same rows."
        ),
        _(
            "Head h owns the places h * width up to (h + 1) * width. The width is d_head for W_Q "
            "and W_K, d_value for W_V, b_V and W_O."
        ),
        _(
            "`torch.arange(num_heads) != head` says which heads stay; `repeat_interleave(width)` "
            "makes of it one truth value for each row or column."
        ),
    ),
    solution=prune_head,
    alternatives=(with_slices, with_heads_apart, with_chunks),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named(*NAMES),
)
