"""Exercise: scores with linear biases (Press et al., 2022)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def biased_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    heads, n, d_head = query.shape
    m = key.shape[1]
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1, dtype=query.dtype) / heads)
    distance = torch.arange(m - n, m)[:, None] - torch.arange(m)  # [query, key]
    scores = query @ key.mT / d_head**0.5 - slopes[:, None, None] * distance
    return scores.masked_fill(distance < 0, -torch.inf)


def with_loops(query: Tensor, key: Tensor) -> Tensor:
    heads, n, d_head = query.shape
    m = key.shape[1]
    scores = torch.full((heads, n, m), -torch.inf, dtype=query.dtype)
    for h in range(heads):
        for i in range(n):
            for j in range(m - n + i + 1):
                product = query[h, i] @ key[h, j] / d_head**0.5
                scores[h, i, j] = product - (m - n + i - j) / 2 ** (8 * (h + 1) / heads)
    return scores


def from_the_slope_before(query: Tensor, key: Tensor) -> Tensor:
    """Each slope is the one before it times the first."""
    heads, n, d_head = query.shape
    m = key.shape[1]
    slopes = torch.full((heads,), 2.0 ** (-8 / heads), dtype=query.dtype).cumprod(dim=0)
    seen = torch.ones(n, m, dtype=torch.bool).tril(m - n)
    distance = seen.flip(1).cumsum(1).flip(1) - 1  # counts what may be read from here on
    scores = torch.einsum("hid,hjd->hij", query, key) / d_head**0.5
    scores = scores - torch.einsum("h,ij->hij", slopes, distance.to(query))
    return scores.where(seen, -torch.inf)


# ---- One step in another way: what the mistakes are made of


@dataclass(frozen=True)
class Steps:
    """The steps of the scores; a mistake replaces some of them.

    Args:
        slopes: from the number of heads to their slopes.
        first: from the numbers of queries and of keys to the first query's position.
        join: from products, their divisor and biases to scores.
        hides: whether keys behind the query are hidden.
    """

    slopes: Callable[[int], Tensor] = lambda heads: powers(
        torch.arange(1, heads + 1).double() / heads
    )
    first: Callable[[int, int], int] = lambda n, m: m - n
    join: Callable[[Tensor, float, Tensor], Tensor] = lambda product, root, bias: (
        product / root - bias
    )
    hides: bool = True

    def __call__(self, query: Tensor, key: Tensor) -> Tensor:
        """Return the scores."""
        heads, n, d_head = query.shape
        m = key.shape[1]
        first = self.first(n, m)
        distance = torch.arange(first, first + n)[:, None] - torch.arange(m)
        bias = self.slopes(heads)[:, None, None] * distance
        scores = self.join(query @ key.mT, d_head**0.5, bias)
        return scores.masked_fill(distance < 0, -torch.inf) if self.hides else scores


def powers(shares: Tensor) -> Tensor:
    return 2.0 ** (-8 * shares.double())


def with_step(**changed: Any) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the right steps with some replaced."""
    return replace(Steps(), **changed)


CACHED = _("two queries, three cached keys")

MISTAKES = (
    Mistake(
        "heads-from-zero",
        with_step(slopes=lambda heads: powers(torch.arange(heads).double() / heads)),
    ),
    Mistake("bias-added", with_step(join=lambda product, root, bias: product / root + bias)),
    Mistake("bias-scaled-too", with_step(join=lambda product, root, bias: (product - bias) / root)),
    Mistake(
        "one-slope-for-all",
        with_step(slopes=lambda heads: powers(torch.ones(heads).double() / heads)),
        (
            with_step(slopes=lambda heads: powers(torch.ones(heads))),
            with_step(slopes=lambda heads: torch.ones(heads).double()),
        ),
    ),
    Mistake(
        "number-of-heads-ignored",
        with_step(slopes=lambda heads: powers(torch.arange(1, heads + 1) / 8)),
        (
            with_step(slopes=lambda heads: powers(torch.arange(1, heads + 1).double() / heads / 8)),
            with_step(slopes=lambda heads: powers(torch.arange(1, heads + 1).double())),
        ),
    ),
    Mistake(
        "slopes-in-reverse",
        with_step(slopes=lambda heads: powers(torch.arange(heads, 0, -1).double() / heads)),
    ),
    Mistake("queries-from-zero", with_step(first=lambda n, m: 0), case=CACHED),
    Mistake("future-not-hidden", with_step(hides=False)),
    Mistake("root-missing", with_step(join=lambda product, root, bias: product - bias)),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    ones = torch.ones(2, 1, 1, dtype=torch.float64)
    return {"query": ones, "key": torch.tensor([[[0.0], [2.0], [4.0]]] * 2).double()}


def _random(heads: int, n: int, m: int, d_head: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        query, key = (
            torch.randn(heads, length, d_head, generator=generator, dtype=torch.float64)
            for length in (n, m)
        )
        return {"query": query, "key": key}

    return make


CASES = (
    Case(_("two heads, one query, three keys"), _hand),
    Case(CACHED, _random(2, 2, 5, 3), seed=1),
    Case(_("three heads, no cache"), _random(3, 5, 5, 2), seed=2),
    Case(_("eight heads"), _random(8, 2, 3, 4), seed=3),
    Case(_("one head"), _random(1, 3, 7, 5), seed=4),
    Case(_("as many heads as positions"), _random(5, 5, 5, 5), seed=5),
)

ANSWERS = Answers(
    solution=biased_scores,
    alternatives=(with_loops, from_the_slope_before),
    mistakes=MISTAKES,
    cases=CASES,
)
