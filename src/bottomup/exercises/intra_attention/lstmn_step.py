"""Exercise: one step of the LSTM-network of Cheng, Dong and Lapata (2016, section 3.2)."""

from collections.abc import Callable
from math import log
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.intra_attention.pairs import compare_pair, run_on_pair
from bottomup.i18n import _

Pair = tuple[Tensor, Tensor]


def lstmn_step(
    word: torch.Tensor, weights: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor,
    W: torch.Tensor, b: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    read_h = (weights[:, :, None] * hidden).sum(dim=1)  # [batch, d_state]
    read_c = (weights[:, :, None] * cell).sum(dim=1)
    gates = torch.cat([read_h, word], dim=-1) @ W.T + b  # [batch, 4 d_state]
    i, f, o, g = gates.chunk(4, dim=-1)
    c = f.sigmoid() * read_c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return torch.cat([hidden, h[:, None]], dim=1), torch.cat([cell, c[:, None]], dim=1)


def with_linear(
    word: Tensor, weights: Tensor, hidden: Tensor, cell: Tensor, W: Tensor, b: Tensor
) -> Pair:
    read = weights.unsqueeze(1) @ torch.cat([hidden, cell], dim=-1)  # [batch, 1, 2 d_state]
    h, c = read.squeeze(1).chunk(2, dim=-1)
    gates = torch.nn.functional.linear(torch.cat([h, word], dim=-1), W, b)
    i, f, o, g = gates.unflatten(-1, (4, -1)).unbind(-2)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    written = torch.cat([hidden, h.unsqueeze(1)], 1), torch.cat([cell, c.unsqueeze(1)], 1)
    return written


def with_loops(
    word: Tensor, weights: Tensor, hidden: Tensor, cell: Tensor, W: Tensor, b: Tensor
) -> Pair:
    d = hidden.shape[-1]
    new_hidden, new_cell = [], []
    for n in range(len(word)):
        h = c = word.new_zeros(d)
        for w, old_h, old_c in zip(weights[n], hidden[n], cell[n], strict=True):
            h, c = h + w * old_h, c + w * old_c
        parts = [W[k * d : (k + 1) * d] for k in range(4)]
        biases = [b[k * d : (k + 1) * d] for k in range(4)]
        i, f, o, g = (
            part[:, :d] @ h + part[:, d:] @ word[n] + bias
            for part, bias in zip(parts, biases, strict=True)
        )
        new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        new_hidden.append(torch.cat([hidden[n], (o.sigmoid() * new_c.tanh())[None]]))
        new_cell.append(torch.cat([cell[n], new_c[None]]))
    return torch.stack(new_hidden), torch.stack(new_cell)


# ---- The step in parts, each of which a mistake replaces

Answer = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Pair]
Read = Callable[[Tensor, Tensor], Tensor]  # weights, tape -> reading
Gates = Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, ...]]
States = Callable[[tuple[Tensor, ...], Tensor], Pair]  # parts, reading of the cells -> h, c
Write = Callable[[Tensor, Tensor], Tensor]  # tape, state -> tape

PARTS = ("i", "f", "o", "g")


def weighted(weights: Tensor, tape: Tensor) -> Tensor:
    return (weights[:, None] @ tape)[:, 0]


