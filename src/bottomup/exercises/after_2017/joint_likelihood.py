"""Exercise: the log-probability of several tokens, asked one after the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _

Predict = Callable[[Tensor, Tensor], Tensor]


def joint_log_probability(
    predict: torch.nn.Module, tokens: torch.Tensor, order: torch.Tensor
) -> torch.Tensor:
    seen = torch.ones(len(tokens), dtype=torch.bool)
    seen[order] = False  # what is not asked for is given
    total = torch.zeros(())
    for position in order:
        total = total + predict(tokens, seen)[position, tokens[position]]
        seen[position] = True  # the next one may read it
    return total


def with_ranks(predict: Predict, tokens: Tensor, order: Tensor) -> Tensor:
    rank = torch.full((len(tokens),), -1)
    rank[order] = torch.arange(len(order))
    parts = [predict(tokens, rank < t)[i, tokens[i]] for t, i in enumerate(order.tolist())]
    return torch.stack(parts).sum()


def with_slices(predict: Predict, tokens: Tensor, order: Tensor) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for t in range(len(order)):
        hidden = torch.isin(torch.arange(len(tokens)), order[t:])
        said = predict(tokens, ~hidden).gather(1, tokens[:, None]).squeeze(1)
        total = total + said[order[t]]
    return total


# ---- One step in another way: what the mistakes are made of


def all_given(tokens: Tensor, order: Tensor) -> Tensor:
    seen = torch.ones(len(tokens), dtype=torch.bool)
    return seen.index_fill(0, order, False)


def shown(seen: Tensor, position: int, start: Tensor) -> Tensor:
    return seen | (torch.arange(len(seen)) == position)


@dataclass(frozen=True)
class Steps:
    """The steps of the chain rule; a mistake replaces some of them.

    Args:
        start: what is seen at first, from the tokens and the order.
        ask: the positions that are asked for, one after the other.
        show: what is seen at the next question, from what was seen, the position, and the start.
        early: whether a token is shown before it is asked for.
        part: from the log-probabilities at a position and its token to what is added.
        end: from the parts to the result.
    """

    start: Callable[[Tensor, Tensor], Tensor] = all_given
    ask: Callable[[Tensor, Tensor], list[int]] = lambda tokens, order: order.tolist()
    show: Callable[[Tensor, int, Tensor], Tensor] = shown
    early: bool = False
    part: Callable[[Tensor, Tensor], Tensor] = lambda row, token: row[token]
    end: Callable[[Tensor], Tensor] = torch.sum

    def __call__(self, predict: Predict, tokens: Tensor, order: Tensor) -> Tensor:
        """Return the log-probability."""
        start = seen = self.start(tokens, order)
        parts = []
        for position in self.ask(tokens, order):
            after = self.show(seen, position, start)
            row = predict(tokens, after if self.early else seen)[position]
            parts.append(self.part(row, tokens[position]))
            seen = after
        return self.end(torch.stack(parts))


RIGHT = Steps()


def with_step(**changed: Any) -> Callable[..., Tensor]:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes


def _all_others(predict: Predict, tokens: Tensor, order: Tensor) -> Tensor:
    return torch.stack([RIGHT(predict, tokens, position[None]) for position in order]).sum()


def _row_of_time(predict: Predict, tokens: Tensor, order: Tensor) -> Tensor:
    seen, parts = all_given(tokens, order), []
    for t, position in enumerate(order):
        parts.append(predict(tokens, seen)[t, tokens[position]])
        seen = shown(seen, int(position), seen)
    return torch.stack(parts).sum()


MISTAKES = (
    Mistake("mean-for-sum", with_step(end=torch.mean)),
    Mistake("marginals-multiplied", with_step(show=lambda seen, position, start: seen)),
    Mistake("all-others-given", _all_others),
    Mistake("time-for-position", _row_of_time),
    Mistake("target-visible", with_step(early=True)),
    Mistake("order-ignored", with_step(ask=lambda tokens, order: order.sort().values.tolist())),
    Mistake("order-reversed", with_step(ask=lambda tokens, order: order.flip(0).tolist())),
    Mistake(
        "given-tokens-hidden",
        with_step(start=lambda tokens, order: torch.zeros(len(tokens), dtype=torch.bool)),
    ),
    Mistake(
        "seen-inverted",
        with_step(
            start=lambda tokens, order: ~all_given(tokens, order),
            show=lambda seen, position, start: ~shown(~seen, position, start),
        ),
        (with_step(start=lambda tokens, order: ~all_given(tokens, order)),),
    ),
    Mistake(
        "only-the-last-shown",
        with_step(show=lambda seen, position, start: shown(start, position, start)),
    ),
    Mistake(
        "probabilities-added",
        with_step(part=lambda row, token: row[token].exp()),
        (with_step(part=lambda row, token: row[token].exp(), end=lambda parts: parts.sum().log()),),
    ),
    Mistake("probability-for-its-logarithm", with_step(end=lambda parts: parts.sum().exp())),
    Mistake("sign-turned", with_step(end=lambda parts: -parts.sum())),
    Mistake("most-likely-token", with_step(part=lambda row, token: row.max())),
    Mistake(
        "all-positions-asked",
        with_step(
            ask=lambda tokens, order: [
                *order.tolist(),
                *(i for i in range(len(tokens)) if i not in order.tolist()),
            ]
        ),
        (with_step(ask=lambda tokens, order: list(range(len(tokens)))),),
    ),
)


# ---- Cases


class Network:
    """What stands for a network: logits from who sees what, in which every seen token counts."""

    def __init__(self, table: Tensor) -> None:
        self._table = table  # [position, seen position, token, token said]

    def __call__(self, tokens: Tensor, seen: Tensor) -> Tensor:
        """Return log-probabilities [position, token]."""
        places = torch.arange(len(tokens))
        each = self._table[:, places, tokens]  # [position, seen position, token said]
        return each.masked_fill(~seen[None, :, None], 0).sum(dim=1).log_softmax(dim=-1)


def _random(length: int, vocabulary: int, asked: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        shape = (length, length, vocabulary, vocabulary)
        table = torch.randn(shape, generator=generator, dtype=torch.float64)
        return {
            "predict": Network(table),
            "tokens": torch.randint(vocabulary, (length,), generator=generator),
            "order": torch.randperm(length, generator=generator)[:asked],
        }

    return make


def _new_york(generator: torch.Generator) -> Inputs:
    """Two tokens: 0 0 or 1 1, one half each; from one the other is known nine times in ten."""

    def predict(tokens: Tensor, seen: Tensor) -> Tensor:
        said = torch.full((3, 2), 0.5, dtype=torch.float64)
        for position, other in ((0, 1), (1, 0)):
            if seen[other]:
                said[position] = 0.1
                said[position, tokens[other]] = 0.9
            if not seen[2]:
                said[position] = torch.tensor([0.75, 0.25], dtype=torch.float64)
            if seen[position]:
                said[position] = 0.01
                said[position, tokens[position]] = 0.99
        return said.log()

    return {"predict": predict, "tokens": torch.tensor([1, 1, 0]), "order": torch.tensor([1, 0])}


CASES = (
    Case(_("two words that go together, the second asked first"), _new_york),
    Case(_("one token asked for, of three"), _random(3, 2, 1), seed=1),
    Case(_("three asked for, of five"), _random(5, 3, 3), seed=2),
    Case(_("all of seven, none given"), _random(7, 5, 7), seed=3),
    Case(_("five of eleven"), _random(11, 3, 5), seed=4),
)

ANSWERS = Answers(
    solution=joint_log_probability,
    alternatives=(with_ranks, with_slices),
    mistakes=MISTAKES,
    cases=CASES,
)
