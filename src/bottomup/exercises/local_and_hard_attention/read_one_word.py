"""Exercise: hard attention reads one position (Xu et al., 2015, section 4.1)."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def read_one(weights: torch.Tensor, u: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    ends = weights.cumsum(dim=-1)  # [batch, query, source]
    drawn = (ends <= u[..., None]).sum(dim=-1)  # [batch, query]
    rows = torch.arange(len(states))[:, None]  # [batch, 1]
    return states[rows, drawn]  # [batch, query, d_key]


def with_searchsorted(weights: Tensor, u: Tensor, states: Tensor) -> Tensor:
    drawn = torch.searchsorted(weights.cumsum(-1), u[..., None], right=True)  # [batch, query, 1]
    return states.gather(1, drawn.expand(-1, -1, states.shape[-1]))


def with_one_hot(weights: Tensor, u: Tensor, states: Tensor) -> Tensor:
    first = (weights.cumsum(-1) > u.unsqueeze(-1)).int().argmax(-1)
    return F.one_hot(first, weights.shape[-1]).to(states.dtype) @ states


def with_loops(weights: Tensor, u: Tensor, states: Tensor) -> Tensor:
    read = []
    for rows, numbers, sentence in zip(weights, u, states, strict=True):
        for row, number in zip(rows, numbers, strict=True):
            j, end = 0, row[0]
            while end <= number:
                j += 1
                end = end + row[j]
            read.append(sentence[j])
    return torch.stack(read).reshape(*u.shape, -1)


# ---- Mistakes

ON_A_BORDER = _("a masked first word, and u = 0")
TWO_SENTENCES = _("two sentences, three draws in each")


def _drawn(weights: Tensor, u: Tensor) -> Tensor:
    return (weights.cumsum(-1) <= u[..., None]).sum(-1)


def _at(drawn: Tensor, states: Tensor) -> Tensor:
    return states[torch.arange(len(states))[:, None], drawn]


Draw = Callable[[Tensor, Tensor], Tensor]


def _with_draw(draw: Draw) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Right but for the position; one outside the sentence is an error, as the solution's is."""
    return lambda weights, u, states: _at(draw(weights, u), states)


def _inside(draw: Draw) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """The same with positions that are kept inside the sentence."""
    return _with_draw(lambda weights, u: draw(weights, u).clamp(0, weights.shape[-1] - 1))


def _hot(weights: Tensor, u: Tensor) -> Tensor:
    return F.one_hot(_drawn(weights, u), weights.shape[-1]).to(weights.dtype)


