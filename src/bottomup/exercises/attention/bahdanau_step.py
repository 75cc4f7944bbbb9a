"""Exercise: one step of a decoder with attention (Bahdanau et al., 2015, section 3.1)."""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _


def decoder_step(
    state: torch.Tensor, word: torch.Tensor, states: torch.Tensor, score: "Score", cell: "Cell"
) -> torch.Tensor:
    weights = torch.softmax(score(state, states), dim=-1)  # [batch, source]
    context = (weights[..., None] * states).sum(dim=1)  # [batch, d_key]
    return cell(torch.cat([word, context], dim=-1), state)


Score = Callable[[Tensor, Tensor], Tensor]
Cell = Callable[[Tensor, Tensor], Tensor]


def with_a_product(state: Tensor, word: Tensor, states: Tensor, score: Score, cell: Cell) -> Tensor:
    weights = score(state, states).softmax(1).unsqueeze(1)  # [batch, 1, source]
    context = torch.bmm(weights, states).squeeze(1)
    return cell(torch.hstack([word, context]), state)


def with_einsum(state: Tensor, word: Tensor, states: Tensor, score: Score, cell: Cell) -> Tensor:
    exponentials = torch.exp(score(state, states))
    read = torch.einsum("bs,bsd->bd", exponentials, states)
    context = read / exponentials.sum(dim=-1, keepdim=True)
    return cell(torch.cat((word, context), -1), state)


def with_loops(state: Tensor, word: Tensor, states: Tensor, score: Score, cell: Cell) -> Tensor:
    rows = []
    for b in range(len(states)):
        weights = torch.softmax(score(state[b : b + 1], states[b : b + 1])[0], dim=0)
        context = torch.zeros_like(states[b, 0])
        for weight, h in zip(weights, states[b], strict=True):
            context = context + weight * h
        inputs = torch.cat([word[b], context])
        rows.append(cell(inputs[None], state[b : b + 1])[0])
    return torch.stack(rows)


# ---- Functions that a case names by a text, so that a report can show them


