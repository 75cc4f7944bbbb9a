"""Exercise: the weights of local-p (Luong, Pham and Manning, 2015, section 3.2, equation 10)."""

from collections.abc import Callable
from math import inf, pi, sqrt

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def local_p_weights(scores: torch.Tensor, center: torch.Tensor, half_width: int) -> torch.Tensor:
    distance = torch.arange(scores.shape[-1]) - center[..., None]  # [batch, query, source]
    outside = distance.abs() > half_width
    weights = torch.softmax(scores.masked_fill(outside, -torch.inf), dim=-1)
    sigma = half_width / 2
    return weights * torch.exp(-(distance**2) / (2 * sigma**2))


def with_added_infinity(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    positions = torch.arange(scores.shape[2], dtype=scores.dtype).view(1, 1, -1)
    p = center.unsqueeze(-1)
    inside = (positions >= p - half_width) & (positions <= p + half_width)
    align = (scores + inside.log()).softmax(-1)
    return align * torch.exp(-2 * ((positions - p) / half_width) ** 2)


def with_exponentials(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = torch.arange(scores.shape[-1]) - center[:, :, None]
    inside = distance.abs() <= half_width
    largest = torch.where(inside, scores, -torch.inf).amax(-1, keepdim=True)
    exponentials = torch.where(inside, scores - largest, -torch.inf).exp()
    gaussian = torch.exp(-0.5 * (2 * distance / half_width).square())
    return exponentials / exponentials.sum(-1, keepdim=True) * gaussian


def with_loops(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    rows = []
    for row, p in zip(scores.flatten(0, 1), center.flatten(), strict=True):
        inside = [s for s in range(len(row)) if abs(s - p) <= half_width]
        align = torch.softmax(row[inside], dim=0)
        sigma = half_width / 2
        weights = torch.zeros_like(row)
        for weight, s in zip(align, inside, strict=True):
            weights[s] = weight * torch.exp(-((s - p) ** 2) / (2 * sigma**2))
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)


# ---- Wrong answers by part: what the mistakes are made of

ON_A_WORD = _("centres on a word")
BETWEEN_TWO_WORDS = _("centres between two words")
AT_THE_EDGES = _("windows cut at the edges")
FAR_BELOW = _("scores far below zero")
FAR_ABOVE = _("a score far above the others, outside the window")
Wrong = Callable[[Tensor, Tensor, int], Tensor]
Move = Callable[[Tensor], Tensor]


def distance_of(scores: Tensor, center: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) - center[..., None]


def gaussian_of(distance: Tensor, sigma: float) -> Tensor:
    return torch.exp(-(distance**2) / (2 * sigma**2))


def cut(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
    return scores.masked_fill(distance.abs() > half_width, -inf)


def right(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
    distance = distance_of(scores, center)
    weights = cut(scores, distance, half_width).softmax(-1)
    return weights * gaussian_of(distance, half_width / 2)


def with_factor(factor: Callable[[Tensor, int], Tensor]) -> Wrong:
    """A wrong answer that multiplies the window's softmax by another factor."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        distance = distance_of(scores, center)
        weights = cut(scores, distance, half_width).softmax(-1)
        return weights * factor(distance, half_width)

    return wrong


def with_weights(weigh: Callable[[Tensor, Tensor, int], Tensor]) -> Wrong:
    """A wrong answer that multiplies the right Gaussian to other weights."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        distance = distance_of(scores, center)
        return weigh(scores, distance, half_width) * gaussian_of(distance, half_width / 2)

    return wrong


def with_centers(for_window: Move, for_gaussian: Move) -> Wrong:
    """A wrong answer that moves the centre of the window, of the Gaussian or of both."""

    def wrong(scores: Tensor, center: Tensor, half_width: int) -> Tensor:
        weights = cut(scores, distance_of(scores, for_window(center)), half_width).softmax(-1)
        return weights * gaussian_of(distance_of(scores, for_gaussian(center)), half_width / 2)

    return wrong


# ---- Mistakes: the Gaussian's place, width and sign


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
    Mistake("renormalised", _log_added, (_log_added_without_window,)),
    Mistake("gaussian-in-the-scores", _in_the_scores, (_in_all_scores,)),
    Mistake(
        "gaussian-missing", with_factor(lambda distance, half_width: torch.ones_like(distance))
    ),
    Mistake(
        "sigma-is-d", with_factor(lambda distance, half_width: gaussian_of(distance, half_width))
    ),
    Mistake(
        "sigma-not-squared",
        with_factor(lambda distance, half_width: torch.exp(-(distance**2) / half_width)),
    ),
    Mistake(
        "distance-not-squared",
        _with_exponent(lambda distance: distance),
        (_with_exponent(torch.neg), _with_exponent(torch.abs)),
    ),
    Mistake(
        "factor-two-missing",
        with_factor(lambda distance, half_width: torch.exp(-((distance / half_width * 2) ** 2))),
    ),
    Mistake(
        "denominator-without-brackets",
        with_factor(
            lambda distance, half_width: torch.exp(-(distance**2) / 2 * (half_width / 2) ** 2)
        ),
        (with_factor(lambda distance, half_width: torch.exp(-(distance**2) / 2 * half_width / 2)),),
    ),
    Mistake(
        "minus-missing",
        with_factor(
            lambda distance, half_width: torch.exp(distance**2 / (2 * (half_width / 2) ** 2))
        ),
        (
            with_factor(
                lambda distance, half_width: torch.exp(distance**2 / 2 * (half_width / 2) ** 2)
            ),
        ),
    ),
    Mistake("sigma-rounded-down", with_factor(_sigma_floored)),
    Mistake(
        "normal-density",
        with_factor(
            lambda distance, half_width: (
                gaussian_of(distance, half_width / 2) / (half_width / 2 * sqrt(2 * pi))
            )
        ),
    ),
)


# ---- Mistakes: the window and its centre


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


def _filled(fill: float) -> Callable[[Tensor, Tensor, int], Tensor]:
    return lambda scores, distance, half_width: scores.masked_fill(
        distance.abs() > half_width, fill
    ).softmax(-1)


def _exponentials_of_the_window(spare: float = 0.0) -> Callable[[Tensor, Tensor, int], Tensor]:
    def weigh(scores: Tensor, distance: Tensor, half_width: int) -> Tensor:
        exponentials = cut(scores, distance, half_width).exp()
        return exponentials / (exponentials.sum(-1, keepdim=True) + spare)

    return weigh


def _softmax(scores: Tensor) -> Tensor:
    return scores.softmax(-1)


MISTAKES = (
    *GAUSSIAN,
    Mistake(
        "window-after-softmax",
        with_weights(
            lambda scores, distance, half_width: scores.softmax(-1) * (distance.abs() <= half_width)
        ),
        case=FAR_ABOVE,
    ),
    Mistake(
        "overflow",
        _divided(weigh=_softmax),
        (
            _divided(weigh=torch.exp),
            _divided(1e-9, weigh=torch.exp),
            _divided(1e-6, weigh=_softmax),
            _divided(1e-8, weigh=_softmax),
            _divided(1e-9, weigh=_softmax),
            _divided(1e-12, weigh=_softmax),
            with_weights(_exponentials_of_the_window()),
            with_weights(_exponentials_of_the_window(1e-9)),
        ),
        case=FAR_ABOVE,
    ),
    Mistake(
        "finite-fill",
        with_weights(_filled(-1e4)),
        (with_weights(_filled(-1e5)), with_weights(_filled(-1e6))),
        case=FAR_BELOW,
    ),
    Mistake(
        "window-missing",
        with_weights(lambda scores, distance, half_width: scores.softmax(-1)),
        case=FAR_ABOVE,
    ),
    Mistake(
        "window-too-narrow",
        with_weights(
            lambda scores, distance, half_width: scores.masked_fill(
                distance.abs() >= half_width, -inf
            ).softmax(-1)
        ),
        (with_weights(_cut_open), _slice(_as_it_is), _slice(torch.floor)),
        case=ON_A_WORD,
    ),
    Mistake("window-with-one-end", _one_end(1), (_one_end(-1),)),
    Mistake(
        "center-rounded",
        with_centers(torch.round, torch.round),
        (
            with_centers(torch.round, _as_it_is),
            with_centers(_as_it_is, torch.round),
            with_centers(torch.floor, torch.floor),
            with_centers(torch.floor, _as_it_is),
        ),
        case=BETWEEN_TWO_WORDS,
    ),
    Mistake(
        "positions-from-one",
        with_centers(_one_lower, _one_lower),
        (with_centers(_one_lower, _as_it_is), with_centers(_as_it_is, _one_lower)),
    ),
    Mistake(
        "outside-scores-zero",
        with_weights(
            lambda scores, distance, half_width: (scores * (distance.abs() <= half_width)).softmax(
                -1
            )
        ),
    ),
    Mistake(
        "softmax-over-queries",
        with_weights(
            lambda scores, distance, half_width: (
                cut(scores, distance, half_width).softmax(1).nan_to_num()
            )
        ),
        (
            with_weights(
                lambda scores, distance, half_width: cut(scores, distance, half_width).softmax(1)
            ),
        ),
    ),
    Mistake(
        "center-detached",
        lambda scores, center, half_width: right(scores, center.detach(), half_width),
    ),
)


# ---- Cases


def _random(
    *shape: int, half_width: int, spread: float = 2.0, double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        scores = spread * torch.randn(shape, generator=generator, dtype=dtype)
        share = torch.rand(shape[:-1], generator=generator, dtype=dtype)
        return {"scores": scores, "center": shape[-1] * share, "half_width": half_width}

    return make


def _at(*centers: float, source: int, half_width: int) -> Callable[[torch.Generator], Inputs]:
    """One sentence, one query for each given centre."""

    def make(generator: torch.Generator) -> Inputs:
        scores = torch.randn(1, len(centers), source, generator=generator)
        return {"scores": scores, "center": torch.tensor([centers]), "half_width": half_width}

    return make


def _hand(generator: torch.Generator) -> Inputs:
    scores = torch.tensor([[[0.0, 1.0, 2.0, 0.0], [1.0, 0.0, 1.0, 3.0]]])
    return {"scores": scores, "center": torch.tensor([[1.0, 1.5]]), "half_width": 1}


def _far_above(generator: torch.Generator) -> Inputs:
    inputs = _at(0.8, 2.2, source=7, half_width=2)(generator)
    inputs["scores"][..., 6] = 300.0
    return inputs


def _far_below(generator: torch.Generator) -> Inputs:
    inputs = _hand(generator)
    return {**inputs, "scores": inputs["scores"] - 2e6}


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _at(0.4, 2.3, source=5, half_width=2)(generator)
    return {
        "scores": inputs["scores"].requires_grad_(),
        "center": inputs["center"].requires_grad_(),
        "half_width": 2,
    }


CASES = (
    Case(_("two queries, four source words, D = 1"), _hand),
    Case(ON_A_WORD, _at(2.0, 3.0, 4.0, source=7, half_width=2), seed=1),
    Case(BETWEEN_TWO_WORDS, _at(1.75, 3.2, 4.6, source=7, half_width=1), seed=2),
    Case(AT_THE_EDGES, _at(0.0, 0.3, 4.7, 5.0, source=5, half_width=3), seed=3),
    Case(_("a batch"), _random(2, 3, 11, half_width=2), seed=4),
    Case(_("a wide window"), _random(3, 2, 13, half_width=4), seed=5),
    Case(_("a window wider than the sentence"), _random(2, 5, 3, half_width=7), seed=6),
    Case(_("one source word"), _random(3, 2, 1, half_width=1), seed=7),
    Case(FAR_ABOVE, _far_above, seed=8),
    Case(FAR_BELOW, _far_below),
    Case(_("large scores"), _random(1, 3, 7, half_width=3, spread=100.0), seed=9),
    Case(_("float64"), _random(2, 5, 7, half_width=3, double=True), seed=10),
    Case(_("the gradients of a small case"), _with_gradients, seed=11),
)

ANSWERS = Answers(
    solution=local_p_weights,
    alternatives=(with_added_infinity, with_exponentials, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
