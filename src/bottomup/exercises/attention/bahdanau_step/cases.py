"""Cases of one step of a decoder with attention (Bahdanau et al., 2015, section 3.1)."""

from collections.abc import Callable
from math import log
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _

# ---- Functions that a case names by a text, so that a report can show them


def fixed(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def dot(query: Tensor, key: Tensor) -> Tensor:
    return (query[:, None] * key).sum(-1)


def additive(query: Tensor, key: Tensor) -> Tensor:
    W_a, U_a = fixed(7, query.shape[-1], seed=1), fixed(7, key.shape[-1], seed=2)
    bent = torch.tanh((query @ W_a.to(query).T)[:, None] + key @ U_a.to(key).T)
    return bent @ fixed(7, seed=3).to(key)


def digits(input: Tensor, state: Tensor) -> Tensor:
    """What went in can be read off the sum."""
    return state + 10 * input[:, :1] + 100 * input[:, -1:]


def gated(input: Tensor, state: Tensor) -> Tensor:
    """A GRU without its reset gate, with fixed maps."""
    width = state.shape[-1]
    both = torch.cat([input, state], dim=-1) / 2
    z, n = (both @ fixed(both.shape[-1], width, seed=seed).to(both) for seed in (4, 5))
    return torch.lerp(torch.tanh(n), state, torch.sigmoid(z))


DOT, ADDITIVE = _("the dot product of query and key"), _("an additive score with fixed maps")
DIGITS = _("state + 10 * first number of the input + 100 * last number of the input")
GATED = _("a gated cell with fixed maps")
FUNCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    DOT: dot,
    ADDITIVE: additive,
    DIGITS: digits,
    GATED: gated,
}
FIXED: dict[str, Any] = {"score": ADDITIVE, "cell": GATED}


# ---- Cases


def zero(*at: int) -> Callable[[Tensor], Tensor]:
    """Return a function that makes the vector at a place zero."""

    def changed(vectors: Tensor) -> Tensor:
        vectors[at] = 0.0
        return vectors

    return changed


CASES = (
    case(
        _("one sentence of two words; the weights are 1/4 and 3/4"),
        state=tensor([[1.0, 0.0]]),
        word=tensor([[5.0]]),
        states=tensor([[[0.0, 4.0], [log(3), 8.0]]]),
        score=DOT,
        cell=DIGITS,
        gives=tensor([[1.0 + 50 + 700, 50 + 700]]),  # the context ends in 4 / 4 + 8 * 3 / 4 = 7
    ),
    case(
        _("large scores"),
        state=tensor([[1000.0, 0.0], [-1000.0, 0.0]]),
        word=tensor([[5.0], [7.0]]),
        states=tensor([[[1.0, 4.0], [1 + log(3) / 1000, 8.0]], [[1.0, 2.0], [4.0, 6.0]]]),
        score=DOT,
        cell=DIGITS,
        # 1000, 1000 + log 3 and -1000, -4000: weights 1/4, 3/4 and 1, 0; contexts end in 7 and 2
        gives=tensor([[1000.0 + 50 + 700, 50 + 700], [-1000.0 + 70 + 200, 70 + 200]]),
    ),
    case(
        _("three sentences of five words"),
        seed=1,
        state=normal(3, 7),
        word=normal(3, 2),
        states=normal(3, 5, 11),
        **FIXED,
    ),
    case(
        _("two sentences of seven words"),
        seed=2,
        state=normal(2, 3),
        word=normal(2, 5),
        states=normal(2, 7, 2),
        **FIXED,
    ),
    case(
        _("word and states of equal width"),
        seed=3,
        state=normal(2, 5),
        word=normal(2, 7),
        states=normal(2, 3, 7),
        **FIXED,
    ),
    case(
        _("all widths equal"),
        seed=4,
        state=normal(2, 5),
        word=normal(2, 5),
        states=normal(2, 3, 5),
        **FIXED,
    ),
    case(
        _("as many words as sentences"),
        seed=5,
        state=normal(3, 2),
        word=normal(3, 5),
        states=normal(3, 3, 7),
        **FIXED,
    ),
    case(
        _("one word"),
        seed=6,
        state=normal(2, 3),
        word=normal(2, 2),
        states=normal(2, 1, 5),
        **FIXED,
    ),
    case(
        _("vectors of zeros"),
        seed=9,
        state=normal(3, 2).then(zero(0)),
        word=normal(3, 5).then(zero(1)),
        states=normal(3, 2, 7).then(zero(2, 0)),
        **FIXED,
    ),
    case(
        _("float64"),
        seed=7,
        state=normal(5, 3, dtype=torch.float64),
        word=normal(5, 11, dtype=torch.float64),
        states=normal(5, 2, 7, dtype=torch.float64),
        **FIXED,
    ),
    case(
        _("the gradients of a small case"),
        seed=8,
        state=normal(2, 2, dtype=torch.float64).with_gradient(),
        word=normal(2, 3, dtype=torch.float64).with_gradient(),
        states=normal(2, 3, 5, dtype=torch.float64).with_gradient(),
        **FIXED,
    ),
)

run = run_with(FUNCTIONS)
