"""Mistakes in what layer normalisation divides by: variance, root and epsilon."""

import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.layer_norm_parts import (
    EPSILON,
    Step,
    mean,
    root_of,
    scaled_and_shifted,
    unbiased,
    variance,
    with_step,
)
from bottomup.i18n import _

SECTION = _("LayerNorm")
CONSTANT = _("a vector of four equal numbers")
SMALL = _("numbers from a millionth to a hundredth")
OFFSET = _("a large number plus or minus one")


def _outside(spread: Step, epsilon: float = EPSILON) -> Step:
    return lambda x: spread(x).sqrt() + epsilon


def _length(x: Tensor) -> Tensor:
    return (x - mean(x)).norm(dim=-1, keepdim=True)


def _absolute_deviation(x: Tensor) -> Tensor:
    return (x - mean(x)).abs().mean(dim=-1, keepdim=True)


def _normalised_by_torch(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return scaled_and_shifted(F.normalize(x, dim=-1), gain, bias)


def _as_a_difference(x: Tensor) -> Tensor:
    return mean(x.square()) - mean(x).square()


DIVISORS = (
    Misconception(
        "unbiased-variance",
        with_step(divisor=root_of(unbiased)),
        _(
            "The variance divides by d_model - 1. `torch.var` and `torch.std` do so unless they "
            "get correction=0: it corrects an estimate from a sample, while here the vector is "
            "everything there is. All values come out too small, by the factor "
            "sqrt((d_model - 1) / d_model): unnoticed in training, but a copied model differs."
        ),
        SECTION,
        (with_step(divisor=root_of(unbiased, 0.0)),),
    ),
    Misconception(
        "std-plus-epsilon",
        with_step(divisor=_outside(unbiased)),
        _(
            "`x.std(-1) + epsilon` is two things in one: torch's `std` divides by d_model - 1, and "
            "epsilon comes after the root. It stands in well-known code and trains as well, but it "
            "is another function. Take the variance with correction=0, add 1e-5, then the root."
        ),
        SECTION,
        tuple(with_step(divisor=_outside(unbiased, epsilon)) for epsilon in (1e-6, 1e-8, 1e-12)),
    ),
    Misconception(
        "epsilon-outside-the-root",
        with_step(divisor=_outside(variance)),
        _(
            "Epsilon is added after the root. Where the variance is large that changes nothing; "
            "where it is as small as epsilon, the root is far larger than epsilon, and the vector "
            "is blown up to variance 1, a length of sqrt(d_model), rounding noise and all. Add it "
            "to the variance."
        ),
        SECTION,
        tuple(with_step(divisor=_outside(variance, epsilon)) for epsilon in (1e-6, 1e-8, 1e-12)),
        SMALL,
    ),
    Misconception(
        "epsilon-missing",
        with_step(divisor=lambda x: variance(x).sqrt()),
        _(
            "Epsilon is missing. A vector of equal numbers has variance 0, and 0/0 is NaN: one "
            "such position, and the loss of the whole batch is NaN. Add 1e-5 to the variance "
            "before the root."
        ),
        SECTION,
        case=CONSTANT,
    ),
    Misconception(
        "another-epsilon",
        with_step(divisor=root_of(variance, 1e-6)),
        _(
            "Epsilon has another size. Models differ here, 1e-5 in torch, 1e-6 or 1e-12 elsewhere, "
            "and it shows only where a vector varies little. The statement asks for 1e-5."
        ),
        SECTION,
        tuple(
            with_step(divisor=root_of(variance, epsilon)) for epsilon in (1e-3, 1e-8, 1e-10, 1e-12)
        ),
        SMALL,
    ),
    Misconception(
        "epsilon-as-a-floor",
        with_step(divisor=lambda x: variance(x).clamp(min=EPSILON).sqrt()),
        _(
            "Epsilon is a lower bound here, where it should be added. Below it the gradient "
            "changes abruptly, and small vectors come out larger than they should. It is "
            "variance + 1e-5, everywhere."
        ),
        SECTION,
        (with_step(divisor=lambda x: variance(x).sqrt().clamp(min=EPSILON)),),
        SMALL,
    ),
    Misconception(
        "divided-by-the-variance",
        with_step(divisor=lambda x: variance(x) + EPSILON),
        _(
            "The root is missing: this divides by the variance. A vector ten times as long then "
            "comes out ten times as short, where it should not change at all. Divide by the root "
            "of the variance, which is in the units of x."
        ),
        SECTION,
        (
            with_step(divisor=variance),
            with_step(divisor=lambda x: unbiased(x) + EPSILON),
            with_step(divisor=unbiased),
        ),
    ),
    Misconception(
        "length-one",
        with_step(divisor=lambda x: (_length(x).square() + EPSILON).sqrt()),
        _(
            "The vector gets length 1, where each component should get variance 1. The squared "
            "deviations are summed, not averaged, so the result is smaller by sqrt(d_model), the "
            "more so the wider the model. Take their mean."
        ),
        SECTION,
        (
            with_step(divisor=_length),
            with_step(divisor=lambda x: _length(x) + EPSILON),
            with_step(divisor=lambda x: _length(x).clamp(min=1e-12)),
            _normalised_by_torch,
        ),
    ),
    Misconception(
        "mean-absolute-deviation",
        with_step(divisor=lambda x: _absolute_deviation(x) + EPSILON),
        _(
            "The deviations are averaged as absolute values, not as squares. A component far from "
            "the mean counts for less that way, and the variance does not become 1. The mean "
            "absolute deviation of 1 2 3 6 is 1.5, the root of its variance 1.87. Square the "
            "deviations, take their mean, then the root."
        ),
        SECTION,
        (
            with_step(divisor=_absolute_deviation),
            with_step(divisor=lambda x: (_absolute_deviation(x) + EPSILON).sqrt()),
        ),
        CONSTANT,
    ),
    Misconception(
        "variance-as-a-difference",
        with_step(divisor=root_of(_as_a_difference)),
        _(
            "The variance is computed as the mean of the squares minus the square of the mean. On "
            "paper the two are equal; in floating point the squares of large numbers lose the "
            "digits in which they differ, and what is left is zero or even negative. Subtract the "
            "mean first, then square."
        ),
        SECTION,
        (with_step(divisor=lambda x: (_as_a_difference(x).clamp(min=0) + EPSILON).sqrt()),),
        OFFSET,
    ),
)
