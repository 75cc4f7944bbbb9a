"""Exercise: whitening for canonical correlations (Morcos, Raghu and Bengio, 2018)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake, call_with_inputs
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _


def whiten(X: torch.Tensor) -> torch.Tensor:
    centred = X - X.mean(dim=0)
    U, S, _Vh = torch.linalg.svd(centred, full_matrices=False)
    return U[:, S / S[0] > 1e-5]


def by_dividing(X: Tensor) -> Tensor:
    centred = X - X.mean(0, keepdim=True)
    _U, S, Vh = torch.linalg.svd(centred, full_matrices=False)
    kept = S / S.max() > 1e-5
    return centred @ Vh[kept].T / S[kept]


def by_projection(X: Tensor) -> Tensor:
    """With the eigenvectors of the samples' products, [sample, sample]."""
    n = len(X)
    taken_off = torch.eye(n, dtype=X.dtype) - 1 / n
    values, vectors = torch.linalg.eigh(taken_off @ X @ X.T @ taken_off)
    return vectors[:, values > 1e-10 * values.max()]


def with_qr(X: Tensor) -> Tensor:
    """QR after the small directions have gone, then turned at random."""
    U, S, _Vh = torch.linalg.svd(X - X.mean(0), full_matrices=False)
    rank = int((S / S[0] > 1e-5).sum())
    mixed = torch.randn(rank, rank, dtype=X.dtype)
    return torch.linalg.qr(U[:, :rank] @ mixed).Q


def with_a_root(X: Tensor) -> Tensor:
    """ZCA, within the directions that are kept."""
    centred = X - torch.einsum("nd->d", X) / len(X)
    values, V = torch.linalg.eigh(centred.mT @ centred)
    reduced = centred @ V[:, values > 1e-10 * values[-1]]
    L, W = torch.linalg.eigh(reduced.mT @ reduced)
    return reduced @ W @ torch.diag(L**-0.5) @ W.T


# ---- One step in another way, and how two whitened matrices are compared

Answer = Callable[[Tensor], Tensor]
Keep = Callable[[Tensor], Tensor]  # S -> which directions are kept
Columns = Callable[[Tensor, Tensor, Tensor], Tensor]  # U, S, Vh of what was kept -> the result
TOLERANCE = 1e-6  # of the largest entry; a decomposition of X^T X loses half of the digits
NOISE = 1e-3  # length squared that lies outside of the features


class ShortMask(str):
    """The error that stands for the result where S was too short a mask for the columns of U."""


