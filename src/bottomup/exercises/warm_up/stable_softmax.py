"""Exercise: a softmax that survives scores of any size."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _

SECTION = _("Softmax")
STUB = '''\
def stable_softmax(scores):
    """Softmax over the last axis, for scores of any size.

    scores [..., classes], floating point; a score may be -inf, though never
    all of a row. Returns weights of the same shape and dtype, not negative,
    each row with sum 1.
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


def _last(scores: Tensor) -> Tensor:
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
    exponentials = torch.exp(scores - _last(scores))
    return exponentials / exponentials.sum()


def _without_keepdim(maximum: bool, total: bool) -> Callable[[Tensor], Tensor]:
    """The row's maximum, its sum or both lose their axis and line up with the columns."""

    def wrong(scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores - scores.amax(-1, keepdim=not maximum))
        return exponentials / exponentials.sum(-1, keepdim=not total)

    return wrong


def _centred(scores: Tensor) -> Tensor:
    return _ratio(torch.exp(scores - scores.mean(-1, keepdim=True)))


def _clipped(largest: float) -> Callable[[Tensor], Tensor]:
    return lambda scores: _ratio(torch.exp(scores.clamp(-largest, largest)))


def _from_the_whole(scores: Tensor) -> Tensor:
    return _ratio(torch.exp(scores - scores.max()))


MISCONCEPTIONS = (
    Misconception(
        "first-axis",
        lambda scores: scores.softmax(0),
        _(
            "The softmax runs over the first axis, so it is the columns that sum to one. The rows "
            "of a batch then compete with each other: the weights of one sentence depend on which "
            "others it is batched with. Name the axis: dim=-1."
        ),
        SECTION,
        (_over_first,),
    ),
    Misconception(
        "whole-tensor",
        _everything,
        _(
            "All weights of the tensor sum to one together, instead of each row by itself. The "
            "more rows a batch has, the smaller every weight becomes. Sum over dim=-1 only, and "
            "keep the axis."
        ),
        SECTION,
        (
            _everything_unshifted,
            _everything_shifted,
            lambda scores: (
                torch.exp(scores - scores.max()) / torch.exp(scores - scores.max()).sum()
            ),
        ),
    ),
    Misconception(
        "overflow",
        lambda scores: _ratio(scores.exp()),
        _(
            "The exponentials are taken of the scores as they are. In float32, e^x is infinite "
            "from x = 89 on, and all e^x of a row are zero below x = -104; the quotient is then "
            "inf/inf or 0/0, NaN. Subtract the row's largest score first: the weights stay the "
            "same."
        ),
        SECTION,
        (
            lambda scores: _ratio(scores.exp(), 1e-9),
            lambda scores: _ratio(scores.exp(), 1e-8),
            lambda scores: _ratio(scores.exp(), 1e-6),
            lambda scores: _ratio(scores.exp()).nan_to_num(),
            lambda scores: _ratio(scores.double().exp()).to(scores.dtype),
        ),
    ),
    Misconception(
        "largest-of-the-whole-tensor",
        _from_the_whole,
        _(
            "One maximum is subtracted from all rows. A row far below that maximum underflows: "
            "each of its exponentials is zero, and the row becomes 0/0, NaN. One sentence with "
            "large scores would break the others in its batch. Take the maximum of each row."
        ),
        SECTION,
        (
            lambda scores: _ratio(torch.exp(scores - scores.max()), 1e-9),
            lambda scores: _from_the_whole(scores).nan_to_num(),
            lambda scores: _ratio(torch.exp(scores - scores.amax(0, keepdim=True))),
        ),
    ),
    Misconception(
        "twice",
        lambda scores: scores.softmax(-1).softmax(-1),
        _(
            "The softmax is applied twice. Weights lie between 0 and 1, so the second softmax sees "
            "scores that differ by at most 1, and no weight can be more than e times another. "
            "However sure the model is, the result is nearly uniform."
        ),
        SECTION,
    ),
    Misconception(
        "lost-axis",
        _without_keepdim(True, True),
        _(
            "The maximum or the sum of each row has lost its axis, and broadcasting matches axes "
            "from the right: row i's number meets column i. A square input gives wrong weights "
            "without any error; others raise one. Pass keepdim=True."
        ),
        SECTION,
        (
            _without_keepdim(True, False),
            _without_keepdim(False, True),
            lambda scores: scores.exp() / scores.exp().sum(-1),
        ),
    ),
    Misconception(
        "mean-subtracted",
        _centred,
        _(
            "The mean of the row is subtracted, not its maximum. One score far above the others "
            "stays far above their mean, and its exponential still overflows. Only with the "
            "maximum is every exponent zero or less."
        ),
        SECTION,
    ),
    Misconception(
        "scores-clipped",
        _clipped(50.0),
        _(
            "The scores are clipped before the exponential. That prevents the overflow and changes "
            "the answer: two scores beyond the limit become equal, and so do their weights. "
            "Subtracting the row's maximum changes nothing but the range."
        ),
        SECTION,
        tuple(_clipped(largest) for largest in (10.0, 20.0, 30.0, 60.0, 70.0, 80.0, 85.0, 88.0)),
    ),
    Misconception(
        "logarithm",
        lambda scores: scores.log_softmax(-1),
        _(
            "These are the logarithms of the weights: negative numbers that do not sum to one. "
            "Used as weights, they would subtract what they should add. Take the exponential."
        ),
        SECTION,
    ),
)


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
    Case(_("float64"), _random(5, 3, dtype=torch.float64), seed=3),
    Case(_("a thousand and a thousand and one"), _hand([[1000.0, 1001.0]])),
    Case(_("far below zero"), _hand([[-1000.0, -1001.0, -999.0]])),
    Case(_("one row far above the other"), _hand([[0.0, 1.0, 2.0], [500.0, 502.0, 501.0]])),
    Case(_("one score far above the others"), _hand([[0.0, 1.0, 300.0, -1.0]])),
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
