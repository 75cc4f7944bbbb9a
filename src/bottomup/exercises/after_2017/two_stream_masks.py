"""Exercise: one step of two-stream attention under an order (Yang et al., 2019, section 2.3)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _

Pair = tuple[Tensor, Tensor]


def two_streams(
    content: torch.Tensor, query: torch.Tensor, order: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    rank = order.argsort()  # rank[i]: when position i is predicted
    earlier = rank[None, :] < rank[:, None]  # [position, position]: may i read j?

    def attend(asking: torch.Tensor, may: torch.Tensor) -> torch.Tensor:
        scores = asking @ content.T / content.shape[1] ** 0.5
        weights = scores.masked_fill(~may, -torch.inf).softmax(dim=-1)
        return weights.nan_to_num() @ content  # who may read nothing gets zeros

    own = torch.eye(len(order), dtype=torch.bool)
    return attend(content, earlier | own), attend(query, earlier)


def with_loops(content: Tensor, query: Tensor, order: Tensor) -> Pair:
    new_content, new_query = torch.zeros_like(content), torch.zeros_like(query)
    for t, i in enumerate(order.tolist()):
        past = content[order[:t]]
        if t:
            weights = (past @ query[i] / content.shape[1] ** 0.5).softmax(dim=0)
            new_query[i] = weights @ past
        past = content[order[: t + 1]]
        new_content[i] = (past @ content[i] / content.shape[1] ** 0.5).softmax(dim=0) @ past
    return new_content, new_query


def by_rearranging(content: Tensor, query: Tensor, order: Tensor) -> Pair:
    h, g = content[order], query[order]  # in the order of the predictions
    below = torch.ones(len(order), len(order)).tril().bool()
    scale = h.shape[1] ** -0.5
    read = (h @ h.T * scale).masked_fill(~below, -torch.inf).softmax(dim=-1) @ h
    strict = (g @ h.T * scale).masked_fill(~below.tril(-1), -torch.inf)
    asked = torch.cat([torch.zeros_like(g[:1]), strict[1:].softmax(dim=-1) @ h])
    back = order.argsort()
    return read[back], asked[back]


def with_scatter(content: Tensor, query: Tensor, order: Tensor) -> Pair:
    rank = torch.empty_like(order)
    rank[order] = torch.arange(len(order))
    found = []
    for asking, last in ((content, rank), (query, rank - 1)):
        may = rank <= last[:, None]
        raised = torch.exp(asking @ content.T / content.shape[1] ** 0.5) * may
        found.append(raised @ content / raised.sum(dim=1, keepdim=True).clamp(min=1e-30))
    return found[0], found[1]


# ---- One step in another way: what the mistakes are made of


def ranks(order: Tensor) -> Tensor:
    return order.argsort()


def before(rank: Tensor) -> Tensor:
    return rank[None, :] < rank[:, None]


def up_to(rank: Tensor) -> Tensor:
    return rank[None, :] <= rank[:, None]


def attend(asking: Tensor, read: Tensor, may: Tensor) -> Tensor:
    scores = asking @ read.T / read.shape[1] ** 0.5
    return scores.masked_fill(~may, -torch.inf).softmax(dim=-1).nan_to_num() @ read


@dataclass(frozen=True)
class Steps:
    """The steps of the two streams; a mistake replaces some of them.

    Args:
        rank: from the order to when each position is predicted.
        content_may, query_may: from the ranks to who may read whom.
        attend: from who asks, what is read and who may to what is got.
        query_asks: what the query stream asks with, from content and the query stream.
        query_reads: what the query stream reads, from content, its update and the query stream.
    """

    rank: Callable[[Tensor], Tensor] = ranks
    content_may: Callable[[Tensor], Tensor] = up_to
    query_may: Callable[[Tensor], Tensor] = before
    attend: Callable[[Tensor, Tensor, Tensor], Tensor] = attend
    query_asks: Callable[[Tensor, Tensor], Tensor] = lambda h, g: g
    query_reads: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda h, new, g: h

    def __call__(self, content: Tensor, query: Tensor, order: Tensor) -> Pair:
        """Return both streams after the step."""
        rank = self.rank(order)
        new = self.attend(content, content, self.content_may(rank))
        read = self.query_reads(content, new, query)
        asks = self.query_asks(content, query)
        return new, self.attend(asks, read, self.query_may(rank))


RIGHT = Steps()


def with_step(**changed: Any) -> Callable[..., Pair]:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes


def _left_in_order(content: Tensor, query: Tensor, order: Tensor) -> Pair:
    new, asked = RIGHT(content, query, order)
    return new[order], asked[order]


def _with_fill(value: float) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    def filled(asking: Tensor, read: Tensor, may: Tensor) -> Tensor:
        scores = asking @ read.T / read.shape[1] ** 0.5
        return scores.masked_fill(~may, value).softmax(dim=-1) @ read

    return filled


def _unscaled(asking: Tensor, read: Tensor, may: Tensor) -> Tensor:
    return (asking @ read.T).masked_fill(~may, -torch.inf).softmax(dim=-1).nan_to_num() @ read


def _residual(to_content: int, to_query: int) -> Callable[..., Pair]:
    def answer(content: Tensor, query: Tensor, order: Tensor) -> Pair:
        new, asked = RIGHT(content, query, order)
        return new + to_content * content, asked + to_query * query

    return answer


def _places(order: Tensor) -> Tensor:
    return torch.arange(len(order))


MISTAKES = (
    Mistake(
        "streams-exchanged",
        with_step(content_may=before, query_may=up_to),
        (lambda content, query, order: RIGHT(content, query, order)[::-1],),
    ),
    Mistake("query-sees-its-own-token", with_step(query_may=up_to)),
    Mistake("content-without-itself", with_step(content_may=before)),
    Mistake("order-for-rank", with_step(rank=lambda order: order)),
    Mistake("order-ignored", with_step(rank=_places)),
    Mistake(
        "later-instead-of-earlier",
        with_step(
            content_may=lambda rank: up_to(-rank),
            query_may=lambda rank: before(-rank),
        ),
    ),
    Mistake("keys-from-the-query-stream", with_step(query_reads=lambda h, new, g: g)),
    Mistake("content-asks", with_step(query_asks=lambda h, g: h)),
    Mistake("keys-already-updated", with_step(query_reads=lambda h, new, g: new)),
    Mistake("left-in-the-order", _left_in_order),
    Mistake(
        "first-reads-everything",
        with_step(attend=_with_fill(-1e9)),
        (with_step(attend=_with_fill(torch.finfo(torch.float32).min)),),
    ),
    Mistake("nan-for-the-first", with_step(attend=_with_fill(-torch.inf))),
    Mistake("residual-added", _residual(1, 1), (_residual(1, 0), _residual(0, 1))),
    Mistake("not-scaled", with_step(attend=_unscaled)),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(length: int, width: int, dtype: torch.dtype = torch.float32) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        shape = (length, width)
        return {
            "content": 2 * torch.randn(shape, generator=generator, dtype=dtype),
            "query": 2 * torch.randn(shape, generator=generator, dtype=dtype),
            "order": torch.randperm(length, generator=generator),
        }

    return make


CASES = (
    Case(
        _("three tokens, the last one first, then the first"),
        lambda generator: {
            "content": torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
            "query": torch.tensor([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
            "order": torch.tensor([2, 0, 1]),
        },
    ),
    Case(
        _("one token"),
        lambda generator: {
            "content": torch.tensor([[3.0]]),
            "query": torch.tensor([[5.0]]),
            "order": torch.tensor([0]),
        },
    ),
    Case(_("five tokens"), _random(5, 3), seed=1),
    Case(_("eleven tokens of width seven"), _random(11, 7), seed=2),
    Case(_("as many tokens as columns"), _random(5, 5), seed=3),
    Case(_("float64"), _random(7, 2, torch.float64), seed=4),
)

ANSWERS = Answers(
    solution=two_streams,
    alternatives=(with_loops, by_rearranging, with_scatter),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("content", "query"),
)
