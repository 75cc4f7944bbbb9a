"""Attention within groups of positions: what blocks and columns share."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Inputs, Mistake

# ---- Groups, and ways to go wrong in one place

Answer = Callable[[Tensor, Tensor, Tensor, int], Any]
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]  # [..., position, d] each
Group = Callable[[Tensor, int], Tensor]  # [head, n, d] -> [..., position, d]
Back = Callable[[Tensor], Tensor]
Finish = Callable[[Tensor, Tensor], Tensor]  # scores, hidden -> weights


def softmax_of_allowed(scores: Tensor, hidden: Tensor) -> Tensor:
    return scores.masked_fill(hidden, -torch.inf).softmax(-1)


def everything_allowed(scores: Tensor, hidden: Tensor) -> Tensor:
    return scores.softmax(-1)


def zero_for_the_hidden(scores: Tensor, hidden: Tensor) -> Tensor:
    return scores.masked_fill(hidden, 0.0).softmax(-1)


def hidden_after_softmax(scores: Tensor, hidden: Tensor) -> Tensor:
    return scores.softmax(-1).masked_fill(hidden, 0.0)


def earlier_hidden(scores: Tensor, hidden: Tensor) -> Tensor:
    return softmax_of_allowed(scores, hidden.mT)


def own_hidden(scores: Tensor, hidden: Tensor) -> Tensor:
    """The diagonal too; a first position reads zero, or NaN as a variant."""
    return softmax_of_allowed(scores, ~(~hidden).tril(-1)).nan_to_num()


def own_hidden_with_nan(scores: Tensor, hidden: Tensor) -> Tensor:
    return softmax_of_allowed(scores, ~(~hidden).tril(-1))


def own_hidden_by_a_number(scores: Tensor, hidden: Tensor) -> Tensor:
    """A first position reads its whole row alike."""
    return scores.masked_fill(~(~hidden).tril(-1), -1e9).softmax(-1)


def softmax_over(axis: int) -> Finish:
    def finish(scores: Tensor, hidden: Tensor) -> Tensor:
        return scores.masked_fill(hidden, -torch.inf).softmax(axis)

    return finish


def softmax_over_without_nan(axis: int) -> Finish:
    return lambda scores, hidden: softmax_over(axis)(scores, hidden).nan_to_num()


def attention(
    finish: Finish = softmax_of_allowed, *,
    divisor: Callable[[Tensor, Tensor], float] = lambda q, v: q.shape[-1] ** 0.5,
) -> Attend:  # fmt: skip
    """Causal attention over the last axis but one, right but for the weights or the scale."""

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = q @ k.mT / divisor(q, v)
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
        return finish(scores, hidden) @ v

    return attend


def grouped(group: Group, back: Back, attend: Attend | None = None) -> Answer:
    """Cut the positions into groups, attend in each, put the output back."""
    attend = attend or attention()

    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        return back(attend(group(q, size), group(k, size), group(v, size)))

    return answer


def dense(allowed: Callable[[Tensor, Tensor, int], Tensor]) -> Answer:
    """Every pair of positions is scored; `allowed` says which of them count: i, j, size -> mask."""

    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        i = torch.arange(q.shape[1])
        hidden = ~allowed(i[:, None], i, size)
        return softmax_of_allowed(q @ k.mT / q.shape[-1] ** 0.5, hidden) @ v

    return answer


def blocks(x: Tensor, size: int) -> Tensor:
    """[head, n, d] -> [head, block, place, d], `size` neighbours in a block."""
    return x.unflatten(1, (-1, size))


def number_of_blocks(x: Tensor, size: int) -> Tensor:
    """`size` blocks of neighbours, n / size in each."""
    return x.unflatten(1, (size, -1))


def columns(x: Tensor, size: int) -> Tensor:
    """[head, n, d] -> [head, column, row, d], the positions of a column `size` apart."""
    return blocks(x, size).transpose(1, 2)


def distant_columns(x: Tensor, size: int) -> Tensor:
    """The positions of a column are n / size apart."""
    return number_of_blocks(x, size).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    return x.flatten(1, 2)


def turned_and_joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(1, 2)


def whole(x: Tensor, size: int) -> Tensor:
    return x


# ---- Inputs

Make = Callable[[torch.Generator], Inputs]
COUNTED = 512  # positions where the cost is looked at


def means(size_name: str, values: list[float], size: int) -> Make:
    """Queries of zero: each position gets the mean of the values that it reads."""

    def make(generator: torch.Generator) -> Inputs:
        v = torch.tensor(values)[None, :, None]
        zero = torch.zeros_like(v)
        return {"q": zero, "k": zero.clone(), "v": v, size_name: size}

    return make


def given(size_name: str, keys: list[float], values: list[float], size: int, d: int) -> Make:
    """Queries of ones and keys of `d` equal numbers, so that the scale shows."""

    def make(generator: torch.Generator) -> Inputs:
        k = torch.tensor(keys)[None, :, None].repeat(1, 1, d)
        v = torch.tensor(values)[None, :, None]
        return {"q": torch.ones_like(k), "k": k, "v": v, size_name: size}

    return make


def random(
    size_name: str, heads: int, groups: int, size: int, d: int, d_value: int, *,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """`groups` times `size` positions."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(width: int) -> Tensor:
            return torch.randn(heads, groups * size, width, generator=generator, dtype=dtype)

        return {"q": draw(d), "k": draw(d), "v": draw(d_value), size_name: size}

    return make


def counted(size_name: str, size: int) -> Make:
    """Groups of eight positions, so that few scores are enough."""
    return random(size_name, 1, COUNTED // size, size, 2, 1)


def with_gradients(make: Make) -> Make:
    def with_leaves(generator: torch.Generator) -> Inputs:
        return {
            name: value.requires_grad_() if isinstance(value, Tensor) else value
            for name, value in make(generator).items()
        }

    return with_leaves


# ---- Mistakes in the weights


def weight_mistakes(
    grouping: Callable[[Attend], Answer],
    exchanged: Answer,
    *,
    hand: str,
    hand_scores: str,
) -> tuple[Mistake, ...]:
    """Return the mistakes, with the cases that show them.

    Args:
        grouping: makes an answer of what one group attends to.
        exchanged: the answer with queries and keys exchanged.
        hand, hand_scores: names of the cases worked out by hand.
    """
    return (
        Mistake("query-and-key-exchanged", exchanged, case=hand_scores),
        Mistake(
            "another-scale",
            grouping(attention(divisor=lambda q, v: 1.0)),
            (
                grouping(attention(divisor=lambda q, v: q.shape[-1])),
                grouping(attention(divisor=lambda q, v: v.shape[-1] ** 0.5)),
                grouping(attention(divisor=lambda q, v: q.shape[-2] ** 0.5)),
                grouping(attention(divisor=lambda q, v: q.shape[-3] ** 0.5)),
                grouping(attention(divisor=lambda q, v: (q.shape[-3] * q.shape[-2]) ** 0.5)),
            ),
            case=hand_scores,
        ),
        Mistake(
            "softmax-over-another-axis",
            grouping(attention(softmax_over(-2))),
            tuple(
                grouping(attention(way(axis)))
                for axis in (-3, -4)
                for way in (softmax_over, softmax_over_without_nan)
            ),
            case=hand,
        ),
    )
