"""Cases of a block, pre-norm and post-norm: its functions have names that a report can show."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _

WIDTH = 4


def weights(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def attention(x: Tensor) -> Tensor:
    """Self-attention in one head."""
    query, key, value = (x @ weights(WIDTH, WIDTH, seed=seed).to(x) for seed in (1, 2, 3))
    return F.scaled_dot_product_attention(query, key, value)


def network(x: Tensor) -> Tensor:
    """A feed-forward network of seven neurons."""
    hidden = (x @ weights(WIDTH, 7, seed=4).to(x) + weights(7, seed=5).to(x)).relu()
    return hidden @ weights(7, WIDTH, seed=6).to(x)


def layer_norm(seed: int) -> Callable[[Tensor], Tensor]:
    """LayerNorm with a gain and a bias of its own."""
    gain, bias = 1 + 0.5 * weights(WIDTH, seed=seed), weights(WIDTH, seed=seed + 1)
    return lambda x: F.layer_norm(x, (WIDTH,), gain.to(x), bias.to(x))


ATTENTION, NETWORK = _("attention with fixed maps"), _("a feed-forward network with fixed maps")
FIRST_NORM, SECOND_NORM = _("LayerNorm with a first gain"), _("LayerNorm with a second gain")
SAME, NOTHING = _("the input itself"), _("nothing: zeros")
SUMMED = _("x + the sum over the positions")

run = run_with(
    {
        "3 x": lambda x: 3 * x,
        "x + 1": lambda x: x + 1,
        "x / 2": lambda x: x / 2,
        "x / 5": lambda x: x / 5,
        SAME: lambda x: x,
        SUMMED: lambda x: x + x.sum(dim=0),
        NOTHING: torch.zeros_like,
        ATTENTION: attention,
        NETWORK: network,
        FIRST_NORM: layer_norm(7),
        SECOND_NORM: layer_norm(9),
    }
)


def stream(positions: int, *, scale: float = 1.0, dtype: torch.dtype | None = None) -> Drawn:
    return normal(positions, WIDTH, scale=scale, dtype=dtype)


def wired(
    x: Drawn,
    kind: str,
    attend: str = ATTENTION,
    mlp: str = NETWORK,
    norm_1: str = FIRST_NORM,
    norm_2: str = SECOND_NORM,
) -> dict[str, Any]:
    """The inputs in the order of the answer's arguments."""
    functions = {"attend": attend, "mlp": mlp, "norm_1": norm_1, "norm_2": norm_2}
    return {"x": x, **functions, "kind": kind}


FOUR = tensor([[4.0]])
IN_THE_HEAD = ("3 x", "x + 1", "x / 2", "x / 5")

CASES = (
    case(
        _("one number, to be done in the head, pre-norm"),
        **wired(FOUR, "pre", *IN_THE_HEAD),
        gives=tensor([[13.0]]),  # 4 + 3 (4 / 2) = 10, then 10 + (10 / 5 + 1)
    ),
    case(
        _("one number, to be done in the head, post-norm"),
        **wired(FOUR, "post", *IN_THE_HEAD),
        gives=tensor([[3.4]]),  # (4 + 12) / 2 = 8, then (8 + 9) / 5
    ),
    case(_("five positions, pre-norm"), seed=1, **wired(stream(5), "pre")),
    case(_("five positions, post-norm"), seed=2, **wired(stream(5), "post")),
    case(_("attention finds nothing, pre-norm"), seed=3, **wired(stream(3), "pre", attend=NOTHING)),
    case(
        _("attention finds nothing, post-norm"), seed=4, **wired(stream(3), "post", attend=NOTHING)
    ),
    case(
        _("norms that change nothing, so that both kinds agree"),
        seed=5,
        **wired(stream(3), "post", norm_1=SAME, norm_2=SAME),
    ),
    case(_("a large stream, pre-norm"), seed=6, **wired(stream(2, scale=100.0), "pre")),
    case(_("a large stream, post-norm"), seed=7, **wired(stream(2, scale=100.0), "post")),
    case(_("float64, pre-norm"), seed=8, **wired(stream(7, dtype=torch.float64), "pre")),
    case(
        _("float64, one position, post-norm"),
        seed=9,
        **wired(stream(1, dtype=torch.float64), "post"),
    ),
    case(
        _("a gradient for x"),
        seed=10,
        **wired(stream(3, dtype=torch.float64).with_gradient(), "pre"),
    ),
    case(
        _("a gradient for x, post-norm"),
        seed=11,
        **wired(stream(3, dtype=torch.float64).with_gradient(), "post"),
    ),
    case(
        _("functions that return their input, the same tensor, pre-norm"),
        **wired(FOUR, "pre", SAME, SAME, SAME, SAME),
        gives=tensor([[16.0]]),  # 4 + 4 = 8, then 8 + 8
    ),
    case(
        _("functions that return their input, the same tensor, post-norm"),
        **wired(FOUR, "post", SAME, SAME, SAME, SAME),
        gives=tensor([[16.0]]),
    ),
    case(
        _("each function looks at all positions"),
        **wired(tensor([[1.0], [2.0]]), "pre", SUMMED, SUMMED, SUMMED, SUMMED),
        # the norm 4, 5, attention 13, 14, the stream 14, 16; then 44, 46 and 134, 136
        gives=tensor([[148.0], [152.0]]),
    ),
)
