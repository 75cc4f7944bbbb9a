"""Cases of how far the company in a batch moves log-probabilities."""

from math import log
from typing import Any

import torch

from bottomup.exercises.engine import Case, Inputs, case, compare_values, tensor
from bottomup.i18n import _


def pairs(name: str, lengths: list[int], words: int, *, seed: int, size: float = 1.0) -> Case:
    """Pairs of these lengths, moved by about `size`."""

    def make(generator: torch.Generator) -> Inputs:
        def drawn(*shape: int) -> torch.Tensor:
            return torch.randn(shape, generator=generator)

        batch = (2 * drawn(len(lengths), max(lengths), words)).log_softmax(dim=-1)
        rows = zip(batch, lengths, strict=True)
        moved = [row[:length] + size * drawn(length, words) for row, length in rows]
        return {"alone": [row.log_softmax(dim=-1) for row in moved], "batch": batch}

    return Case(name, make, seed)


WITHOUT = {"a batch of one": "one sentence has no neighbour"}

CASES = (
    case(
        _("two pairs, two words"),
        alone=[
            tensor([[1 / 2, 1 / 2]]).then(torch.log),
            tensor([[1 / 4, 3 / 4], [1 / 8, 7 / 8]]).then(torch.log),
        ],
        batch=tensor([[[3 / 4, 1 / 4], [1 / 8, 7 / 8]], [[1 / 4, 3 / 4], [1 / 2, 1 / 2]]]).then(
            torch.log
        ),
        gives=tensor([log(2), log(4)]),  # the second 1/2 became 1/4, and 1/8 became 1/2
    ),
    pairs(_("a short pair beside a long one"), [1, 5], 3, seed=1),
    pairs(_("four pairs"), [2, 7, 3, 5], 5, seed=2),
    pairs(_("a healthy pipeline"), [3, 2], 5, seed=3, size=0.0),
    pairs(_("changes of a thousandth"), [5, 2, 3], 7, seed=4, size=1e-3),
    pairs(_("changes of a hundred-thousandth"), [5, 2, 3], 7, seed=4, size=1e-5),
    pairs(_("changes of a ten-millionth"), [5, 2, 3], 7, seed=6, size=1e-7),
    pairs(_("one pair"), [3], 3, seed=5),
    case(
        _("words that are certain"),
        alone=[tensor([[0.0, -20.0]]), tensor([[-20.0, 0.0], [0.0, -20.0]])],
        batch=tensor([[[-30.0, 0.0], [-5.0, 0.0]], [[-20.0, 0.0], [0.0, -20.0]]]),
        gives=tensor([30.0, 0.0]),  # from 0 to -30, and the other word from -20 to 0
    ),
)


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare as usual, then to the last digits: a difference is rounded only once."""
    sentence = compare_values(got, expected, case)
    return sentence or compare_values(got.double(), expected.double(), case)
