"""Exercise: how much of a dimension each feature has (Elhage et al., 2022)."""

from collections.abc import Callable
from math import inf, pi
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.compare import difference
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.mlp_and_superposition.feature_dimensions_mistakes import (
    MISCONCEPTIONS,
    PAIR,
    WEAK,
    ZERO,
)
from bottomup.i18n import _

LARGE = 1e4  # no D_i is above 1

STUB = '''\
def feature_dimensions(W):
    """How much of a dimension each feature has to itself.

    D_i = |W_i|^2 / sum_j (U_i . W_j)^2, where W_i is the column of
    feature i, U_i = W_i / |W_i| its direction, and j runs over all
    features. W [dimensions, features]; a column of zeros has D_i = 0.
    Returns [features], in the dtype of W.
    """
    ...
'''


def feature_dimensions(W: torch.Tensor) -> torch.Tensor:
    squares = W.square().sum(dim=0)  # |W_i|^2
    directions = W / squares.sqrt()
    shared = (directions.T @ W).square().sum(dim=1)
    return torch.where(squares > 0, squares / shared, 0)


def with_loops(W: Tensor) -> Tensor:
    columns = list(W.unbind(1))
    found = []
    for column in columns:
        length = column.norm()
        if length == 0:
            found.append(W.new_zeros(()))
            continue
        shared = sum((column @ other / length) ** 2 for other in columns)
        found.append(length**2 / shared)
    return torch.stack(found)


def multiplied_out(W: Tensor) -> Tensor:
    gram = W.T @ W  # D_i = |W_i|^4 / sum_j (W_i . W_j)^2
    return (gram.diagonal() ** 2 / gram.square().sum(0)).nan_to_num(0)


def with_normalize(W: Tensor) -> Tensor:
    directions = torch.nn.functional.normalize(W, dim=0)
    shared = torch.einsum("di,dj->ij", directions, W).pow(2).sum(-1)
    return torch.linalg.vector_norm(W, dim=0).pow(2) / shared.clamp(min=1e-30)


def with_a_spectrum(W: Tensor) -> Tensor:
    directions = W / W.norm(dim=0).clamp(min=1e-12)
    shared = torch.einsum("di,de,ei->i", directions, W @ W.mT, directions)
    return W.square().sum(0) / shared.masked_fill(shared == 0, 1)


def compare(got: Any, expected: Tensor, case: Case) -> str | None:
    """Compare, with every large number taken for infinity, and zero for it where one is expected.

    Without its squares the sum of a pentagon is 0 up to rounding: what a quotient by it comes to
    is noise, another one for another order of the sum. An answer may also set infinities to zero,
    with `nan_to_num`. The solution has none: this matters where an answer is held against another
    wrong one.
    """
    got, expected = _without_noise(got), _without_noise(expected)
    if isinstance(got, Tensor) and _of_one_kind(got, expected):
        got = got.masked_fill((got == 0) & expected.isinf(), inf)
    return difference(got, expected)


def _of_one_kind(a: Tensor, b: Tensor) -> bool:
    return (a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device)


def _without_noise(value: Any) -> Any:
    if not (isinstance(value, Tensor) and value.is_floating_point()):
        return value
    return value.masked_fill(value.abs() > LARGE, inf)


def _given(*rows: list[float]) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"W": torch.tensor(rows)}


def _pentagon(generator: torch.Generator) -> Inputs:
    angle = 2 * pi * torch.arange(5) / 5
    return {"W": torch.stack([angle.cos(), angle.sin()])}


def _random(
    dimensions: int, features: int, dtype: torch.dtype = torch.float32
) -> Callable[[torch.Generator], Inputs]:
    """Columns of lengths that differ several times over."""

    def make(generator: torch.Generator) -> Inputs:
        W = torch.randn(dimensions, features, generator=generator, dtype=dtype)
        return {"W": W * torch.linspace(0.5, 2, features, dtype=dtype)}

    return make


CASES = (
    Case(_("a pentagon: five features in two dimensions"), _pentagon),
    Case(PAIR, _given([1.0, -1.0, 0.0], [0.0, 0.0, 2.0])),
    Case(_("two features of lengths 2 and 1 in one dimension"), _given([2.0, -1.0])),
    Case(_("three features with a dimension each"), _given([3.0, 0, 0], [0, 0, 1.0], [0, 0.5, 0])),
    Case(_("seven features in three dimensions"), _random(3, 7), seed=1),
    Case(_("as many features as dimensions"), _random(5, 5), seed=2),
    Case(_("more dimensions than features"), _random(11, 3), seed=3),
    Case(ZERO, _given([1.0, 0.0, -1.0], [2.0, 0.0, 1.0])),
    Case(WEAK, _given([1.0, 0.0], [0.0, 0.02])),
    Case(_("one feature"), _random(3, 1), seed=4),
    Case(_("float64"), _random(2, 5, torch.float64), seed=5),
)

FEATURE_DIMENSIONS = Exercise(
    slug="feature-dimensions",
    title=_("How much of a dimension a feature has"),
    chapter="04",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Take two features in one dimension, W = [[1, -1]]. What is the sum for the first of "
            "them, and which of its two terms is there even if the feature is alone?"
        ),
        _(
            "The matrix of all U_i · W_j is `directions.T @ W`, [features, features]. Row i "
            "belongs to feature i: only the row's side is made a unit vector."
        ),
        _(
            "Square every entry, sum each row, divide |W_i|^2 by that. A column of zeros gives 0/0 "
            "and so NaN; `torch.where(lengths > 0, result, 0)` settles it."
        ),
    ),
    solution=feature_dimensions,
    alternatives=(with_loops, multiplied_out, with_normalize, with_a_spectrum),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare,
)
