"""Exercise: how much of a dimension each feature has (Elhage et al., 2022)."""

from collections.abc import Callable
from math import inf, pi
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _

LARGE = 1e4  # no D_i is above 1


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


# ---- One step in another way: what the mistakes are made of

Answer = Callable[[Tensor], Tensor]
Formula = Callable[[Tensor, Tensor], Tensor]  # W and its directions -> what is returned


def divided(W: Tensor) -> Tensor:
    return W / W.norm(dim=0)


def _without_nan(result: Tensor) -> Tensor:
    return result.masked_fill(result.isnan(), 0)


def ways(*formulae: Formula) -> tuple[Answer, ...]:
    """Each formula with a column of zeros settled, and with NaN for it."""
    return tuple(answer for formula in formulae for answer in (settled(formula), naive(formula)))


def settled(formula: Formula) -> Answer:
    return lambda W: _without_nan(formula(W, normalize(W, dim=0)))


def naive(formula: Formula) -> Answer:
    return lambda W: formula(W, divided(W))


def settled_late(formula: Formula) -> Answer:
    """For a formula that spreads the NaN of one direction over all features."""
    return lambda W: _without_nan(formula(W, divided(W)))


def squares(W: Tensor) -> Tensor:
    return W.square().sum(0)


def products(W: Tensor, directions: Tensor) -> Tensor:
    return directions.T @ W


def shared(W: Tensor, directions: Tensor) -> Tensor:
    return products(W, directions).square().sum(1)


def with_numerator(numerator: Callable[[Tensor, Tensor], Tensor]) -> Formula:
    return lambda W, directions: numerator(W, directions) / shared(W, directions)


def over(denominator: Callable[[Tensor, Tensor], Tensor]) -> Formula:
    return lambda W, directions: squares(W) / denominator(W, directions)


def with_directions(directions: Answer) -> Formula:
    """Right but for what is taken for the directions."""
    return lambda W, unused: squares(W) / shared(W, directions(W))


def right(W: Tensor, directions: Tensor) -> Tensor:
    return squares(W) / shared(W, directions)


def of_rows(W: Tensor, unused: Tensor) -> Tensor:
    return right(W.T, divided(W.T))


def per_feature(W: Tensor, unused: Tensor) -> Tensor:
    return len(W) / W.square().sum()


def lengthened(small: float) -> tuple[Answer, ...]:
    """A small number is added to every length, to every sum, or to both."""

    def directions(W: Tensor) -> Tensor:
        return W / (W.norm(dim=0) + small)

    return ways(
        lambda W, unused: right(W, directions(W)),
        lambda W, unused: squares(W) / (shared(W, directions(W)) + small),
        lambda W, found: squares(W) / (shared(W, found) + small),
    )


def of_directions(W: Tensor, directions: Tensor) -> Tensor:
    return right(directions, directions)


def both(W: Tensor, directions: Tensor) -> Tensor:
    return squares(W) / shared(directions, directions)


# ---- Mistakes

PAIR = _("an antipodal pair, and a feature at right angles to it")
ZERO = _("a feature without a direction, listed between two others")
WEAK = _("a weak feature with a dimension of its own")


def _named(slug: str, *formulae: Formula, case: str = "") -> Mistake:
    wrong, *variants = ways(*formulae)
    return Mistake(slug, wrong, tuple(variants), case)


MISTAKES = (
    _named(
        "nothing-normalised",
        over(lambda W, directions: shared(W, W)),
        with_numerator(lambda W, directions: directions.square().sum(0)),
        lambda W, directions: 1 / shared(W, directions),
    ),
    Mistake("both-normalised", settled(both), (naive(both), settled_late(both))),
    Mistake(
        "other-lengths-lost",
        settled(of_directions),
        (
            naive(of_directions),
            settled_late(of_directions),
            *ways(over(lambda W, directions: products(W, directions).square().sum(0))),
        ),
    ),
    _named("own-term-left-out", over(lambda W, directions: shared(W, directions) - squares(W))),
    _named("rows-as-features", of_rows),
    _named(
        "square-missing",
        over(lambda W, directions: products(W, directions).sum(1)),
        over(lambda W, directions: products(W, directions).abs().sum(1)),
        case=PAIR,
    ),
    _named(
        "square-of-the-sum",
        over(lambda W, directions: products(W, directions).sum(1).square()),
        case=PAIR,
    ),
    _named("lengths-not-squared", with_numerator(lambda W, directions: W.norm(dim=0))),
    _named("root-of-the-fraction", lambda W, directions: right(W, directions).sqrt()),
    _named("rows-made-unit", with_directions(lambda W: normalize(W, dim=1))),
    _named("one-length-for-all", with_directions(lambda W: W / W.norm())),
    _named("upside-down", lambda W, directions: shared(W, directions) / squares(W)),
    _named(
        "dimensions-per-feature",
        per_feature,
        lambda W, unused: per_feature(W, unused).expand(W.shape[1]),
    ),
    _named("mean-for-sum", over(lambda W, directions: products(W, directions).square().mean(1))),
    _named(
        "positive-products-only",
        over(lambda W, directions: products(W, directions).relu().square().sum(1)),
        case=PAIR,
    ),
    Mistake("zero-feature-is-nan", lambda W: right(W, divided(W)), case=ZERO),
    Mistake("zero-feature-gets-one", lambda W: right(W, divided(W)).nan_to_num(1.0), case=ZERO),
    Mistake(
        "epsilon-added", lengthened(1e-5)[0], (*lengthened(1e-5)[1:], *lengthened(1e-6)), case=WEAK
    ),
)


# ---- Cases


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

ANSWERS = Answers(
    solution=feature_dimensions,
    alternatives=(with_loops, multiplied_out, with_normalize, with_a_spectrum),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare,
)
