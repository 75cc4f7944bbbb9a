"""Mistakes in the weights of local-p: in the window and its centre, after those in the Gaussian."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.local_and_hard_attention.local_p_window_gaussian import GAUSSIAN
from bottomup.exercises.local_and_hard_attention.local_p_window_parts import (
    BETWEEN_TWO_WORDS,
    CENTRE,
    FAR_ABOVE,
    ON_A_WORD,
    WINDOW,
    Wrong,
    cut,
    distance_of,
    gaussian_of,
    right,
    with_centers,
    with_weights,
)
from bottomup.i18n import _


def _as_it_is(center: Tensor) -> Tensor:
    return center


def _one_lower(center: Tensor) -> Tensor:
    return center - 1  # positions 1, 2, ... against a centre counted from 0


def _cut_open(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
    """Cut like a Python slice from p - D to p + D: without its end."""
    inside = (distance >= -half_width) & (distance < half_width)
    return scores.masked_fill(~inside, -inf).softmax(-1)


def _slice(move: Callable[[Tensor], Tensor]) -> Wrong:
    """A slice of whole numbers, from int(p) - D to int(p) + D, without its end."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        weights = _cut_open(scores, distance_of(scores, center.floor()), half_width)
        return weights * gaussian_of(distance_of(scores, move(center)), half_width / 2)

    return wrong


def _one_end(sign: int) -> Wrong:
    """A distance compared with its sign: the window has one end."""
    return with_weights(
        lambda scores, distance, half_width: scores.masked_fill(
            sign * distance > half_width, -inf
        ).softmax(-1)
    )


def _divided(spare: float = 0.0, *, weigh: Callable[[Tensor], Tensor]) -> Wrong:
    """Weigh the whole sentence, cut out the window, and divide by what is left of the sum."""

    def wrong(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
        inside = weigh(scores) * (distance.abs() <= half_width)
        return inside / (inside.sum(-1, keepdim=True) + spare)

    return with_weights(wrong)


def _exponentials_of_the_window(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
    exponentials = cut(scores, distance, half_width).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def _softmax(scores: Tensor) -> Tensor:
    return scores.softmax(-1)


MISCONCEPTIONS = (
    *GAUSSIAN,
    Misconception(
        "window-after-softmax",
        with_weights(
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
        "overflow",
        _divided(weigh=_softmax),
        _(
            "By equation (4) these weights are right, but in floating point the exponentials "
            "overflow. Beside a score of 300, e^score is infinite, and a softmax over the sentence "
            "rounds all other weights to 0. Dividing by the window's sum then gives NaN, or 0 if a "
            "small number is added to the sum. Set the scores outside the window to -inf before "
            "the softmax: it subtracts the largest score that is left, and nothing overflows."
        ),
        WINDOW,
        (
            _divided(weigh=torch.exp),
            _divided(1e-6, weigh=_softmax),
            _divided(1e-8, weigh=_softmax),
            _divided(1e-9, weigh=_softmax),
            _divided(1e-12, weigh=_softmax),
            with_weights(_exponentials_of_the_window),
        ),
        case=FAR_ABOVE,
    ),
    Misconception(
        "window-missing",
        with_weights(lambda scores, distance, half_width: scores.softmax(-1)),
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
        with_weights(
            lambda scores, distance, half_width: scores.masked_fill(
                distance.abs() >= half_width, -inf
            ).softmax(-1)
        ),
        _(
            "The ends of the window are missing: |j - p_i| <= D includes both, so that a centre on "
            "a word has a window of 2 D + 1 words. Where p_i is no whole number the difference "
            "does not show. A comparison with < does this, and so does a slice, which leaves "
            "out its end."
        ),
        WINDOW,
        (with_weights(_cut_open), _slice(_as_it_is), _slice(torch.floor)),
        case=ON_A_WORD,
    ),
    Misconception(
        "window-with-one-end",
        _one_end(1),
        _(
            "The window has one end only: the distance is compared with its sign, so all words on "
            "one side of the centre are inside, however far. They keep their share of the softmax. "
            "Compare the distance without its sign: abs()."
        ),
        WINDOW,
        (_one_end(-1),),
    ),
    Misconception(
        "center-rounded",
        with_centers(torch.round, torch.round),
        _(
            "The centre is rounded to a whole number. p_i is real: between two words it gives both "
            "a share. Rounding has the gradient zero, so that the prediction of p_i gets no "
            "signal, or one for another place than it predicted. Only j is a whole number."
        ),
        CENTRE,
        (
            with_centers(torch.round, _as_it_is),
            with_centers(_as_it_is, torch.round),
            with_centers(torch.floor, torch.floor),
            with_centers(torch.floor, _as_it_is),
        ),
        case=BETWEEN_TWO_WORDS,
    ),
    Misconception(
        "positions-from-one",
        with_centers(_one_lower, _one_lower),
        _(
            "Your source positions start at 1, the centre's at 0, as the stub says. Window and "
            "Gaussian then both lie one word too far to the left, and a model trained so reads "
            "each word's neighbour. `torch.arange(source)` starts at 0."
        ),
        WINDOW,
        (with_centers(_one_lower, _as_it_is), with_centers(_as_it_is, _one_lower)),
    ),
    Misconception(
        "outside-scores-zero",
        with_weights(
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
        with_weights(
            lambda scores, distance, half_width: (
                cut(scores, distance, half_width).softmax(1).nan_to_num()
            )
        ),
        _(
            "The softmax runs over the queries: each source word shares itself out among the "
            "target words. A query's weights then depend on queries that a decoder has not seen "
            "yet. The source is the last axis: dim=-1."
        ),
        WINDOW,
        (
            with_weights(
                lambda scores, distance, half_width: cut(scores, distance, half_width).softmax(1)
            ),
        ),
    ),
    Misconception(
        "center-detached",
        lambda scores, center, half_width: right(scores, center.detach(), half_width),
        _(
            "The values are right, but no gradient leads back to the centre. The Gaussian is the "
            "only way on which the loss can tell W_p and v_p where they should have looked. "
            "Without it p_i stays where the initial parameters put it. Compute with the tensor "
            "itself, without detach, item or float."
        ),
        CENTRE,
    ),
)
