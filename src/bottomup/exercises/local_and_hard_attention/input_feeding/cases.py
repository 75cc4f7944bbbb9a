"""Cases of Luong's decoder with input feeding (Luong, Pham and Manning, 2015, section 3.3)."""

from math import tanh
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _

# ---- Functions that a case names by a text, so that a report can show them


def summed(inputs: Tensor, state: Tensor) -> Tensor:
    return state + inputs.sum(-1, keepdim=True)


def product(query: Tensor, states: Tensor) -> Tensor:
    return query * states.sum(1)


def gated(inputs: Tensor, state: Tensor) -> Tensor:
    """A GRU without its reset gate, with fixed maps."""
    width = state.shape[-1]
    both = torch.cat([inputs, state], dim=-1)
    both = both / both.shape[-1] ** 0.5  # else rounding would grow from step to step
    z, n = (both @ fixed(both.shape[-1], width, seed=seed).to(both) for seed in (4, 5))
    return torch.lerp(torch.tanh(n), state, torch.sigmoid(z))


def attention(query: Tensor, states: Tensor) -> Tensor:
    """Attention by the general score, with a fixed map."""
    W_a = fixed(query.shape[-1], states.shape[-1], seed=6).to(query)
    weights = torch.softmax(torch.einsum("bq,qk,bsk->bs", query, W_a, states), dim=-1)
    return (weights[..., None] * states).sum(1)


def fixed(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


SUM, PRODUCT = _("state + sum of the input"), _("query * sum of the states")
GATED, ATTENTION = _("a gated cell with fixed maps"), _("attention with a fixed map")
run = run_with({SUM: summed, PRODUCT: product, GATED: gated, ATTENTION: attention})


def decoder(
    batch: int, steps: int, source: int, d_word: int, d_state: int, d_key: int,
    *, dtype: torch.dtype = torch.float32,
) -> dict[str, Any]:  # fmt: skip
    """Random inputs of these sizes."""
    joined = d_key + d_state
    return {
        "words": normal(batch, steps, d_word, dtype=dtype),
        "state": normal(batch, d_state, dtype=dtype),
        "states": normal(batch, source, d_key, dtype=dtype),
        "cell": GATED,
        "attend": ATTENTION,
        "W_c": normal(d_state, joined, dtype=dtype).then(lambda W_c: W_c / joined**0.5),
    }


# the states are 1 + 1 = 2 and 2 + 2 + the vector fed; the context is half the state
FIRST = tanh(0.2 * 1 + 0.1 * 2)
SECOND = tanh(0.2 * (4 + FIRST) / 2 + 0.1 * (4 + FIRST))

CASES = (
    case(
        _("two steps, every vector one number"),
        words=tensor([[[1.0], [2.0]]]),
        state=tensor([[1.0]]),
        states=tensor([[[0.25], [0.25]]]),
        cell=SUM,
        attend=PRODUCT,
        W_c=tensor([[0.2, 0.1]]),
        gives=tensor([[[FIRST], [SECOND]]]),
    ),
    case(_("three sentences, five steps"), seed=1, **decoder(3, 5, 7, 2, 11, 13)),
    case(_("two sentences, seven steps"), seed=2, **decoder(2, 7, 3, 5, 3, 2)),
    case(_("as many steps as sentences"), seed=3, **decoder(3, 3, 5, 2, 7, 11)),
    case(_("words and states of equal width"), seed=4, **decoder(2, 5, 3, 7, 7, 11)),
    case(_("all widths equal"), seed=5, **decoder(2, 3, 7, 5, 5, 5)),
    case(_("one step"), seed=6, **decoder(3, 1, 2, 5, 7, 3)),
    case(_("float64"), seed=7, **decoder(5, 2, 7, 3, 11, 2, dtype=torch.float64)),
    case(
        _("the gradients of three steps"),
        seed=8,
        **{
            name: value.with_gradient() if isinstance(value, Drawn) else value
            for name, value in decoder(2, 3, 5, 3, 2, 3, dtype=torch.float64).items()
        },
    ),
)
