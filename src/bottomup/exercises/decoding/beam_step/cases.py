"""Cases of one step of beam search, with beams that have ended and a length penalty."""

from math import inf
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, normal, tensor, uniform
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def log_softmax(logits: Tensor) -> Tensor:
    return logits.log_softmax(-1)


def drawn(
    beam: int,
    tokens: int,
    ended: tuple[int, ...] = (),
    *,
    eos: int = 2,
    alpha: float = 0.6,
    dtype: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Beams that have ended are as long as 2, 3, ... tokens, the others have 7."""
    lengths = [ended.index(b) + 2 if b in ended else 7 for b in range(beam)]

    def scores(costs: Tensor) -> Tensor:
        return -costs - 0.5 * torch.tensor(lengths)

    return {
        "log_p": normal(beam, tokens, dtype=dtype).then(log_softmax),
        "scores": uniform(beam, high=3.0, dtype=dtype).then(scores),
        "lengths": tensor(lengths),
        "finished": tensor([b in ended for b in range(beam)]),
        "eos": eos,
        "alpha": alpha,
    }


CASES = (
    case(
        _("two beams, three tokens, none has ended"),
        log_p=tensor([[-1.0, -2.5, -0.75], [-0.25, -3.0, -4.0]]),
        scores=tensor([-1.0, -2.0]),
        lengths=tensor([1, 1]),
        finished=tensor([False, False]),
        eos=1,
        alpha=1.0,
        gives=(tensor([0, 0]), tensor([2, 0]), tensor([-1.75, -2.0])),  # before -2.25
    ),
    case(
        _("two beams, one has ended"),
        log_p=tensor([[-0.5, -1.25, -2.0], [-0.75, -0.5, -1.0]]),
        scores=tensor([-2.0, -1.5]),
        lengths=tensor([3, 2]),
        finished=tensor([False, True]),
        eos=2,
        alpha=0.0,
        gives=(tensor([1, 0]), tensor([2, 0]), tensor([-1.5, -2.5])),
    ),
    case(
        _("two long beams and one that ended early"),
        log_p=tensor([[-0.5, -1.0, -3.0], [-1.0, -2.0, -2.5], [-0.25, -1.5, -2.25]]),
        scores=tensor([-6.5, -7.0, -3.0]),
        lengths=tensor([12, 12, 2]),
        finished=tensor([False, False, True]),
        eos=2,
        alpha=1.0,
        # the penalties are 3, 3 and 7/6: -7/3, -7.5/3, -18/7
        gives=(tensor([0, 0, 2]), tensor([0, 1, 2]), tensor([-7.0, -7.5, -3.0])),
    ),
    case(
        _("a long beam and two that ended early"),
        log_p=tensor([[-0.5, -12.0, -13.0], [-1.0, -2.0, -2.5], [-0.25, -1.5, -2.25]]),
        scores=tensor([-6.5, -6.0, -3.0]),
        lengths=tensor([12, 2, 2]),
        finished=tensor([False, True, True]),
        eos=2,
        alpha=1.0,
        # the penalties are 3, 7/6 and 7/6: -7/3, -18/7, -36/7, before -18.5/3
        gives=(tensor([0, 2, 1]), tensor([0, 2, 2]), tensor([-7.0, -3.0, -6.0])),
    ),
    case(
        _("a beam far behind one that has ended, and impossible tokens"),
        log_p=tensor([[-inf, 0.0, -inf], [-0.25, -inf, -1.5]]),
        scores=tensor([-3e38, -3.0]),
        lengths=tensor([2, 2]),
        finished=tensor([False, True]),
        eos=2,
        alpha=0.0,
        gives=(tensor([1, 0]), tensor([2, 1]), tensor([-3.0, -3e38])),
    ),
    case(_("three beams of five tokens"), seed=1, **drawn(3, 5)),
    case(_("five beams, two have ended"), seed=2, **drawn(5, 7, (1, 4))),
    case(_("as many beams as tokens"), seed=3, **drawn(5, 5, (0, 3), eos=4)),
    case(_("all beams have ended"), seed=4, **drawn(3, 7, (0, 1, 2), alpha=1.0)),
    case(
        _("the first step: one beam alone has a score"),
        seed=5,
        **(drawn(3, 5) | {"scores": tensor([0.0, -inf, -inf]), "lengths": tensor([0, 0, 0])}),
    ),
    case(_("one beam"), seed=6, **drawn(1, 11)),
    case(_("a beam wider than the vocabulary"), seed=7, **drawn(7, 3, (2, 5), eos=0)),
    case(_("a strong penalty"), seed=8, **drawn(5, 11, (0, 1, 2), eos=3, alpha=2.0)),
    case(_("no penalty"), seed=9, **drawn(3, 11, (1,), alpha=0.0)),
    case(_("float64"), seed=10, **drawn(3, 7, (2,), alpha=1.0, dtype=torch.float64)),
)

compare = compare_named("parent", "token", "scores")
