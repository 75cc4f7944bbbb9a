"""Cases of what a Transformer's first layer reads: words and positions, balanced."""

from typing import Any

import torch

from bottomup.blocks import sinusoidal_positions
from bottomup.exercises.engine import Drawn, case, integers, normal, tensor
from bottomup.i18n import _


def sinusoids(rows: int, d_model: int, dtype: torch.dtype) -> Drawn:
    """A table of sines and cosines; it is made with an even width and cut."""
    table = sinusoidal_positions(rows, d_model + d_model % 2)[:, :d_model]
    return Drawn(lambda generator: table.to(dtype, copy=True))


def random(
    batch: int,
    length: int,
    vocabulary: int,
    d_model: int,
    *,
    rows: int,
    start: int = 0,
    dtype: torch.dtype = torch.float32,
) -> dict[str, Any]:
    return {
        "tokens": integers(batch, length, high=vocabulary),
        "embedding": normal(vocabulary, d_model, scale=d_model**-0.5, dtype=dtype),
        "positions": sinusoids(rows, d_model, dtype),
        "start": start,
    }


WORDS = tensor([[1.0, 2.0, 3.0, 4.0], [9.0, 9.0, 9.0, 9.0], [5.0, 0.0, 5.0, 0.0]])
POSITIONS = tensor([[0.0, 1.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 1.0, 0.0]])
SMALL = random(2, 3, 5, 2, rows=7, start=1, dtype=torch.float64)

CASES = (
    case(
        _("two tokens, width four"),
        tokens=tensor([[2, 0]]),
        embedding=WORDS,
        positions=POSITIONS,
        start=0,
        # rows 2 and 0 times sqrt(4), plus 0 1 0 1 and 0.5 0.5 0.5 0.5
        gives=tensor([[[10.0, 1.0, 10.0, 1.0], [2.5, 4.5, 6.5, 8.5]]]),
    ),
    case(
        _("the third token of a translation in progress"),
        tokens=tensor([[1]]),
        embedding=WORDS,
        positions=POSITIONS,
        start=2,
        gives=tensor([[[19.0, 18.0, 19.0, 18.0]]]),
    ),
    case(_("a batch"), seed=1, **random(2, 5, 11, 6, rows=13)),
    case(_("as many sentences as positions"), seed=2, **random(3, 3, 7, 10, rows=17)),
    case(
        _("three tokens at once, five were read before"),
        seed=3,
        **random(2, 3, 7, 4, rows=8, start=5),
    ),
    case(_("the same, with a longer table"), seed=9, **random(2, 3, 7, 4, rows=13, start=5)),
    case(_("one sentence"), seed=4, **random(1, 7, 5, 6, rows=11)),
    case(_("a table as long as the sentence"), seed=5, **random(5, 3, 7, 2, rows=3)),
    case(_("width one"), seed=6, **random(2, 3, 5, 1, rows=7)),
    case(_("float64"), seed=7, **random(3, 2, 5, 14, rows=7, dtype=torch.float64)),
    case(
        _("gradients for both tables"),
        seed=8,
        **{
            **SMALL,
            "tokens": tensor([[0, 3, 0], [1, 0, 3]]),  # row 0 learns like any other
            "embedding": SMALL["embedding"].with_gradient(),
            "positions": SMALL["positions"].with_gradient(),
        },
    ),
)
