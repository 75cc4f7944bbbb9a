"""Exercise: a softmax that survives scores of any size."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def stable_softmax(scores: torch.Tensor) -> torch.Tensor:
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def with_torch(scores: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-1)


def with_logsumexp(scores: Tensor) -> Tensor:
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def with_loops(scores: Tensor) -> Tensor:
    rows = scores.reshape(-1, scores.shape[-1])
    weights = [torch.exp(row - max(row)) for row in rows]
    return torch.stack([row / sum(row) for row in weights]).reshape(scores.shape)


# ---- Mistakes

IN_FLOAT64 = _("float64")
FAR_ABOVE = _("one score far above the others")
FAR_BELOW = _("one score far below the others")
LIMITS = (10.0, 20.0, 30.0, 50.0, 60.0, 70.0, 80.0, 85.0, 88.0)


def _largest(scores: Tensor) -> Tensor:
    return scores.amax(-1, keepdim=True)


def _ratio(exponentials: Tensor, floor: float = 0.0) -> Tensor:
    return exponentials / (exponentials.sum(-1, keepdim=True) + floor)


def _over_first(scores: Tensor) -> Tensor:
    exponentials = scores.exp()
    return exponentials / exponentials.sum(0)


def _everything(scores: Tensor) -> Tensor:
    return scores.flatten().softmax(0).reshape(scores.shape)


def _everything_unshifted(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum()


def _everything_shifted(scores: Tensor) -> Tensor:
    exponentials = torch.exp(scores - _largest(scores))
    return exponentials / exponentials.sum()


def _without_keepdim(maximum: bool, total: bool) -> Callable[[Tensor], Tensor]:
    """The row's maximum, its sum or both lose their axis and line up with the columns."""

    def wrong(scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores - scores.amax(-1, keepdim=not maximum))
        return exponentials / exponentials.sum(-1, keepdim=not total)

    return wrong


def _centred(scores: Tensor) -> Tensor:
    return _ratio(torch.exp(scores - scores.mean(-1, keepdim=True)))


def _from_the_smallest(scores: Tensor) -> Tensor:
    return _ratio(torch.exp(scores - scores.amin(-1, keepdim=True)))


def _from_the_whole(scores: Tensor) -> Tensor:
    return _ratio(torch.exp(scores - scores.max()))


def _from_the_magnitude(scores: Tensor) -> Tensor:
    return _ratio(torch.exp(scores - _largest(scores.abs())))


def _clipped(lowest: float, highest: float) -> Callable[[Tensor], Tensor]:
    return lambda scores: _ratio(torch.exp(scores.clamp(lowest, highest)))


def _with_floor(floor: float) -> Callable[[Tensor], Tensor]:
    return lambda scores: _ratio(torch.exp(scores - _largest(scores)), floor)


MISTAKES = (
    Mistake("first-axis", lambda scores: scores.softmax(0), (_over_first,)),
    Mistake(
        "whole-tensor",
        _everything,
        (
            _everything_unshifted,
            _everything_shifted,
            lambda scores: (
                torch.exp(scores - scores.max()) / torch.exp(scores - scores.max()).sum()
            ),
        ),
    ),
    Mistake(
        "overflow",
        lambda scores: _ratio(scores.exp()),
        (
            lambda scores: _ratio(scores.exp(), 1e-9),
            lambda scores: _ratio(scores.exp(), 1e-8),
            lambda scores: _ratio(scores.exp(), 1e-6),
            lambda scores: _ratio(scores.exp()).nan_to_num(),
            lambda scores: _ratio(scores.double().exp()).to(scores.dtype),
        ),
    ),
    Mistake(
        "largest-of-the-whole-tensor",
        _from_the_whole,
        (
            lambda scores: _ratio(torch.exp(scores - scores.max()), 1e-9),
            lambda scores: _from_the_whole(scores).nan_to_num(),
        ),
    ),
    Mistake(
        "largest-of-each-column",
        lambda scores: _ratio(torch.exp(scores - scores.amax(0, keepdim=True))),
        (lambda scores: (scores - scores.amax(0, keepdim=True)).softmax(-1),),
    ),
    Mistake("twice", lambda scores: scores.softmax(-1).softmax(-1)),
    Mistake(
        "lost-axis",
        _without_keepdim(True, True),
        (
            _without_keepdim(True, False),
            _without_keepdim(False, True),
            lambda scores: scores.exp() / scores.exp().sum(-1),
        ),
    ),
    Mistake("mean-subtracted", _centred, case=FAR_ABOVE),
    Mistake("minimum-subtracted", _from_the_smallest, case=FAR_BELOW),
    Mistake("maximum-added", lambda scores: _ratio(torch.exp(scores + _largest(scores)))),
    Mistake(
        "largest-magnitude",
        _from_the_magnitude,
        (lambda scores: _ratio(torch.exp(scores - scores.abs().max())),),
    ),
    Mistake(
        "signs-flipped",
        lambda scores: (-scores).softmax(-1),
        (
            lambda scores: _ratio(torch.exp(-scores)),
            lambda scores: _ratio(torch.exp(_largest(scores) - scores)),
        ),
    ),
    Mistake(
        "no-exponential",
        lambda scores: _ratio(scores),
        (
            lambda scores: _ratio(scores - scores.amin(-1, keepdim=True)),
            lambda scores: _ratio(scores - _largest(scores)),
        ),
    ),
    Mistake("not-divided", lambda scores: torch.exp(scores - _largest(scores)), (torch.exp,)),
    Mistake(
        "small-number-added",
        _with_floor(1e-6),
        tuple(_with_floor(floor) for floor in (1e-5, 1e-4, 1e-3)),
        case=IN_FLOAT64,
    ),
    Mistake(
        "scores-clipped",
        _clipped(-50.0, 50.0),
        tuple(_clipped(lowest, limit) for limit in LIMITS for lowest in (-inf, -limit)),
    ),
    Mistake("logarithm", lambda scores: scores.log_softmax(-1)),
)


# ---- Cases


def _hand(scores: list[float] | list[list[float]]) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"scores": torch.tensor(scores)}


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"scores": 2 * torch.randn(shape, generator=generator, dtype=dtype)}


def _with_gradient(generator: torch.Generator) -> Inputs:
    return {"scores": torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], requires_grad=True)}


CASES = (
    Case(_("two scores, 0 and log 3"), _hand([0.0, log(3)])),
    Case(_("two rows of three"), _hand([[0.0, 0.0, log(2)], [log(3), 0.0, -inf]])),
    Case(_("as many rows as columns"), _random(3, 3), seed=1),
    Case(_("two leading axes"), _random(2, 5, 7), seed=2),
    Case(IN_FLOAT64, _random(5, 3, dtype=torch.float64), seed=3),
    Case(_("a thousand and a thousand and one"), _hand([[1000.0, 1001.0]])),
    Case(_("far below zero"), _hand([[-1000.0, -1001.0, -999.0]])),
    Case(_("one row far above the other"), _hand([[0.0, 1.0, 2.0], [500.0, 502.0, 501.0]])),
    Case(FAR_ABOVE, _hand([[0.0, 1.0, 300.0, -1.0]])),
    Case(FAR_BELOW, _hand([[1.0, -100.0, 2.0, 0.0]])),
    Case(_("one column far above the other"), _hand([[0.0, 700.0], [900.0, 0.0], [3.0, 1.0]])),
    Case(_("a gradient for the scores"), _with_gradient),
)

ANSWERS = Answers(
    solution=stable_softmax,
    alternatives=(with_torch, with_logsumexp, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