def right_gates(reading: Tensor, word: Tensor, W: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    return (torch.cat([reading, word], dim=-1) @ W.T + b).chunk(4, dim=-1)


def right_states(parts: tuple[Tensor, ...], reading: Tensor) -> Pair:
    i, f, o, g = parts
    c = f.sigmoid() * reading + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def appended(tape: Tensor, state: Tensor) -> Tensor:
    return torch.cat([tape, state[:, None]], dim=1)


def step(
    *,
    read: Read = weighted,
    read_cell: Read | None = None,
    read_for_gates: Read | None = None,
    gates: Gates = right_gates,
    states: States = right_states,
    write: Write = appended,
) -> Answer:
    """The right step with some of its parts replaced."""

    def answer(
        word: Tensor, weights: Tensor, hidden: Tensor, cell: Tensor, W: Tensor, b: Tensor
    ) -> Pair:
        parts = gates((read_for_gates or read)(weights, hidden), word, W, b)
        h, c = states(parts, (read_cell or read)(weights, cell))
        return write(hidden, h), write(cell, c)

    return answer


# ---- Mistakes in reading


def _last(weights: Tensor, tape: Tensor) -> Tensor:
    return tape[:, -1]


def _last_or_zero(weights: Tensor, tape: Tensor) -> Tensor:
    return tape[:, -1] if tape.shape[1] else tape.new_zeros(len(tape), tape.shape[-1])


def _mean(weights: Tensor, tape: Tensor) -> Tensor:
    return tape.mean(dim=1)


def _mean_or_zero(weights: Tensor, tape: Tensor) -> Tensor:
    return tape.sum(dim=1) / max(tape.shape[1], 1)


def _sum(weights: Tensor, tape: Tensor) -> Tensor:
    return tape.sum(dim=1)


def _averaged(weights: Tensor, tape: Tensor) -> Tensor:
    return (weights[..., None] * tape).mean(dim=1)


def _averaged_or_zero(weights: Tensor, tape: Tensor) -> Tensor:
    return weighted(weights, tape) / max(tape.shape[1], 1)


def _softened(weights: Tensor, tape: Tensor) -> Tensor:
    return weighted(weights.softmax(dim=-1), tape)


def _hidden_twice(
    word: Tensor, weights: Tensor, hidden: Tensor, cell: Tensor, W: Tensor, b: Tensor
) -> Pair:
    new_hidden, new_cell = step()(word, weights, hidden, hidden, W, b)
    return new_hidden, appended(cell, new_cell[:, -1])


READING = (
    Mistake("last-states-read", step(read=_last_or_zero), (step(read=_last),)),
    Mistake("last-cell-read", step(read_cell=_last_or_zero), (step(read_cell=_last),)),
    Mistake(
        "gates-from-the-last-state",
        step(read_for_gates=_last_or_zero),
        (step(read_for_gates=_last),),
    ),
    Mistake("hidden-tape-read-twice", _hidden_twice),
    Mistake("weights-unused", step(read=_mean), (step(read=_mean_or_zero), step(read=_sum))),
    Mistake("divided-by-the-length", step(read=_averaged), (step(read=_averaged_or_zero),)),
    Mistake("weights-normalised-twice", step(read=_softened)),
)


# ---- Mistakes in the gates

LARGE_CELLS = _("cells beyond 1")


def _ordered(order: str) -> Gates:
    """The parts of W taken for i, f, o and g in another order."""

    def gates(reading: Tensor, word: Tensor, W: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        parts = dict(zip(order, right_gates(reading, word, W, b), strict=True))
        return tuple(parts[name] for name in PARTS)

    return gates


def _word_first(reading: Tensor, word: Tensor, W: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    return (torch.cat([word, reading], dim=-1) @ W.T + b).chunk(4, dim=-1)


def _without_bias(reading: Tensor, word: Tensor, W: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    return right_gates(reading, word, W, torch.zeros_like(b))


def _states(
    *,
    gate: Callable[[Tensor], Tensor] = torch.sigmoid,
    taken_in: Callable[[Tensor], Tensor] = torch.tanh,
    shown: Callable[[Tensor], Tensor] = torch.tanh,
    coupled: bool = False,
    forgetful: bool = True,
    shows_reading: bool = False,
) -> States:
    def states(parts: tuple[Tensor, ...], reading: Tensor) -> Pair:
        i, f, o = map(gate, parts[:3])
        kept = (1 - i if coupled else f) if forgetful else 1.0
        c = kept * reading + i * taken_in(parts[3])
        return o * shown(reading if shows_reading else c), c

    return states


GATES = (
    Mistake(
        "gates-in-another-order",
        step(gates=_ordered("ifgo")),
        tuple(
            step(gates=_ordered(order))
            for order in ("fiog", "figo", "fogi", "gifo", "iofg", "oifg", "iogf", "igfo", "ofig")
        ),
    ),
    Mistake("word-before-the-reading", step(gates=_word_first)),
    Mistake("bias-missing", step(gates=_without_bias)),
    Mistake("sigmoid-on-g", step(states=_states(taken_in=torch.sigmoid))),
    Mistake("g-without-tanh", step(states=_states(taken_in=lambda g: g))),
    Mistake(
        "gates-without-sigmoid",
        step(states=_states(gate=lambda part: part)),
        (step(states=_states(gate=torch.tanh)),),
    ),
    Mistake("forget-gate-missing", step(states=_states(forgetful=False))),
    Mistake("one-minus-i-forgets", step(states=_states(coupled=True))),
    Mistake("old-cell-shown", step(states=_states(shows_reading=True))),
    Mistake(
        "last-tanh-missing",
        step(states=_states(shown=lambda c: c)),
        case=LARGE_CELLS,
    ),
)


# ---- Mistakes in writing


def _readings_written(
    word: Tensor, weights: Tensor, hidden: Tensor, cell: Tensor, W: Tensor, b: Tensor
) -> Pair:
    return appended(hidden, weighted(weights, hidden)), appended(cell, weighted(weights, cell))


def _put_first(tape: Tensor, state: Tensor) -> Tensor:
    return torch.cat([state[:, None], tape], dim=1)


def _swapped(*inputs: Tensor) -> Pair:
    hidden, cell = step()(*inputs)
    return cell, hidden


WRITING = (
    Mistake("readings-written", _readings_written),
    Mistake(
        "only-the-new-states",
        step(write=lambda tape, state: state),
        (step(write=lambda tape, state: state[:, None]),),
    ),
    Mistake("newest-first", step(write=_put_first)),
    Mistake("tapes-swapped", _swapped),
)

MISTAKES = (*READING, *GATES, *WRITING)


# ---- Cases


def _random(
    *sizes: int, double: bool = False, cells: float = 1.0
) -> Callable[[torch.Generator], Inputs]:
    batch, past, d_word, d_state = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "word": torch.randn(batch, d_word, **options),
            "weights": torch.randn(batch, past, **options).mul(2).softmax(dim=-1),
            "hidden": torch.randn(batch, past, d_state, **options).tanh(),
            "cell": cells * torch.randn(batch, past, d_state, **options),
            "W": torch.randn(4 * d_state, d_state + d_word, **options) / 2,
            "b": torch.randn(4 * d_state, **options),
        }

    return make


def _hand(generator: torch.Generator) -> Inputs:
    # the readings are 1/2 and 1/5; i and o are 1/2, f = 3/4 and tanh(g) = 4/5
    return {
        "word": torch.tensor([[1.0]]),
        "weights": torch.tensor([[0.25, 0.75]]),
        "hidden": torch.tensor([[[0.5], [0.5]]]),
        "cell": torch.tensor([[[0.8], [0.0]]]),
        "W": torch.tensor([[2.0, -1.0], [2 * log(3), 0.0], [2.0, 0.0], [0.0, log(3)]]),
        "b": torch.tensor([0.0, 0.0, -1.0, 0.0]),
    }


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 2, 1, 2)(generator)
    return {name: tensor.requires_grad_() for name, tensor in inputs.items()}


CASES = (
    Case(_("two states on the tape, one number each"), _hand),
    Case(_("a batch"), _random(2, 3, 7, 5), seed=1),
    Case(_("one state on the tape"), _random(2, 1, 3, 5), seed=2),
    Case(_("the first word"), _random(2, 0, 5, 3), seed=3),
    Case(_("word and state of equal width"), _random(2, 5, 3, 3), seed=4),
    Case(_("as many sentences as states"), _random(3, 3, 3, 2), seed=5),
    Case(LARGE_CELLS, _random(1, 2, 1, 2, cells=5.0), seed=6),
    Case(_("float64"), _random(3, 2, 3, 2, double=True), seed=7),
    Case(_("the gradients of a small case"), _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=lstmn_step,
    alternatives=(with_linear, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_on_pair,
    compare=compare_pair("hidden", "cell"),
)