def _drawn(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _dot(query: Tensor, key: Tensor) -> Tensor:
    return (query[:, None] * key).sum(-1)


def _additive(query: Tensor, key: Tensor) -> Tensor:
    W_a, U_a = _drawn(7, query.shape[-1], seed=1), _drawn(7, key.shape[-1], seed=2)
    bent = torch.tanh((query @ W_a.to(query).T)[:, None] + key @ U_a.to(key).T)
    return bent @ _drawn(7, seed=3).to(key)


def _digits(inputs: Tensor, state: Tensor) -> Tensor:
    """What went in can be read off the sum."""
    return state + 10 * inputs[:, :1] + 100 * inputs[:, -1:]


def _gated(inputs: Tensor, state: Tensor) -> Tensor:
    """A GRU without its reset gate, with fixed maps."""
    width = state.shape[-1]
    both = torch.cat([inputs, state], dim=-1) / 2
    z, n = (both @ _drawn(both.shape[-1], width, seed=seed).to(both) for seed in (4, 5))
    return torch.lerp(torch.tanh(n), state, torch.sigmoid(z))


DOT, ADDITIVE = _("the dot product of query and key"), _("an additive score with fixed maps")
DIGITS = _("state + 10 * first number of the input + 100 * last number of the input")
GATED = _("a gated cell with fixed maps")
FUNCTIONS: dict[str, Score | Cell] = {
    DOT: _dot,
    ADDITIVE: _additive,
    DIGITS: _digits,
    GATED: _gated,
}


# ---- Mistakes

Answer = Callable[[Tensor, Tensor, Tensor, Score, Cell], Tensor]
BATCH = _("three sentences of five words")
ONE_WIDTH = _("word and states of equal width")


def _read(weights: Tensor, states: Tensor) -> Tensor:
    return (weights[..., None] * states).sum(1)


def _with_context(context: Callable[[Tensor, Tensor], Tensor]) -> Answer:
    """Right but for the context, made of the scores and the states."""
    return lambda state, word, states, score, cell: cell(
        torch.cat([word, context(score(state, states), states)], -1), state
    )


def _with_step(step: Callable[[Tensor, Tensor, Tensor, Cell], Tensor]) -> Answer:
    """Right up to the context; then state, word and context go into the cell in another way."""
    return lambda state, word, states, score, cell: step(
        state, word, _read(score(state, states).softmax(-1), states), cell
    )


def _asked_by(query: Callable[[Tensor, Tensor, Tensor, Cell], Tensor], then: bool) -> Answer:
    """Another query; `then` also hands it to the cell as its state."""

    def wrong(state: Tensor, word: Tensor, states: Tensor, score: Score, cell: Cell) -> Tensor:
        asks = query(state, word, states, cell)
        context = _read(score(asks, states).softmax(-1), states)
        return cell(torch.cat([word, context], -1), asks if then else state)

    return wrong


def _word_alone(state: Tensor, word: Tensor, states: Tensor, cell: Cell) -> Tensor:
    return cell(word, state)


def _word_and_nothing(state: Tensor, word: Tensor, states: Tensor, cell: Cell) -> Tensor:
    return cell(torch.cat([word, torch.zeros_like(states[:, 0])], -1), state)


MISTAKES = (
    Mistake(
        "new-state-asks",
        _asked_by(_word_and_nothing, then=False),
        (
            _asked_by(_word_alone, then=False),
            _asked_by(_word_alone, then=True),
            _asked_by(_word_and_nothing, then=True),
        ),
    ),
    Mistake(
        "divided-by-the-length",
        _with_context(lambda scores, states: _read(scores.softmax(-1), states) / states.shape[1]),
    ),
    Mistake("word-asks", _asked_by(lambda state, word, states, cell: word, then=False)),
    Mistake(
        "mean-of-the-states",
        _with_context(lambda scores, states: states.mean(1)),
        (_with_context(lambda scores, states: states.sum(1)),),
    ),
    Mistake(
        "softmax-twice",
        _with_context(lambda scores, states: _read(scores.softmax(-1).softmax(-1), states)),
    ),
    Mistake(
        "last-state-only",
        _with_context(lambda scores, states: states[:, -1]),
        (_with_context(lambda scores, states: states[:, 0]),),
    ),
    Mistake(
        "largest-only",
        _with_context(lambda scores, states: states[torch.arange(len(states)), scores.argmax(-1)]),
    ),
    Mistake("softmax-missing", _with_context(_read)),
    Mistake(
        "softmax-over-the-batch",
        _with_context(lambda scores, states: _read(scores.softmax(0), states)),
        case=BATCH,
    ),
    Mistake(
        "scores-scaled",
        _with_context(
            lambda scores, states: _read((scores / sqrt(states.shape[-1])).softmax(-1), states)
        ),
        (
            lambda state, word, states, score, cell: cell(
                torch.cat(
                    [
                        word,
                        _read(
                            (score(state, states) / sqrt(state.shape[-1])).softmax(-1),
                            states,
                        ),
                    ],
                    -1,
                ),
                state,
            ),
        ),
    ),
    Mistake(
        "summed-over-the-width",
        _with_context(lambda scores, states: (scores.softmax(-1)[..., None] * states).sum(-1)),
    ),
    Mistake(
        "sentences-mixed",
        _with_context(
            lambda scores, states: torch.einsum("bs,csd->bd", scores.softmax(-1), states)
        ),
        (
            _with_context(lambda scores, states: scores.softmax(-1) @ states[0]),
            _with_context(
                lambda scores, states: torch.einsum("cs,bsd->bd", scores.softmax(-1), states)
            ),
        ),
        case=BATCH,
    ),
    Mistake(
        "context-missing",
        _with_step(lambda state, word, context, cell: cell(word, state)),
        (
            _with_step(
                lambda state, word, context, cell: cell(
                    torch.cat([word, torch.zeros_like(context)], -1), state
                )
            ),
        ),
    ),
    Mistake("word-missing", _with_step(lambda state, word, context, cell: cell(context, state))),
    Mistake(
        "order-of-the-input",
        _with_step(lambda state, word, context, cell: cell(torch.cat([context, word], -1), state)),
    ),
    Mistake(
        "word-and-context-added",
        _with_step(lambda state, word, context, cell: cell(word + context, state)),
        case=ONE_WIDTH,
    ),
    Mistake(
        "old-state-lost",
        _with_step(
            lambda state, word, context, cell: cell(
                torch.cat([word, context], -1), torch.zeros_like(state)
            )
        ),
        (
            _with_step(
                lambda state, word, context, cell: cell(torch.cat([word, context], -1), context)
            ),
        ),
    ),
    Mistake("context-returned", _with_step(lambda state, word, context, cell: context)),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    """Scores 0 and log 3, weights 1/4 and 3/4; the context ends in 7."""
    return {
        "state": torch.tensor([[1.0, 0.0]]),
        "word": torch.tensor([[5.0]]),
        "states": torch.tensor([[[0.0, 4.0], [log(3), 8.0]]]),
        "score": DOT,
        "cell": DIGITS,
    }


def _random(
    batch: int, source: int, d_state: int, d_word: int, d_key: int, *, double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "state": torch.randn(batch, d_state, **options),
            "word": torch.randn(batch, d_word, **options),
            "states": torch.randn(batch, source, d_key, **options),
            "score": ADDITIVE,
            "cell": GATED,
        }

    return make


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(2, 3, 2, 3, 5, double=True)(generator)
    return {
        name: value.requires_grad_() if isinstance(value, Tensor) else value
        for name, value in inputs.items()
    }


CASES = (
    Case(_("one sentence of two words; the weights are 1/4 and 3/4"), _hand),
    Case(BATCH, _random(3, 5, 7, 2, 11), seed=1),
    Case(_("two sentences of seven words"), _random(2, 7, 3, 5, 2), seed=2),
    Case(ONE_WIDTH, _random(2, 3, 5, 7, 7), seed=3),
    Case(_("all widths equal"), _random(2, 3, 5, 5, 5), seed=4),
    Case(_("as many words as sentences"), _random(3, 3, 2, 5, 7), seed=5),
    Case(_("one word"), _random(2, 1, 3, 2, 5), seed=6),
    Case(_("float64"), _random(5, 2, 3, 11, 7, double=True), seed=7),
    Case(_("the gradients of a small case"), _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=decoder_step,
    alternatives=(with_a_product, with_einsum, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_with(FUNCTIONS),
)