MISTAKES = (
    Mistake("weighted-mean", lambda weights, u, states: weights @ states),
    Mistake("largest-weight", _with_draw(lambda weights, u: weights.argmax(-1))),
    Mistake(
        "weight-zero-drawn",
        _with_draw(lambda weights, u: (weights.cumsum(-1) < u[..., None]).sum(-1)),
        case=ON_A_BORDER,
    ),
    Mistake(
        "one-too-late",
        _inside(lambda weights, u: _drawn(weights, u) + 1),
        (
            _with_draw(lambda weights, u: _drawn(weights, u) + 1),
            _with_draw(lambda weights, u: (_drawn(weights, u) + 1) % weights.shape[-1]),
        ),
    ),
    Mistake(
        "one-too-early",
        _with_draw(lambda weights, u: _drawn(weights, u) - 1),
        (_inside(lambda weights, u: _drawn(weights, u) - 1),),
    ),
    Mistake(
        "weights-not-summed",
        _inside(lambda weights, u: (weights <= u[..., None]).sum(-1)),
        (
            _with_draw(lambda weights, u: (weights <= u[..., None]).sum(-1)),
            _with_draw(lambda weights, u: (weights > u[..., None]).int().argmax(-1)),
            _with_draw(lambda weights, u: (weights >= u[..., None]).int().argmax(-1)),
            _with_draw(lambda weights, u: (weights - u[..., None]).abs().argmin(-1)),
        ),
    ),
    Mistake(
        "weights-ignored",
        _with_draw(lambda weights, u: (u * weights.shape[-1]).long()),
        (_inside(lambda weights, u: (u * weights.shape[-1]).round().long()),),
    ),
    Mistake(
        "summed-over-the-queries",
        _inside(lambda weights, u: (weights.cumsum(1) <= u[..., None]).sum(-1)),
        (
            _with_draw(lambda weights, u: (weights.cumsum(1) <= u[..., None]).sum(-1)),
            _with_draw(lambda weights, u: (weights.cumsum(1) > u[..., None]).int().argmax(-1)),
        ),
    ),
    Mistake(
        "one-draw-for-all",
        _with_draw(lambda weights, u: _drawn(weights, u[:, :1].expand_as(u))),
        (_with_draw(lambda weights, u: _drawn(weights, u[:, -1:].expand_as(u))),),
        case=TWO_SENTENCES,
    ),
    Mistake(
        "u-not-used",
        _with_draw(lambda weights, u: torch.multinomial(weights.flatten(0, 1), 1).view(u.shape)),
        (
            _with_draw(lambda weights, u: torch.distributions.Categorical(weights).sample()),
            _with_draw(lambda weights, u: _drawn(weights, torch.rand_like(u))),
        ),
    ),
    Mistake(
        "from-the-far-end",
        _with_draw(lambda weights, u: weights.shape[-1] - 1 - _drawn(weights.flip(-1), u)),
        (_with_draw(lambda weights, u: _drawn(weights, 1 - u)),),
    ),
    Mistake(
        "first-sentence-read",
        lambda weights, u, states: states[0][_drawn(weights, u)],
        case=TWO_SENTENCES,
    ),
    Mistake(
        "scaled-by-its-weight",
        lambda weights, u, states: (_hot(weights, u) * weights) @ states,
    ),
    Mistake("positions-returned", lambda weights, u, states: _drawn(weights, u)),
    Mistake("weights-returned", lambda weights, u, states: _hot(weights, u)),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "weights": torch.tensor([[[0.25, 0.25, 0.5], [0.125, 0.75, 0.125]]]),
        "u": torch.tensor([[0.3, 0.05]]),
        "states": torch.tensor([[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]]),
    }


def _borders(generator: torch.Generator) -> Inputs:
    return {
        "weights": torch.tensor([[[0.0, 0.25, 0.75], [0.5, 0.0, 0.5], [0.25, 0.25, 0.5]]]),
        "u": torch.tensor([[0.0, 0.5, 0.25]]),
        "states": torch.tensor([[[1.0], [2.0], [3.0]]]),
    }


def _two_sentences(generator: torch.Generator) -> Inputs:
    row = [0.5, 0.25, 0.25]
    return {
        "weights": torch.tensor([[row, row, row], [row, row, row]]),
        "u": torch.tensor([[0.1, 0.6, 0.9], [0.8, 0.3, 0.7]]),
        "states": torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]),
    }


def _random(
    batch: int, queries: int, source: int, d_key: int, *, masked: int = 0, double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    """Weights in steps of 1/64, so that every way of adding them up gives the same ends."""
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator}
        allowed = source - masked
        falls = torch.randint(allowed, (batch, queries, 64), **options)
        counts = F.one_hot(falls, source).sum(-2)
        at = (torch.randint(64, (batch, queries), **options) + 0.5) / 64
        return {
            "weights": counts.to(dtype) / 64,
            "u": at.to(dtype),
            "states": torch.randn(batch, source, d_key, dtype=dtype, **options),
        }

    return make


CASES = (
    Case(_("two queries, three words"), _hand),
    Case(ON_A_BORDER, _borders),
    Case(TWO_SENTENCES, _two_sentences),
    Case(_("three sentences of seven words"), _random(3, 5, 7, 2), seed=1),
    Case(_("two sentences of five words and padding"), _random(2, 11, 7, 3, masked=2), seed=2),
    Case(_("as many queries as words and sentences"), _random(3, 3, 3, 3), seed=3),
    Case(_("one word"), _random(2, 3, 1, 5), seed=4),
    Case(_("float64"), _random(5, 13, 3, 2, double=True), seed=5),
)

ANSWERS = Answers(
    solution=read_one,
    alternatives=(with_searchsorted, with_one_hot, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
