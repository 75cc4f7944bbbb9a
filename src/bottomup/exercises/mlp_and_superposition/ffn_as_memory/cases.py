"""Cases of the feed-forward network as a memory of keys and values."""

from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _

compare = compare_named("added", "stream")


def random(
    positions: int, d_ff: int, d_model: int, dtype: torch.dtype | None = None
) -> dict[str, Any]:
    return {
        "x": normal(positions, d_model, dtype=dtype),
        "W_in": normal(d_ff, d_model, dtype=dtype),
        "b_in": normal(d_ff, dtype=dtype),
        "W_out": normal(d_model, d_ff, dtype=dtype),
        "b_out": normal(d_model, dtype=dtype),
    }


CASES = (
    case(
        _("two positions, three neurons"),
        x=tensor([[2.0, -1.0], [0.0, 1.0]]),
        W_in=tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]),
        b_in=tensor([1.0, 0.0, -1.0]),
        W_out=tensor([[1.0, 0.0, 3.0], [0.0, 2.0, 10.0]]),
        b_out=tensor([0.0, 100.0]),
        # activations: 2 + 1, 0 and 2 + 1 - 1 at position 1; 0 + 1, 1 and 0 at position 2
        gives=(
            tensor(
                [
                    [[3.0, 0.0], [0.0, 0.0], [6.0, 20.0]],
                    [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]],
                ]
            ),
            # x + the sum + (0, 100)
            tensor([[2.0 + 9, -1.0 + 20 + 100], [0.0 + 1, 1.0 + 2 + 100]]),
        ),
    ),
    case(
        _("no neuron answers"),
        x=tensor([[1.0, 0.0], [0.0, 1.0]]),
        W_in=tensor([[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]),
        b_in=tensor([-2.0, -3.0, 0.0]),
        W_out=tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        b_out=tensor([10.0, 20.0]),
        gives=(
            tensor([[[0.0, 0.0]] * 3] * 2),
            tensor([[11.0, 20.0], [10.0, 21.0]]),
        ),
    ),
    case(_("five positions, seven neurons"), seed=1, **random(5, 7, 3)),
    case(_("as many positions as components"), seed=2, **random(3, 5, 3)),
    case(_("as many neurons as components"), seed=3, **random(2, 3, 3)),
    case(_("as many positions as neurons"), seed=4, **random(3, 3, 2)),
    case(_("as many positions, neurons and components"), seed=5, **random(3, 3, 3)),
    case(_("one position"), seed=6, **random(1, 7, 5)),
    case(_("one neuron"), seed=7, **random(5, 1, 3)),
    case(
        _("vectors of one component, and one neuron that answers loudly"),
        x=tensor([[20.0], [-3.0]]),
        W_in=tensor([[50.0], [-1.0]]),
        b_in=tensor([1.0, 0.0]),
        W_out=tensor([[2.0, 5.0]]),
        b_out=tensor([100.0]),
        # activations: 1000 + 1 and 0 at position 1, 0 and 3 at position 2
        gives=(
            tensor([[[2002.0], [0.0]], [[0.0], [15.0]]]),
            tensor([[20.0 + 2002 + 100], [-3.0 + 15 + 100]]),
        ),
    ),
    case(_("float64"), seed=8, **random(2, 11, 5, torch.float64)),
)