def telling_a_short_mask(answer: Callable[..., Any], case: Case) -> Any:
    """Run an answer; where S does not fit a square U, return that instead of raising."""
    samples, features = case.inputs["X"].shape
    try:
        return call_with_inputs(answer, case)
    except IndexError as error:
        text = str(error)
        if samples > features and "mask" in text and f"[{samples}, {samples}]" in text:
            return ShortMask(f"IndexError: U is [{samples}, {samples}], S [{features}]")
        raise


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare two matrices up to a rotation of their columns.

    A = B Q with an orthogonal Q if and only if A A^T = B B^T. Where both have more columns than
    the features have directions, what lies outside of these is rounding noise: whether there is
    any is compared, and not which.
    """
    if isinstance(got, ShortMask):
        if got == expected:
            return None
        return _("U has a column for each sample, and the mask of S is too short for them.")
    if not _comparable(got, expected):
        return difference(got, expected)
    ours, theirs = got.detach(), expected.detach()
    span = whitened()(case.inputs["X"])
    if ours.shape[0] == len(span) and ours.shape[1] > span.shape[1]:
        if _holds_noise(ours, span) != _holds_noise(theirs, span):
            return _sentence(ours, span)
        ours, theirs = (span.T @ x[:, x.isfinite().all(0)] for x in (ours, theirs))
    if _agree(ours @ ours.T, theirs @ theirs.T):
        return None
    return _sentence(got.detach(), span)


def _comparable(got: Any, expected: Any) -> bool:
    both = isinstance(got, Tensor) and isinstance(expected, Tensor)
    return (
        both
        and (got.shape, got.dtype, got.device) == (expected.shape, expected.dtype, expected.device)
        and got.dim() == 2
        and got.is_floating_point()
    )


def _holds_noise(x: Tensor, span: Tensor) -> bool:
    outside = x - span @ (span.T @ x)
    return not bool(outside.isfinite().all()) or float(outside.square().sum()) > NOISE


def _agree(ours: Tensor, theirs: Tensor) -> bool:
    finite = theirs[theirs.isfinite()].abs()
    unit = float(finite.max()) if finite.numel() else 1.0
    unit = unit or 1.0  # all zero
    return torch.allclose(ours / unit, theirs / unit, rtol=0, atol=TOLERANCE, equal_nan=True)


def _sentence(got: Tensor, span: Tensor) -> str:
    """Say what is wrong with a matrix that should be a basis of the span."""
    if not bool(got.isfinite().all()):
        return _("Some of its values are NaN or infinite.")
    off = (got.T @ got - torch.eye(got.shape[1], dtype=got.dtype)).abs().max()
    if off > TOLERANCE:
        sentence = _("Its columns are not orthonormal: U^T U differs from the identity by {by}.")
        return sentence.format(by=f"{float(off):.2g}")
    if len(got) == len(span):
        return _("Its columns are orthonormal, but they span another space than the features do.")
    return _("Its columns are orthonormal, but it has another number of rows than X.")


def centred(X: Tensor) -> Tensor:
    return X - X.mean(dim=0)


def square(*, cut: bool) -> Answer:
    """By the full decomposition: U is [sample, sample], S as long as the shorter side of X."""

    def answer(X: Tensor) -> Tensor:
        U, S, _Vh = torch.linalg.svd(centred(X))
        return U[:, by_share(S)] if cut else U

    return answer


def by_share(S: Tensor) -> Tensor:
    return S / S[0] > 1e-5


def everything(S: Tensor) -> Tensor:
    return S >= 0


def left(U: Tensor, S: Tensor, Vh: Tensor) -> Tensor:
    return U


def whitened(centre: Answer = centred, keep: Keep = by_share, columns: Columns = left) -> Answer:
    """Right but for one of three steps."""

    def answer(X: Tensor) -> Tensor:
        U, S, Vh = torch.linalg.svd(centre(X), full_matrices=False)
        kept = keep(S)
        return columns(U[:, kept], S[kept], Vh[kept])

    return answer


def ways(columns: Columns) -> tuple[Answer, ...]:
    """Other columns, cut to the rank and not cut."""
    return whitened(columns=columns), whitened(keep=everything, columns=columns)


def scores(U: Tensor, S: Tensor, Vh: Tensor) -> Tensor:
    return U * S


def divided_twice(U: Tensor, S: Tensor, Vh: Tensor) -> Tensor:
    return U / S


def divided_by_the_covariance(U: Tensor, S: Tensor, Vh: Tensor) -> Tensor:
    return U / S * (len(U) - 1)


def unit_variance(freedom: int) -> Columns:
    return lambda U, S, Vh: U * (len(U) - freedom) ** 0.5


def with_covariance(tolerance: float, floor: float = 0.0) -> Answer:
    """By the eigenvectors of X^T X, whose eigenvalues are the S squared."""

    def answer(X: Tensor) -> Tensor:
        scores = centred(X)
        values, vectors = torch.linalg.eigh(scores.T @ scores)
        kept = values > tolerance * values[-1] if tolerance else values > -torch.inf
        return scores @ vectors[:, kept] / (values[kept] + floor).sqrt()

    return answer


def divided_scores(X: Tensor) -> Tensor:
    """The components over their singular values, cut nowhere."""
    _U, S, Vh = torch.linalg.svd(centred(X), full_matrices=False)
    return centred(X) @ Vh.T / S


def turned_back(X: Tensor) -> Tensor:
    """Columns for features and not for directions: ZCA."""
    return whitened(columns=lambda U, S, Vh: U @ Vh)(X)


def padded(X: Tensor) -> Tensor:
    U, S, _Vh = torch.linalg.svd(centred(X), full_matrices=False)
    return U * by_share(S)


def standardised(divisor: Answer, centre: Answer = centred) -> tuple[Answer, ...]:
    """Each feature over a number of its own; a feature that does not vary is NaN, or zero."""

    def answer(X: Tensor) -> Tensor:
        return centre(X) / divisor(centre(X))

    return answer, lambda X: answer(X).nan_to_num(0, 0, 0)


def one_divisor(divisor: Answer) -> Answer:
    return lambda X: centred(X) / divisor(centred(X))


def of_variance(share: float) -> Keep:
    """The fewest directions that hold this share of the variance."""

    def keep(S: Tensor) -> Tensor:
        part = S.square() / S.square().sum()
        return part.cumsum(0) - part < share

    return keep


def product(X: Tensor) -> Tensor:
    U = whitened()(X)
    return U @ U.T


# ---- Mistakes: the mean, the divisor, the rank, the side

HAND = _("four samples of two features that do not correlate")
CORRELATED = _("five samples of two features that correlate")
OFFSET = _("features far from zero")
TWICE = _("a feature that stands there twice")
TINY = _("directions of sizes 1, 1e-4 and 1e-7")
SMALL = _("features in a small unit")
LARGE = _("one direction dwarfs the others")
FEW = _("fewer samples than features")


def _named(slug: str, *answers: Answer, case: str = "") -> Mistake:
    wrong, *variants = answers
    return Mistake(slug, wrong, tuple(variants), case)


MEANS = (
    _named(
        "not-centred",
        whitened(centre=lambda X: X),
        whitened(centre=lambda X: X, keep=everything),
        case=OFFSET,
    ),
    _named(
        "another-mean",
        whitened(centre=lambda X: X - X.mean(dim=1, keepdim=True)),
        whitened(centre=lambda X: X - X.mean()),
        whitened(centre=lambda X: centred(X) - centred(X).mean(dim=1, keepdim=True)),
        case=OFFSET,
    ),
)

DIVISORS = (
    _named(
        "standardised",
        *standardised(lambda X: X.norm(dim=0)),
        *standardised(lambda X: X.std(dim=0)),
        *standardised(lambda X: X.std(dim=0, unbiased=False)),
        case=CORRELATED,
    ),
    _named("not-divided", *ways(scores), centred, case=HAND),
    _named(
        "divided-twice",
        *ways(divided_twice),
        *ways(divided_by_the_covariance),
        whitened(columns=lambda U, S, Vh: divided_twice(U, S, Vh) @ Vh),
        whitened(columns=lambda U, S, Vh: divided_by_the_covariance(U, S, Vh) @ Vh),
        case=HAND,
    ),
    _named("unit-variance", *ways(unit_variance(1)), *ways(unit_variance(0)), case=HAND),
    _named(
        "one-divisor",
        one_divisor(lambda X: torch.linalg.matrix_norm(X, 2)),
        one_divisor(lambda X: X.norm()),
        one_divisor(lambda X: X.std()),
        one_divisor(lambda X: X.abs().max()),
        one_divisor(lambda X: (X.square().sum() / len(X)).sqrt()),
        case=HAND,
    ),
)

RANKS = (
    _named(
        "noise-kept",
        whitened(keep=everything),
        whitened(keep=lambda S: S > 0),
        lambda X: torch.linalg.qr(centred(X)).Q,
        divided_scores,
        with_covariance(0.0),
        with_covariance(0.0, floor=1e-20),
        case=TWICE,
    ),
    _named(
        "limit-too-low",
        whitened(keep=lambda S: S / S[0] > 1e-8),
        whitened(keep=lambda S: S / S[0] > 1e-12),
        case=TINY,
    ),
    _named(
        "limit-too-high",
        whitened(keep=lambda S: S / S[0] > 1e-3),
        whitened(keep=lambda S: S / S[0] > 1e-2),
        whitened(keep=lambda S: S.square() > 1e-6 * S[0].square()),
        with_covariance(1e-6),
        case=TINY,
    ),
    _named("full-matrices", square(cut=True), square(cut=False), case=HAND),
    _named("not-cut-to-the-rank", padded, turned_back, case=TWICE),
    _named(
        "absolute-limit",
        whitened(keep=lambda S: S > 1e-5),
        whitened(keep=lambda S: S > 1e-3),
        whitened(keep=lambda S: S.square() > 1e-5),
        whitened(keep=lambda S: S.square() > 1e-10),
        case=SMALL,
    ),
    _named(
        "limit-on-the-squares",
        whitened(keep=lambda S: S.square() > 1e-5 * S[0].square()),
        with_covariance(1e-5),
        case=TINY,
    ),
    _named(
        "large-directions-only",
        *(whitened(keep=of_variance(share)) for share in (0.99, 0.9, 0.95, 0.999)),
        case=TINY,
    ),
)

SIDES = (
    _named(
        "feature-side",
        whitened(columns=lambda U, S, Vh: Vh.T),
        whitened(columns=lambda U, S, Vh: Vh),
        whitened(keep=everything, columns=lambda U, S, Vh: Vh.T),
        whitened(keep=everything, columns=lambda U, S, Vh: Vh),
        lambda X: whitened()(X.T),
        lambda X: whitened()(X.T).T,
        lambda X: whitened(keep=everything)(X.T),
        lambda X: whitened(keep=everything)(X.T).T,
        whitened(centre=lambda X: X - X.mean(dim=1, keepdim=True), columns=lambda U, S, Vh: Vh.T),
        case=CORRELATED,
    ),
    _named("projector-returned", product, case=HAND),
)

MISTAKES = (*MEANS, *DIVISORS, *RANKS, *SIDES)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _given(*rows: list[float]) -> Make:
    return lambda generator: {"X": torch.tensor(rows, dtype=torch.float64)}


def _draw(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _random(samples: int, features: int, *, mean: float = 1.0, unit: float = 1.0) -> Make:
    """Features that correlate, of spreads that differ and with means of about `mean`."""

    def make(generator: torch.Generator) -> Inputs:
        mixed = _draw(generator, samples, features) @ _draw(generator, features, features)
        spread = torch.linspace(0.2, 3, features, dtype=torch.float64)
        return {"X": unit * (mixed * spread + mean * (1 + _draw(generator, features).abs()))}

    return make


def _spectrum(samples: int, sizes: list[float]) -> Make:
    """Features with these singular values, none of them along a direction."""

    def make(generator: torch.Generator) -> Inputs:
        drawn = _draw(generator, samples, len(sizes))
        U = torch.linalg.qr(drawn - drawn.mean(0)).Q
        V = torch.linalg.qr(_draw(generator, len(sizes), len(sizes))).Q
        S = torch.tensor(sizes, dtype=torch.float64)
        return {"X": U * S @ V.T + 0.5 * S[0]}

    return make


def _with(change: Callable[[Tensor], None], make: Make) -> Make:
    def changed(generator: torch.Generator) -> Inputs:
        inputs = make(generator)
        change(inputs["X"])
        return inputs

    return changed


def _repeat(X: Tensor) -> None:
    X[:, 2] = X[:, 0]


def _hold(X: Tensor) -> None:
    X[:, 1] = 2.0


CASES = (
    Case(HAND, _given([3, 1], [3, -1], [-1, 1], [-1, -1])),
    Case(CORRELATED, _given([1, 2], [2, 1], [3, 5], [6, 4], [8, 8])),
    Case(OFFSET, _random(11, 3, mean=50.0), seed=1),
    Case(TWICE, _with(_repeat, _random(7, 3)), seed=2),
    Case(_("a feature that does not vary"), _with(_hold, _random(11, 3)), seed=3),
    Case(TINY, _spectrum(13, [1.0, 1e-4, 1e-7]), seed=4),
    Case(_("directions of sizes 1 and 1/500"), _spectrum(11, [1.0, 2e-3]), seed=11),
    Case(SMALL, _random(11, 2, unit=1e-8), seed=5),
    Case(LARGE, _spectrum(17, [1e6, 300.0, 0.1]), seed=6),
    Case(FEW, _random(5, 7), seed=7),
    Case(_("twenty-three samples of seven features"), _random(23, 7), seed=8),
    Case(_("as many samples as features"), _random(7, 7), seed=9),
    Case(_("one feature"), _random(13, 1), seed=10),
)

ANSWERS = Answers(
    solution=whiten,
    alternatives=(by_dividing, with_covariance(1e-10), by_projection, with_qr, with_a_root),
    mistakes=MISTAKES,
    cases=CASES,
    run=telling_a_short_mask,
    compare=compare,
)
