"""Exercise: forbidden weight and sums of each head."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def examine_weights(weights: torch.Tensor, may: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    forbidden = (weights * ~may).sum(dim=-1)[:, real]  # [head, real query]
    sums = weights.sum(dim=-1)[:, real]
    return torch.stack([forbidden.amax(dim=1), sums.amin(dim=1)], dim=1)


def with_where(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    kept = weights[:, real]
    forbidden = torch.where(may[real], 0.0, kept).sum(dim=2).max(dim=1).values
    return torch.stack([forbidden, kept.sum(dim=2).min(dim=1).values]).T


def with_loops(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    found = []
    for head in weights:
        rows = [(row[~allowed].sum(), row.sum()) for row, allowed in zip(head[real], may[real])]  # noqa: B905
        found.append(torch.stack([max(one for one, _ in rows), min(one for _, one in rows)]))
    return torch.stack(found)


# ---- One step in another way: what the mistakes are made of

Each = Callable[[Tensor, Tensor], Tensor]  # of weights and mask, to [head, query]
Worst = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Steps:
    """The steps of an examination; a mistake replaces some of them.

    Args:
        forbidden, total: each query's number, from weights and mask.
        largest, smallest: from numbers [head, real query] to [head].
        keep: whether only real queries count.
        order: of the two numbers.
    """

    forbidden: Each = lambda weights, may: (weights * ~may).sum(dim=-1)
    total: Each = lambda weights, may: weights.sum(dim=-1)
    largest: Worst = lambda each: each.amax(dim=1)
    smallest: Worst = lambda each: each.amin(dim=1)
    keep: bool = True
    order: tuple[int, int] = (0, 1)

    def __call__(self, weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
        """Return both numbers of each head."""
        kept = real if self.keep else torch.ones_like(real)
        found = (
            self.largest(self.forbidden(weights, may)[:, kept]),
            self.smallest(self.total(weights, may)[:, kept]),
        )
        return torch.stack([found[place] for place in self.order], dim=1)


def with_step(**changed: Any) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return the right steps with some replaced."""
    return replace(Steps(), **changed)


def _over_queries(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    kept = weights * real[:, None]
    forbidden, sums = (kept * ~may).sum(dim=1), kept.sum(dim=1)
    return torch.stack([forbidden.amax(dim=1), sums.amin(dim=1)], dim=1)


def _indexed_by_queries(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    """Real queries are kept behind a sum over the queries, which fails where keys are others."""
    forbidden, sums = (weights * ~may).sum(dim=1)[:, real], weights.sum(dim=1)[:, real]
    return torch.stack([forbidden.amax(dim=1), sums.amin(dim=1)], dim=1)


def _zeroed(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    return with_step(keep=False)(weights * real[:, None], may, real)


def _averaged(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    mean = weights.mean(dim=0, keepdim=True).expand_as(weights)
    return examine_weights(mean, may, real)


def _worst_head(weights: Tensor, may: Tensor, real: Tensor) -> Tensor:
    each = examine_weights(weights, may, real)
    return torch.stack([each[:, 0].max(), each[:, 1].min()])


PADDED = _("a query at padding")

MISTAKES = (
    Mistake("padding-queries-counted", with_step(keep=False), case=PADDED),
    Mistake("padding-set-to-zero", _zeroed, case=PADDED),
    Mistake("sums-over-queries", _over_queries, (_indexed_by_queries,)),
    Mistake(
        "allowed-for-forbidden", with_step(forbidden=lambda weights, may: (weights * may).sum(-1))
    ),
    Mistake(
        "largest-single-weight",
        with_step(forbidden=lambda weights, may: (weights * ~may).amax(dim=-1)),
    ),
    Mistake(
        "heads-averaged",
        _averaged,
        (
            _worst_head,
            lambda weights, may, real: examine_weights(weights, may, real).mean(dim=0),
        ),
    ),
    Mistake(
        "mean-over-queries",
        with_step(largest=lambda each: each.mean(dim=1), smallest=lambda each: each.mean(dim=1)),
        (
            with_step(largest=lambda each: each.mean(dim=1)),
            with_step(smallest=lambda each: each.mean(dim=1)),
        ),
    ),
    Mistake(
        "what-is-missing-from-one",
        with_step(smallest=lambda each: 1 - each.amin(dim=1)),
        (with_step(smallest=lambda each: (each - 1).abs().amax(dim=1)),),
    ),
    Mistake("smallest-forbidden", with_step(largest=lambda each: each.amin(dim=1))),
    Mistake("largest-sum", with_step(smallest=lambda each: each.amax(dim=1))),
    Mistake(
        "sum-of-what-is-allowed", with_step(total=lambda weights, may: (weights * may).sum(-1))
    ),
    Mistake("numbers-exchanged", with_step(order=(1, 0))),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    weights = torch.tensor([[[0.75, 0.125, 0.125], [0.5, 0.25, 0.0]]], dtype=torch.float64)
    may = torch.tensor([[True, False, False], [True, True, False]])
    return {"weights": weights, "may": may, "real": torch.tensor([True, True])}


def _random(
    heads: int, queries: int, keys: int, padded: int
) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        weights = torch.rand(heads, queries, keys, generator=generator, dtype=torch.float64)
        sums = 0.5 + torch.rand(heads, queries, 1, generator=generator, dtype=torch.float64)
        may = torch.rand(queries, keys, generator=generator) < 0.6
        real = torch.ones(queries, dtype=torch.bool)
        real[queries - padded :] = False
        return {"weights": weights / weights.sum(-1, keepdim=True) * sums, "may": may, "real": real}

    return make


CASES = (
    Case(_("one head, two queries"), _hand),
    Case(PADDED, _random(2, 3, 2, 1), seed=1),
    Case(_("three heads"), _random(3, 5, 7, 2), seed=2),
    Case(_("as many queries as keys"), _random(2, 5, 5, 0), seed=3),
    Case(_("as many heads as queries"), _random(3, 3, 5, 1), seed=4),
    Case(_("eleven queries"), _random(2, 11, 3, 5), seed=5),
)

ANSWERS = Answers(
    solution=examine_weights,
    alternatives=(with_where, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
