"""Mistakes in a softmax that should survive scores of any size."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION, TWICE = _("Softmax"), _("Twice is wrong")
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
        TWICE,
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
        case=FAR_ABOVE,
    ),
    Misconception(
        "minimum-subtracted",
        _from_the_smallest,
        _(
            "The smallest score of the row is subtracted, not the largest. No exponent is then "
            "below zero, and one far above it overflows: inf/inf, NaN. With the maximum, every "
            "exponent is zero or less."
        ),
        SECTION,
        case=FAR_BELOW,
    ),
    Misconception(
        "maximum-added",
        lambda scores: _ratio(torch.exp(scores + _largest(scores))),
        _(
            "The maximum is added, not subtracted. Any shift leaves small scores' weights alone, "
            "but this one drives large exponents further from zero: e^45 becomes e^90, which is "
            "infinite in float32. Subtract it, so that the largest exponent is zero."
        ),
        SECTION,
    ),
    Misconception(
        "largest-magnitude",
        _from_the_magnitude,
        _(
            "The largest magnitude is subtracted, not the largest score. In a row of scores far "
            "below zero the two have opposite signs: every exponential then rounds to zero, and "
            "0/0 is NaN. Take the maximum without abs."
        ),
        SECTION,
        (lambda scores: _ratio(torch.exp(scores - scores.abs().max())),),
    ),
    Misconception(
        "signs-flipped",
        lambda scores: (-scores).softmax(-1),
        _(
            "The signs are flipped, so the lowest score gets the largest weight. With a shift it "
            "is scores - maximum, not maximum - scores: the exponents must be zero or less."
        ),
        SECTION,
        (
            lambda scores: _ratio(torch.exp(-scores)),
            lambda scores: _ratio(torch.exp(_largest(scores) - scores)),
        ),
    ),
    Misconception(
        "no-exponential",
        lambda scores: _ratio(scores),
        _(
            "The scores are divided by their sum, without the exponential. Weights may then be "
            "negative, the sum may be zero, and a shift changes the result. Take the exponential "
            "of the shifted scores first."
        ),
        SECTION,
        (
            lambda scores: _ratio(scores - scores.amin(-1, keepdim=True)),
            lambda scores: _ratio(scores - _largest(scores)),
        ),
    ),
    Misconception(
        "not-divided",
        lambda scores: torch.exp(scores - _largest(scores)),
        _(
            "The exponentials are not divided by their sum. The largest of a row is always 1, and "
            "the others do not share what is left: the rows do not sum to one."
        ),
        SECTION,
        (torch.exp,),
    ),
    Misconception(
        "small-number-added",
        _with_floor(1e-6),
        _(
            "A small number is added to the sum of the exponentials, and every row sums to less "
            "than one. After the shift there is nothing to protect from: the largest exponential "
            "is 1, so the sum is never below 1."
        ),
        SECTION,
        tuple(_with_floor(floor) for floor in (1e-5, 1e-4, 1e-3)),
        case=IN_FLOAT64,
    ),
    Misconception(
        "scores-clipped",
        _clipped(-50.0, 50.0),
        _(
            "The scores are clipped before the exponential. That prevents the overflow and changes "
            "the answer: two scores beyond the limit become equal, and so do their weights. "
            "Subtracting the row's maximum changes nothing but the range."
        ),
        SECTION,
        tuple(_clipped(lowest, limit) for limit in LIMITS for lowest in (-inf, -limit)),
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
