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
        hide: from scores, and where keys stand behind the query, to what is returned.
    """

    slopes: Callable[[int], Tensor] = lambda heads: powers(
        torch.arange(1, heads + 1).double() / heads
    )
    first: Callable[[int, int], int] = lambda n, m: m - n
    join: Callable[[Tensor, float, Tensor], Tensor] = lambda product, root, bias: (
        product / root - bias
    )
    hide: Callable[[Tensor, Tensor], Tensor] = lambda scores, behind: scores.masked_fill(
        behind, -torch.inf
    )

    def __call__(self, query: Tensor, key: Tensor) -> Tensor:
        """Return the scores."""
        heads, n, d_head = query.shape
        m = key.shape[1]
        first = self.first(n, m)
        distance = torch.arange(first, first + n)[:, None] - torch.arange(m)
        bias = self.slopes(heads)[:, None, None] * distance
        scores = self.join(query @ key.mT, d_head**0.5, bias)
        return self.hide(scores, distance < 0)


def powers(shares: Tensor) -> Tensor:
    return 2.0 ** (-8 * shares.double())


def with_step(**changed: Any) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the right steps with some replaced."""
    return replace(Steps(), **changed)


def filled_with(low: float) -> Callable[[Tensor, Tensor], Tensor]:
    return with_step(hide=lambda scores, behind: scores.masked_fill(behind, low))


def _by_distance_alone(product: Tensor, root: float, bias: Tensor) -> Tensor:
    return product / root - bias.abs()


def _own_key_hidden(query: Tensor, key: Tensor) -> Tensor:
    scores = biased_scores(query, key)
    kept = torch.ones_like(scores, dtype=torch.bool).tril(key.shape[1] - query.shape[1] - 1)
    return scores.where(kept, -torch.inf)


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
            with_step(slopes=lambda heads: powers(1 / torch.arange(1, heads + 1).double())),
        ),
    ),
    Mistake(
        "slopes-in-reverse",
        with_step(slopes=lambda heads: powers(torch.arange(heads, 0, -1).double() / heads)),
    ),
    Mistake("queries-from-zero", with_step(first=lambda n, m: 0), case=CACHED),
    Mistake(
        "future-not-hidden",
        with_step(hide=lambda scores, behind: scores),
        (
            with_step(hide=lambda scores, behind: scores.masked_fill(behind, 0.0)),
            with_step(join=_by_distance_alone, hide=lambda scores, behind: scores),
        ),
    ),
    Mistake(
        "number-for-minus-infinity",
        filled_with(-1e9),
        tuple(
            filled_with(low)
            for low in (
                -1e4,
                -1e5,
                -1e6,
                -1e8,
                -1e10,
                -1e12,
                -1e30,
                torch.finfo(torch.float32).min,
                torch.finfo(torch.float64).min,
            )
        ),
    ),
    Mistake("own-key-hidden", _own_key_hidden),
    Mistake("softmax-taken", lambda query, key: biased_scores(query, key).softmax(dim=-1)),
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


# Heads are powers of 2: an answer may compute slopes in float32, and these are exact there.

CASES = (
    Case(_("two heads, one query, three keys"), _hand),
    Case(CACHED, _random(2, 2, 5, 3), seed=1),
    Case(_("four heads, no cache"), _random(4, 5, 5, 2), seed=2),
    Case(_("eight heads"), _random(8, 2, 3, 4), seed=3),
    Case(_("one head"), _random(1, 3, 7, 5), seed=4),
    Case(_("as many heads as positions"), _random(4, 4, 4, 4), seed=5),
)

ANSWERS = Answers(
    solution=biased_scores,
    alternatives=(with_loops, from_the_slope_before),
    mistakes=MISTAKES,
    cases=CASES,
)
