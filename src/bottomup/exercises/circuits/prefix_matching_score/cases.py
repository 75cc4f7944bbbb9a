"""Cases of the prefix-matching score of a head (Olsson et al., 2022)."""

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, integers, normal, tensor
from bottomup.i18n import _


def causal(scores: Tensor) -> Tensor:
    """Return the weights of a head that sees nothing behind the query."""
    ahead = torch.ones_like(scores).triu(1).bool()
    return scores.masked_fill(ahead, -torch.inf).softmax(dim=-1)


def softmax(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


def half_repeated(generator: torch.Generator) -> Tensor:
    """Return seven symbols and the same once more, beside fourteen of which none comes twice."""
    half = torch.randperm(11, generator=generator)[:7]
    return torch.stack([half.repeat(2), torch.arange(14)])


def evenly(length: int) -> Drawn:
    """Return the weights of one head that reads all that it may alike."""
    return Drawn(lambda generator: causal(torch.zeros(1, 1, length, length)))


CASES = (
    case(
        _("three tokens, the first of them again"),
        weights=tensor([[[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.125, 0.75, 0.125]]]]),
        tokens=tensor([[5, 7, 5]]),
        gives=tensor([0.75]),
    ),
    case(
        _("a token twice in a row"),
        weights=evenly(5),
        tokens=tensor([[3, 3, 4, 3, 3]]),
        # queries 1, 3 and 4 match keys {1}, {1, 2} and {1, 2, 4}
        gives=tensor([(1 / 2 + 2 / 4 + 3 / 5) / 3]),
    ),
    case(
        _("large token numbers, and a query that does not look at its match"),
        weights=tensor(
            [
                [
                    [
                        [1.0, 0.0, 0.0, 0.0],
                        [0.5, 0.5, 0.0, 0.0],
                        [0.75, 0.0, 0.25, 0.0],
                        [0.0, 0.0, 0.5, 0.5],
                    ]
                ]
            ]
        ),
        tokens=tensor([[50001, 50002, 50001, 50002]]),
        gives=tensor([(0 + 1 / 2) / 2]),  # query 2 matches key 1, query 3 key 2
    ),
    case(
        _("a token that stands there three times"),
        weights=evenly(6),
        tokens=tensor([[1, 2, 1, 2, 1, 1]]),
    ),
    case(
        _("a half repeated, beside a sequence in which nothing comes twice"),
        seed=1,
        weights=normal(2, 2, 14, 14, scale=2.0).then(causal),
        tokens=Drawn(half_repeated),
    ),
    case(
        _("five heads, thirteen tokens"),
        seed=2,
        weights=normal(3, 5, 13, 13, scale=2.0).then(causal),
        tokens=integers(3, 13, high=7),
    ),
    case(
        _("as many heads as sequences"),
        seed=3,
        weights=normal(3, 3, 11, 11, scale=2.0).then(causal),
        tokens=integers(3, 11, high=5),
    ),
    case(
        _("weights that are not causal"),
        seed=4,
        weights=normal(2, 3, 7, 7, scale=2.0).then(softmax),
        tokens=integers(2, 7, high=3),
    ),
    case(
        _("float64"),
        seed=5,
        weights=normal(2, 2, 5, 5, scale=2.0, dtype=torch.float64).then(causal),
        tokens=integers(2, 5, high=2),
    ),
)
