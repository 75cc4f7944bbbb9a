"""Cases of a mean ablation in which words and marks have means of their own."""

from functools import partial
from math import nan
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _

Texts = list[list[int]]


def texts(positions: int, *words: int, left: bool = False, end: bool = True) -> Texts:
    """The roles of texts with so many words, and padding behind them or on the left."""
    rows = [[1, *[2] * count, *[3] * end] for count in words]
    empty = ([0] * (positions - len(row)) for row in rows)
    return [pad + row if left else row + pad for row, pad in zip(rows, empty, strict=True)]


def as_written(outputs: Tensor, roles: Texts, padding: float | None) -> Tensor:
    """Lift begin marks far above words, and put a number into padding."""
    role = torch.tensor(roles)[..., None]
    outputs = outputs + 30.0 * (role == 1)
    return outputs if padding is None else outputs.masked_fill(role == 0, padding)


def layer(
    roles: Texts, reference: Texts, d_model: int, *, padding: float | None = None
) -> dict[str, Any]:
    """Random outputs; with `padding`, this number is in padding."""

    def draw(rows: Texts) -> Drawn:
        drawn = normal(len(rows), len(rows[0]), d_model, dtype=torch.float64)
        return drawn.then(partial(as_written, roles=rows, padding=padding))

    return {
        "outputs": draw(roles),
        "roles": tensor(roles),
        "reference": draw(reference),
        "reference_roles": tensor(reference),
    }


CASES = (
    case(
        _("one number for each position"),
        outputs=tensor([[[33.0], [1.0], [9.0], [7.0]]], dtype=torch.float64),
        roles=tensor([[1, 2, 3, 0]]),
        reference=tensor(
            [[[30.0], [1.0], [3.0], [2.0]], [[50.0], [8.0], [6.0], [5.0]]], dtype=torch.float64
        ),
        reference_roles=tensor([[1, 2, 2, 3], [1, 2, 3, 0]]),
        # (30 + 50) / 2, (1 + 3 + 8) / 3, (2 + 6) / 2, and padding stays
        gives=tensor([[[40.0], [4.0], [4.0], [7.0]]], dtype=torch.float64),
    ),
    case(
        _("padding on the left"),
        outputs=tensor([[[9.0, 9], [8, 8], [1, 2], [3, 4], [5, 6]]], dtype=torch.float64),
        roles=tensor([[0, 1, 2, 2, 3]]),
        reference=tensor(
            [[[7.0, 7], [20, 40], [5, 1]], [[40, 20], [2, 6], [1, 3]]], dtype=torch.float64
        ),
        reference_roles=tensor([[0, 1, 3], [1, 2, 3]]),
        gives=tensor([[[9.0, 9], [30, 30], [2, 6], [2, 6], [3, 2]]], dtype=torch.float64),
    ),
    case(
        _("texts of different length"),
        seed=1,
        **layer(texts(5, 3, 1, 2), texts(11, 9, 2, 5, 1, 7), 7),
    ),
    case(
        _("as many reference texts of the same lengths"),
        seed=2,
        **layer(texts(5, 1, 3, 2), texts(5, 3, 1, 2), 2),
    ),
    case(_("no padding"), seed=3, **layer(texts(5, 3, 3), texts(7, 5, 5, 5), 3)),
    case(
        _("padding that is nan"), seed=4, **layer(texts(7, 5, 2), texts(5, 1, 3, 2), 3, padding=nan)
    ),
    case(
        _("large numbers in padding, on the left"),
        seed=5,
        **layer(texts(7, 2, 5, 3, left=True), texts(11, 3, 7, left=True), 5, padding=1e6),
    ),
    case(
        _("a reference text without words"), seed=6, **layer(texts(3, 1, 1), texts(5, 0, 3, 2), 5)
    ),
    case(
        _("texts without end marks"),
        seed=7,
        **layer(texts(7, 6, 2, 4, end=False), texts(5, 3, 4, end=False), 2),
    ),
    case(_("one text and one in the reference"), seed=8, **layer(texts(3, 1), texts(7, 5), 2)),
)
