"""Cases of one step of the LSTM-network with tapes."""

from math import log, tanh
from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.intra_attention.pairs import compare_pair, run_on_pair
from bottomup.i18n import _


def step(
    batch: int, past: int, d_word: int, d_state: int, *,
    dtype: torch.dtype | None = None, cells: float = 1.0,
) -> dict[str, Any]:  # fmt: skip
    """The inputs of a step; `cells` is how large the cells are."""
    return {
        "word": normal(batch, d_word, dtype=dtype),
        "weights": normal(batch, past, scale=2.0, dtype=dtype).then(lambda x: x.softmax(dim=-1)),
        "hidden": normal(batch, past, d_state, dtype=dtype).then(torch.tanh),
        "cell": normal(batch, past, d_state, scale=cells, dtype=dtype),
        "W": normal(4 * d_state, d_state + d_word, scale=0.5, dtype=dtype),
        "b": normal(4 * d_state, dtype=dtype),
    }


# f times the reading 1/5, and i times tanh(log 3) = 4/5
NEW_CELL = 0.75 * 0.2 + 0.5 * 0.8

CASES = (
    case(
        _("two states on the tape, one number each"),
        # the readings are 1/2 and 1/5; i and o are 1/2, f = 3/4 and tanh(g) = 4/5
        word=tensor([[1.0]]),
        weights=tensor([[0.25, 0.75]]),
        hidden=tensor([[[0.5], [0.5]]]),
        cell=tensor([[[0.8], [0.0]]]),
        W=tensor([[2.0, -1.0], [2 * log(3), 0.0], [2.0, 0.0], [0.0, log(3)]]),
        b=tensor([0.0, 0.0, -1.0, 0.0]),
        gives=(
            tensor([[[0.5], [0.5], [0.5 * tanh(NEW_CELL)]]]),
            tensor([[[0.8], [0.0], [NEW_CELL]]]),
        ),
    ),
    case(
        _("gates wide open and shut"),
        word=tensor([[1.0]]),
        weights=tensor([[1.0]]),
        hidden=tensor([[[0.5]]]),
        cell=tensor([[[10.0]]]),
        W=tensor([[0.0, 0.0]] * 4),
        b=tensor([-100.0, 100.0, 100.0, 100.0]),
        gives=(tensor([[[0.5], [1.0]]]), tensor([[[10.0], [10.0]]])),  # all is kept, all is shown
    ),
    case(_("a batch"), seed=1, **step(2, 3, 7, 5)),
    case(_("one state on the tape"), seed=2, **step(2, 1, 3, 5)),
    case(_("the first word"), seed=3, **step(2, 0, 5, 3)),
    case(_("word and state of equal width"), seed=4, **step(2, 5, 3, 3)),
    case(_("as many sentences as states"), seed=5, **step(3, 3, 3, 2)),
    case(_("cells beyond 1"), seed=6, **step(1, 2, 1, 2, cells=5.0)),
    case(_("float64"), seed=7, **step(3, 2, 3, 2, dtype=torch.float64)),
    case(
        _("the gradients of a small case"),
        seed=8,
        **{name: drawn.with_gradient() for name, drawn in step(1, 2, 1, 2).items()},
    ),
)

run = run_on_pair
compare = compare_pair("hidden", "cell")
