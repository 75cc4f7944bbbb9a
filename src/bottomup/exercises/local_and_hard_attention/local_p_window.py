"""Exercise: the weights of local-p (Luong, Pham and Manning, 2015, section 3.2, equation 10)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.local_and_hard_attention.local_p_window_mistakes import MISCONCEPTIONS
from bottomup.exercises.local_and_hard_attention.local_p_window_parts import (
    AT_THE_EDGES,
    BETWEEN_TWO_WORDS,
    FAR_ABOVE,
    ON_A_WORD,
)
from bottomup.i18n import _

STUB = '''\
def local_p_weights(scores, center, half_width):
    """Softmax over a window, its weights multiplied by a Gaussian.

    scores [batch, query, source], of any size;
    center [batch, query]: p_i, a real number, positions counted from 0;
    half_width: D, a whole number of at least 1. The window is
    |j - p_i| <= D, and every window holds at least one position. The
    Gaussian is exp(-(j - p_i)^2 / (2 sigma^2)), with sigma = D / 2.
    Returns weights [batch, query, source], of the same dtype, zero outside
    the window.
    """
    ...
'''


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
    Case(_("large scores"), _random(1, 3, 7, half_width=3, spread=100.0), seed=9),
    Case(_("float64"), _random(2, 5, 7, half_width=3, double=True), seed=10),
    Case(_("the gradients of a small case"), _with_gradients, seed=11),
)

LOCAL_P_WINDOW = Exercise(
    slug="local-p-window",
    title=_("The weights of local-p"),
    chapter="01b",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Everything depends on the distance j - p_i of each source position from each query's "
            "centre. Which shapes give you all of them at once?"
        ),
        _(
            "`torch.arange(source) - center[..., None]` is [batch, query, source]. Both the window "
            "and the Gaussian come from it."
        ),
        _(
            "The window comes before the softmax, as a mask does: the scores outside it become "
            "-inf. The Gaussian comes after the softmax, as a factor."
        ),
    ),
    solution=local_p_weights,
    alternatives=(with_added_infinity, with_exponentials, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
