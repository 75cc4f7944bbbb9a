"""Exercise: Luong's decoder with input feeding (Luong, Pham and Manning, 2015, section 3.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _


def attentional_states(
    words: torch.Tensor, state: torch.Tensor, states: torch.Tensor,
    cell: "Function", attend: "Function", W_c: torch.Tensor,
) -> torch.Tensor:  # fmt: skip
    fed, steps = torch.zeros_like(state), []
    for word in words.unbind(dim=1):
        state = cell(torch.cat([word, fed], dim=-1), state)  # [batch, d_state]
        context = attend(state, states)  # [batch, d_key]
        fed = torch.tanh(torch.cat([context, state], dim=-1) @ W_c.T)
        steps.append(fed)
    return torch.stack(steps, dim=1)


Function = Callable[[Tensor, Tensor], Tensor]


def with_two_products(
    words: Tensor, state: Tensor, states: Tensor, cell: Function, attend: Function, W_c: Tensor
) -> Tensor:
    d_key = states.shape[-1]
    from_context, from_state = W_c[:, :d_key], W_c[:, d_key:]
    read = [state.new_zeros(state.shape)]
    for i in range(words.shape[1]):
        state = cell(torch.hstack([words[:, i], read[-1]]), state)
        mixed = attend(state, states) @ from_context.T + state @ from_state.T
        read.append(mixed.tanh())
    return torch.stack(read[1:]).transpose(0, 1)


def with_a_step(
    words: Tensor, state: Tensor, states: Tensor, cell: Function, attend: Function, W_c: Tensor
) -> Tensor:
    def step(word: Tensor, fed: Tensor, old: Tensor) -> tuple[Tensor, Tensor]:
        new = cell(torch.cat((word, fed), 1), old)
        both = torch.cat((attend(new, states), new), 1)
        return torch.tanh(torch.einsum("ij,bj->bi", W_c, both)), new

    fed, out = 0 * state, []
    for i in range(words.size(1)):
        fed, state = step(words[:, i, :], fed, state)
        out.append(fed[:, None])
    return torch.cat(out, dim=1)


# ---- Functions that a case names by a text, so that a report can show them


def _drawn(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _sum(inputs: Tensor, state: Tensor) -> Tensor:
    return state + inputs.sum(-1, keepdim=True)


def _product(query: Tensor, states: Tensor) -> Tensor:
    return query * states.sum(1)


def _gated(inputs: Tensor, state: Tensor) -> Tensor:
    """A GRU without its reset gate, with fixed maps."""
    width = state.shape[-1]
    both = torch.cat([inputs, state], dim=-1)
    both = both / both.shape[-1] ** 0.5  # else rounding would grow from step to step
    z, n = (both @ _drawn(both.shape[-1], width, seed=seed).to(both) for seed in (4, 5))
    return torch.lerp(torch.tanh(n), state, torch.sigmoid(z))


def _attention(query: Tensor, states: Tensor) -> Tensor:
    """Attention by the general score, with a fixed map."""
    W_a = _drawn(query.shape[-1], states.shape[-1], seed=6).to(query)
    weights = torch.softmax(torch.einsum("bq,qk,bsk->bs", query, W_a, states), dim=-1)
    return (weights[..., None] * states).sum(1)


SUM, PRODUCT = _("state + sum of the input"), _("query * sum of the states")
GATED, ATTENTION = _("a gated cell with fixed maps"), _("attention with a fixed map")
FUNCTIONS: dict[str, Function] = {
    SUM: _sum,
    PRODUCT: _product,
    GATED: _gated,
    ATTENTION: _attention,
}


# ---- Mistakes

SQUARE = _("as many steps as sentences")
ONE_WIDTH = _("words and states of equal width")


@dataclass(frozen=True)
class Step:
    """What a step has computed.

    Args:
        old: the state before it.
        state: the state after it.
        context: what it has read.
        attentional: the mix of both.
    """

    old: Tensor
    state: Tensor
    context: Tensor
    attentional: Tensor


def _pair(first: Tensor, second: Tensor) -> Tensor:
    return torch.cat([first, second], dim=-1)


def _mixed(context: Tensor, state: Tensor, W_c: Tensor) -> Tensor:
    return torch.tanh(_pair(context, state) @ W_c.T)


def _decoder(
    *,
    starts: Callable[[Tensor, Tensor], Tensor] = lambda state, states: torch.zeros_like(state),
    feeds: Callable[[Step], Tensor] = lambda step: step.attentional,
    carries: Callable[[Step], Tensor] = lambda step: step.state,
    returns: Callable[[Step], Tensor] = lambda step: step.attentional,
    asks: Callable[[Tensor, Tensor], Tensor] = lambda old, new: new,
    joins: Callable[[Tensor, Tensor], Tensor] = _pair,
    mixes: Callable[[Tensor, Tensor, Tensor], Tensor] = _mixed,
    gathers: Callable[[list[Tensor]], Tensor] = lambda steps: torch.stack(steps, dim=1),
) -> Callable[..., Tensor]:
    """The solution with one thing changed."""

    def wrong(
        words: Tensor, state: Tensor, states: Tensor, cell: Function, attend: Function, W_c: Tensor
    ) -> Tensor:
        fed, steps = starts(state, states), []
        for word in words.unbind(dim=1):
            new = cell(joins(word, fed), state)
            context = attend(asks(state, new), states)
            step = Step(state, new, context, mixes(context, new, W_c))
            fed, state = feeds(step), carries(step)
            steps.append(returns(step))
        return gathers(steps)

    return wrong


MISTAKES = (
    Mistake(
        "nothing-fed",
        _decoder(feeds=lambda step: torch.zeros_like(step.state)),
        (_decoder(joins=lambda word, fed: word),),
    ),
    Mistake(
        "context-fed",
        _decoder(feeds=lambda step: step.context),
        (_decoder(feeds=lambda step: step.context, starts=lambda state, states: 0 * states[:, 0]),),
    ),
    Mistake("state-fed", _decoder(feeds=lambda step: step.state)),
    Mistake(
        "first-step-fed",
        _decoder(starts=lambda state, states: state),
        (_decoder(starts=lambda state, states: torch.ones_like(state)),),
    ),
    Mistake("old-state-asks", _decoder(asks=lambda old, new: old)),
    Mistake(
        "attentional-state-for-state",
        _decoder(carries=lambda step: step.attentional),
        (
            _decoder(carries=lambda step: step.attentional, joins=lambda word, fed: word),
            _decoder(
                carries=lambda step: step.attentional,
                feeds=lambda step: torch.zeros_like(step.state),
            ),
        ),
    ),
    Mistake("state-not-carried", _decoder(carries=lambda step: step.old)),
    Mistake(
        "order-under-the-tanh",
        _decoder(mixes=lambda context, state, W_c: _mixed(state, context, W_c)),
    ),
    Mistake("order-of-the-input", _decoder(joins=lambda word, fed: _pair(fed, word))),
    Mistake(
        "word-and-fed-added",
        _decoder(joins=lambda word, fed: word + fed),
        case=ONE_WIDTH,
    ),
    Mistake(
        "tanh-missing",
        _decoder(mixes=lambda context, state, W_c: _pair(context, state) @ W_c.T),
    ),
    Mistake(
        "tanh-inside",
        _decoder(mixes=lambda context, state, W_c: _pair(context, state).tanh() @ W_c.T),
    ),
    Mistake("states-returned", _decoder(returns=lambda step: step.state)),
    Mistake(
        "last-step-only",
        _decoder(gathers=lambda steps: steps[-1]),
        (
            _decoder(gathers=lambda steps: steps[-1][:, None]),
            _decoder(gathers=lambda steps: steps[0]),
        ),
    ),
    Mistake("steps-first", _decoder(gathers=torch.stack), case=SQUARE),
    Mistake("fed-detached", _decoder(feeds=lambda step: step.attentional.detach())),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "words": torch.tensor([[[1.0], [2.0]]]),
        "state": torch.tensor([[1.0]]),
        "states": torch.tensor([[[0.25], [0.25]]]),
        "cell": SUM,
        "attend": PRODUCT,
        "W_c": torch.tensor([[0.2, 0.1]]),
    }


def _random(
    batch: int, steps: int, source: int, d_word: int, d_state: int, d_key: int,
    *, double: bool = False,
) -> Callable[[torch.Generator], Inputs]:  # fmt: skip
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "words": torch.randn(batch, steps, d_word, **options),
            "state": torch.randn(batch, d_state, **options),
            "states": torch.randn(batch, source, d_key, **options),
            "cell": GATED,
            "attend": ATTENTION,
            "W_c": torch.randn(d_state, d_key + d_state, **options) / (d_key + d_state) ** 0.5,
        }

    return make


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(2, 3, 5, 3, 2, 3, double=True)(generator)
    return {
        name: value.requires_grad_() if isinstance(value, Tensor) else value
        for name, value in inputs.items()
    }


CASES = (
    Case(_("two steps, every vector one number"), _hand),
    Case(_("three sentences, five steps"), _random(3, 5, 7, 2, 11, 13), seed=1),
    Case(_("two sentences, seven steps"), _random(2, 7, 3, 5, 3, 2), seed=2),
    Case(SQUARE, _random(3, 3, 5, 2, 7, 11), seed=3),
    Case(ONE_WIDTH, _random(2, 5, 3, 7, 7, 11), seed=4),
    Case(_("all widths equal"), _random(2, 3, 7, 5, 5, 5), seed=5),
    Case(_("one step"), _random(3, 1, 2, 5, 7, 3), seed=6),
    Case(_("float64"), _random(5, 2, 7, 3, 11, 2, double=True), seed=7),
    Case(_("the gradients of three steps"), _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=attentional_states,
    alternatives=(with_two_products, with_a_step),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_with(FUNCTIONS),
)
