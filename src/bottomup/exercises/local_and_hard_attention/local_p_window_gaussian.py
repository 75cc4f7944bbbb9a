"""Mistakes in the Gaussian of local-p: its place, its width and its sign."""

from collections.abc import Callable
from math import pi, sqrt

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.local_and_hard_attention.local_p_window_parts import (
    CENTRE,
    Wrong,
    cut,
    distance_of,
    gaussian_of,
    with_factor,
)
from bottomup.i18n import _


def _log_added(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = distance_of(scores, center)
    log_gaussian = -(distance**2) / (2 * (half_width / 2) ** 2)
    return cut(scores + log_gaussian, distance, half_width).softmax(-1)


def _log_added_without_window(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    return (scores - distance_of(scores, center) ** 2 / (2 * (half_width / 2) ** 2)).softmax(-1)


def _in_the_scores(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = distance_of(scores, center)
    return cut(scores * gaussian_of(distance, half_width / 2), distance, half_width).softmax(-1)


def _in_all_scores(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    return (scores * gaussian_of(distance_of(scores, center), half_width / 2)).softmax(-1)


def _with_exponent(of_distance: Callable[[Tensor], Tensor]) -> Wrong:
    return with_factor(
        lambda distance, half_width: torch.exp(-of_distance(distance) / (2 * (half_width / 2) ** 2))
    )


def _sigma_floored(distance: Tensor, half_width: int) -> Tensor:
    sigma = half_width // 2
    return torch.exp(-(distance**2) / (2 * sigma**2))


GAUSSIAN = (
    Misconception(
        "renormalised",
        _log_added,
        _(
            "Your weights sum to one. This is another known variant: a Gaussian whose logarithm is "
            "added to the scores, or whose products are divided by their sum. The paper's equation "
            "10 multiplies after the softmax and stops there. Where the good matches lie far from "
            "the centre, it then reads less in all, which the variant scales up again."
        ),
        CENTRE,
        (_log_added_without_window,),
    ),
    Misconception(
        "gaussian-in-the-scores",
        _in_the_scores,
        _(
            "The Gaussian multiplies the scores, before the softmax. A score near the window's end "
            "then moves towards 0, and that is no small score: a negative one rises, so that words "
            "the model rejected gain weight by being far away. The Gaussian is a factor of the "
            "softmax's weights."
        ),
        CENTRE,
        (_in_all_scores,),
    ),
    Misconception(
        "gaussian-missing",
        with_factor(lambda distance, half_width: torch.ones_like(distance)),
        _(
            "The Gaussian is missing: these are the weights of local-m around the given centre. "
            "Without the Gaussian nothing in the weights varies smoothly with p_i, so no "
            "gradient reaches the parameters that predict it, and the model never learns where to "
            "look."
        ),
        CENTRE,
    ),
    Misconception(
        "sigma-is-d",
        with_factor(lambda distance, half_width: gaussian_of(distance, half_width)),
        _(
            "Your Gaussian has sigma = D, twice as wide as it should be. At the window's ends it "
            "is then still e^-0.5 = 0.61, where sigma = D / 2 gives e^-2 = 0.14. The weights drop "
            "to zero from a step and not from a slope, and the centre hardly matters."
        ),
        CENTRE,
    ),
    Misconception(
        "sigma-not-squared",
        with_factor(lambda distance, half_width: torch.exp(-(distance**2) / half_width)),
        _(
            "The exponent has 2 sigma below the line, where it needs 2 sigma^2: sigma = D / 2 is "
            "used as the variance. With D = 2 the two agree, since sigma is 1. A wider window then "
            "gets a Gaussian that is too narrow for it."
        ),
        CENTRE,
    ),
    Misconception(
        "distance-not-squared",
        _with_exponent(lambda distance: distance),
        _(
            "The distance in the exponent is not squared. With its sign it weighs the words on "
            "one side of the centre up and those on the other down. Without its sign the factor "
            "has a sharp tip at the centre, and the gradient of p_i jumps there. The exponent is "
            "-(j - p_i)^2 / (2 sigma^2)."
        ),
        CENTRE,
        (_with_exponent(torch.neg), _with_exponent(torch.abs)),
    ),
    Misconception(
        "factor-two-missing",
        with_factor(lambda distance, half_width: torch.exp(-((distance / half_width * 2) ** 2))),
        _(
            "The 2 below the line of the exponent is missing: it is (j - p_i)^2 / (2 sigma^2). "
            "Your Gaussian falls to e^-4 = 0.02 at the window's ends, where it should be e^-2 = "
            "0.14, and the outer words of the window are as good as lost."
        ),
        CENTRE,
    ),
    Misconception(
        "denominator-without-brackets",
        with_factor(
            lambda distance, half_width: torch.exp(-(distance**2) / 2 * (half_width / 2) ** 2)
        ),
        _(
            "The exponent multiplies by sigma^2 where it has to divide. Python reads `a / 2 * b` "
            "from left to right, as (a / 2) * b. With D = 2 the two agree, since sigma is 1. A "
            "wider window then gets a narrower Gaussian. Put the denominator in brackets: "
            "`/ (2 * sigma**2)`."
        ),
        CENTRE,
        (with_factor(lambda distance, half_width: torch.exp(-(distance**2) / 2 * half_width / 2)),),
    ),
    Misconception(
        "minus-missing",
        with_factor(
            lambda distance, half_width: torch.exp(distance**2 / (2 * (half_width / 2) ** 2))
        ),
        _(
            "The minus sign of the exponent is missing, or it is squared away, as in "
            "`(-distance)**2`. Your factor is 1 at the centre and grows to e^2 = 7.4 at the "
            "window's ends. The words farthest from p_i are read most, and weights rise above one."
        ),
        CENTRE,
        (
            with_factor(
                lambda distance, half_width: torch.exp(distance**2 / 2 * (half_width / 2) ** 2)
            ),
        ),
    ),
    Misconception(
        "sigma-rounded-down",
        with_factor(_sigma_floored),
        _(
            "sigma is D // 2, which drops the half of an odd D. With D = 1 it is 0, and a word at "
            "the centre gets 0 / 0 = NaN. With D = 3 it is 1 and not 1.5, and the Gaussian is too "
            "narrow. sigma is a real number: D / 2."
        ),
        CENTRE,
    ),
    Misconception(
        "normal-density",
        with_factor(
            lambda distance, half_width: (
                gaussian_of(distance, half_width / 2) / (half_width / 2 * sqrt(2 * pi))
            )
        ),
        _(
            "You multiply by the density of the normal distribution, with its factor 1 / (sigma "
            "sqrt(2 pi)). The paper's Gaussian is 1 at its centre. With the density, everything "
            "that is read shrinks as D grows, to a fifth of its size at D = 4."
        ),
        CENTRE,
    ),
)
