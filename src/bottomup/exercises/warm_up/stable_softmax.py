"""Exercise: a softmax that survives scores of any size."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.warm_up.stable_softmax_mistakes import (
    FAR_ABOVE,
    FAR_BELOW,
    IN_FLOAT64,
    MISCONCEPTIONS,
)
from bottomup.i18n import _

STUB = '''\
def stable_softmax(scores):
    """Softmax over the last axis, for scores of any size.

    scores [..., classes], floating point; a score may be -inf, though never
    all of a row. Returns weights of the same shape and dtype, not negative,
    each row with sum 1. Use torch throughout: a gradient must flow back.
    """
    ...
'''


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

STABLE_SOFTMAX = Exercise(
    slug="stable-softmax",
    title=_("A softmax that does not overflow"),
    chapter="00",
    difficulty=1,
    minutes=8,
    stub=STUB,
    hints=(
        _("Adding one number to all scores of a row leaves the weights alone. Which number helps?"),
        _(
            "With the row's maximum subtracted, the largest exponential is 1. `amax(dim=-1, "
            "keepdim=True)` keeps the axis, so that each row loses its own maximum."
        ),
        _("Three lines: subtract the maximum, `torch.exp`, divide by the sum over dim=-1."),
    ),
    solution=stable_softmax,
    alternatives=(with_torch, with_logsumexp, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
