"""Mistakes in the weights of local-p."""

from collections.abc import Callable
from math import inf, pi, sqrt

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

WINDOW = _("A window around the position")
CENTRE = _("A predicted centre")
ON_A_WORD = _("centres on a word")
BETWEEN_TWO_WORDS = _("centres between two words")
AT_THE_EDGES = _("windows cut at the edges")
FAR_ABOVE = _("a score far above the others, outside the window")
Wrong = Callable[[Tensor, Tensor, int], Tensor]
Move = Callable[[Tensor], Tensor]


def _distance(scores: Tensor, center: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) - center[..., None]


def _gaussian(distance: Tensor, sigma: float) -> Tensor:
    return torch.exp(-(distance**2) / (2 * sigma**2))


def _cut(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
    return scores.masked_fill(distance.abs() > half_width, -inf)


def _right(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = _distance(scores, center)
    weights = _cut(scores, distance, half_width).softmax(-1)
    return weights * _gaussian(distance, half_width / 2)


def _with_factor(factor: Callable[[Tensor, int], Tensor]) -> Wrong:
    """A wrong answer that multiplies the window's softmax by another factor."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        distance = _distance(scores, center)
        weights = _cut(scores, distance, half_width).softmax(-1)
        return weights * factor(distance, half_width)

    return wrong


def _with_weights(weigh: Callable[[Tensor, Tensor, int], Tensor]) -> Wrong:
    """A wrong answer that multiplies the right Gaussian to other weights."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        distance = _distance(scores, center)
        return weigh(scores, distance, half_width) * _gaussian(distance, half_width / 2)

    return wrong


def _with_centers(for_window: Move, for_gaussian: Move) -> Wrong:
    """A wrong answer that moves the centre of the window, of the Gaussian or of both."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        weights = _cut(scores, _distance(scores, for_window(center)), half_width).softmax(-1)
        return weights * _gaussian(_distance(scores, for_gaussian(center)), half_width / 2)

    return wrong


def _as_it_is(center: Tensor) -> Tensor:
    return center


def _one_lower(center: Tensor) -> Tensor:
    return center - 1  # positions 1, 2, ... against a centre counted from 0


def _log_added(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = _distance(scores, center)
    log_gaussian = -(distance**2) / (2 * (half_width / 2) ** 2)
    return _cut(scores + log_gaussian, distance, half_width).softmax(-1)


def _log_added_without_window(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    return (scores - _distance(scores, center) ** 2 / (2 * (half_width / 2) ** 2)).softmax(-1)


def _in_the_scores(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = _distance(scores, center)
    return _cut(scores * _gaussian(distance, half_width / 2), distance, half_width).softmax(-1)


def _in_all_scores(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    return (scores * _gaussian(_distance(scores, center), half_width / 2)).softmax(-1)


def _cut_open(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
    """Cut like a Python slice from p - D to p + D: without its end."""
    inside = (distance >= -half_width) & (distance < half_width)
    return scores.masked_fill(~inside, -inf).softmax(-1)


MISCONCEPTIONS = (
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
        _with_factor(lambda distance, half_width: torch.ones_like(distance)),
        _(
            "The Gaussian is missing: these are the weights of local-m around the given centre. "
            "Without the Gaussian nothing in the weights varies smoothly with p, so no gradient "
            "reaches the parameters that predict it, and the model never learns where to look."
        ),
        CENTRE,
    ),
    Misconception(
        "sigma-is-d",
        _with_factor(lambda distance, half_width: _gaussian(distance, half_width)),
        _(
            "Your Gaussian has sigma = D, twice as wide as it should be. At the window's ends it "
            "is then still e^-0.5 = 0.61, where sigma = D / 2 gives e^-2 = 0.14. The weights drop "
            "to zero from a step and not from a slope, and the centre hardly matters."
        ),
        CENTRE,
    ),
    Misconception(
        "sigma-not-squared",
        _with_factor(lambda distance, half_width: torch.exp(-(distance**2) / half_width)),
        _(
            "The exponent has 2 sigma below the line, where it needs 2 sigma^2: sigma = D / 2 is "
            "used as the variance. With D = 2 the two agree, since sigma is 1. A wider window then "
            "gets a Gaussian that is too narrow for it."
        ),
        CENTRE,
    ),
    Misconception(
        "factor-two-missing",
        _with_factor(lambda distance, half_width: torch.exp(-((distance / half_width * 2) ** 2))),
        _(
            "The 2 below the line of the exponent is missing: it is (s - p)^2 / (2 sigma^2). Your "
            "Gaussian falls to e^-4 = 0.02 at the window's ends, where it should be e^-2 = 0.14, "
            "and the outer words of the window are as good as lost."
        ),
        CENTRE,
    ),
    Misconception(
        "normal-density",
        _with_factor(
            lambda distance, half_width: (
                _gaussian(distance, half_width / 2) / (half_width / 2 * sqrt(2 * pi))
            )
        ),
        _(
            "You multiply by the density of the normal distribution, with its factor 1 / (sigma "
            "sqrt(2 pi)). The paper's Gaussian is 1 at its centre. With the density, everything "
            "that is read shrinks as D grows, to a fifth of its size at D = 4."
        ),
        CENTRE,
    ),
    Misconception(
        "window-after-softmax",
        _with_weights(
            lambda scores, distance, half_width: scores.softmax(-1) * (distance.abs() <= half_width)
        ),
        _(
            "The window comes after the softmax. The words outside it then have weight zero, but "
            "they still count in the softmax's sum: one high score anywhere in the sentence takes "
            "the weight away from the whole window. Set the scores outside the window to -inf "
            "first, then take the softmax."
        ),
        WINDOW,
        case=FAR_ABOVE,
    ),
    Misconception(
        "window-missing",
        _with_weights(lambda scores, distance, half_width: scores.softmax(-1)),
        _(
            "There is no window: the softmax runs over the whole sentence. The Gaussian makes far "
            "words small, but they keep their share of the softmax, and each of them costs a score "
            "and a product. A window of 2 D + 1 words is the reason for local attention."
        ),
        WINDOW,
        case=FAR_ABOVE,
    ),
    Misconception(
        "window-too-narrow",
        _with_weights(
            lambda scores, distance, half_width: scores.masked_fill(
                distance.abs() >= half_width, -inf
            ).softmax(-1)
        ),
        _(
            "The ends of the window are missing: |s - p| <= D includes both, so that a centre on a "
            "word has a window of 2 D + 1 words. Where p is no whole number the difference does "
            "not show. A comparison with < does this, and so does a slice, which leaves out its "
            "end."
        ),
        WINDOW,
        (_with_weights(_cut_open),),
        case=ON_A_WORD,
    ),
    Misconception(
        "center-rounded",
        _with_centers(torch.round, torch.round),
        _(
            "The centre is rounded to a whole number. p is real: between two words it gives both a "
            "share. Rounding has the gradient zero, so that the prediction of p gets no signal, or "
            "one for another place than it predicted. Only s is a whole number."
        ),
        CENTRE,
        (
            _with_centers(torch.round, _as_it_is),
            _with_centers(_as_it_is, torch.round),
            _with_centers(torch.floor, torch.floor),
            _with_centers(torch.floor, _as_it_is),
        ),
        case=BETWEEN_TWO_WORDS,
    ),
    Misconception(
        "positions-from-one",
        _with_centers(_one_lower, _one_lower),
        _(
            "Your source positions start at 1, the centre's at 0, as the stub says. Window and "
            "Gaussian then both lie one word too far to the left, and a model trained so reads "
            "each word's neighbour. `torch.arange(source)` starts at 0."
        ),
        WINDOW,
        (_with_centers(_one_lower, _as_it_is), _with_centers(_as_it_is, _one_lower)),
    ),
    Misconception(
        "outside-scores-zero",
        _with_weights(
            lambda scores, distance, half_width: (scores * (distance.abs() <= half_width)).softmax(
                -1
            )
        ),
        _(
            "A word outside the window counts with the score 0, which is a score like any other: "
            "e^0 = 1. Multiplying the scores by the window does this, and so does filling with 0. "
            "Such a word beats every word in the window whose score is negative. It needs the "
            "score -inf."
        ),
        WINDOW,
    ),
    Misconception(
        "softmax-over-queries",
        _with_weights(
            lambda scores, distance, half_width: (
                _cut(scores, distance, half_width).softmax(1).nan_to_num()
            )
        ),
        _(
            "The softmax runs over the queries: each source word shares itself out among the "
            "target words. A query's weights then depend on queries that a decoder has not seen "
            "yet. The source is the last axis: dim=-1."
        ),
        WINDOW,
        (
            _with_weights(
                lambda scores, distance, half_width: _cut(scores, distance, half_width).softmax(1)
            ),
        ),
    ),
    Misconception(
        "center-detached",
        lambda scores, center, half_width: _right(scores, center.detach(), half_width),
        _(
            "The values are right, but no gradient leads back to the centre. The Gaussian is the "
            "only way on which the loss can tell W_p and v_p where they should have looked. "
            "Without it p_t stays where the initial parameters put it. Compute with the tensor "
            "itself, without detach, item or float."
        ),
        CENTRE,
    ),
)
