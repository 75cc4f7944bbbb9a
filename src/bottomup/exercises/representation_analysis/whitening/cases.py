"""Cases of whitening for canonical correlations."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, call_with_inputs, case, tensor
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.registry import find
from bottomup.exercises.representation_analysis.signs import orthonormal, turned
from bottomup.i18n import _

# ---- How an answer is run, and how two whitened matrices are compared

TOLERANCE = 1e-6  # of the largest entry; a decomposition of X^T X loses half of the digits
NOISE = 1e-3  # length squared that lies outside of the features


class ShortMask(str):
    """The error that stands for the result where S was too short a mask for the columns of U."""


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Run an answer; where S does not fit a square U, return that instead of raising.

    Signs of columns are arbitrary: a report shows the same ones on every machine.
    """
    samples, features = case.inputs["X"].shape
    try:
        value = call_with_inputs(answer, case)
        return turned(value) if isinstance(value, Tensor) else value
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
    if not comparable(got, expected):
        return difference(got, expected)
    ours, theirs = got.detach(), expected.detach()
    span = find("whitening").solution(case.inputs["X"])
    if ours.shape[0] == len(span) and ours.shape[1] > span.shape[1]:
        if holds_noise(ours, span) != holds_noise(theirs, span):
            return what_is_wrong(ours, span)
        ours, theirs = (span.T @ x[:, x.isfinite().all(0)] for x in (ours, theirs))
    return None if agree(ours @ ours.T, theirs @ theirs.T) else what_is_wrong(got.detach(), span)


def comparable(got: Any, expected: Any) -> bool:
    both = isinstance(got, Tensor) and isinstance(expected, Tensor)
    return (
        both
        and (got.shape, got.dtype, got.device) == (expected.shape, expected.dtype, expected.device)
        and got.dim() == 2
        and got.is_floating_point()
    )


def holds_noise(x: Tensor, span: Tensor) -> bool:
    outside = x - span @ (span.T @ x)
    return not bool(outside.isfinite().all()) or float(outside.square().sum()) > NOISE


def agree(ours: Tensor, theirs: Tensor) -> bool:
    finite = theirs[theirs.isfinite()].abs()
    unit = float(finite.max()) if finite.numel() else 1.0
    unit = unit or 1.0  # all zero
    return torch.allclose(ours / unit, theirs / unit, rtol=0, atol=TOLERANCE, equal_nan=True)


def what_is_wrong(got: Tensor, span: Tensor) -> str:
    """Say what is wrong with a matrix that should be a basis of the span."""
    if not bool(got.isfinite().all()):
        return _("Some of its values are NaN or infinite.")
    off = (got.T @ got - torch.eye(got.shape[1], dtype=got.dtype)).abs().max()
    if off > TOLERANCE:
        sentence = _("Its columns are not orthonormal: U^T U differs from the identity by {by}.")
        return sentence.format(by=f"{float(off):.2g}")
    if len(got) == len(span):
        by = f"{float((got @ got.T - span @ span.T).abs().max()):.2g}"
        sentence = _(
            "Its columns are orthonormal, but they span another space than the features do: "
            "U U^T differs by at most {by}."
        )
        return sentence.format(by=by)
    return _("Its columns are orthonormal, but it has another number of rows than X.")


# ---- Cases


def drawn(*shape: int, generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def correlated(samples: int, features: int, *, mean: float = 1.0, unit: float = 1.0) -> Drawn:
    """Features that correlate, of spreads that differ and with means of about `mean`."""

    def make(generator: torch.Generator) -> Tensor:
        held = drawn(samples, features, generator=generator)
        mixed = held @ drawn(features, features, generator=generator)
        spread = torch.linspace(0.2, 3, features, dtype=torch.float64)
        means = mean * (1 + drawn(features, generator=generator).abs())
        return unit * (mixed * spread + means)

    return Drawn(make)


def of_sizes(samples: int, *sizes: float) -> Drawn:
    """Features with these singular values, none of them along a direction."""

    def make(generator: torch.Generator) -> Tensor:
        columns = drawn(samples, len(sizes), generator=generator)
        U = orthonormal(columns - columns.mean(0))
        V = orthonormal(drawn(len(sizes), len(sizes), generator=generator))
        return U * torch.tensor(sizes, dtype=torch.float64) @ V.T + 0.5 * sizes[0]

    return Drawn(make)


def with_a_copy(X: Tensor) -> Tensor:
    X[:, 2] = X[:, 0]
    return X


def with_a_constant(X: Tensor) -> Tensor:
    X[:, 1] = 2.0
    return X


WITHOUT = {"a batch of one": "one sample does not vary"}

CASES = (
    case(
        _("four samples of two features that do not correlate"),
        X=tensor([[3, 1], [3, -1], [-1, 1], [-1, -1]], dtype=torch.float64),
        # the means are 1 and 0, the columns that are left (2, 2, -2, -2) and (1, -1, 1, -1)
        gives=tensor([[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]], dtype=torch.float64),
    ),
    case(
        _("five samples of two features that correlate"),
        X=tensor([[1, 2], [2, 1], [3, 5], [6, 4], [8, 8]], dtype=torch.float64),
    ),
    case(_("features far from zero"), seed=1, X=correlated(11, 3, mean=50.0)),
    case(_("a feature that stands there twice"), seed=2, X=correlated(7, 3).then(with_a_copy)),
    case(_("a feature that does not vary"), seed=3, X=correlated(11, 3).then(with_a_constant)),
    case(_("directions of sizes 1, 1e-4 and 1e-7"), seed=4, X=of_sizes(13, 1.0, 1e-4, 1e-7)),
    case(_("directions of sizes 1 and 4e-6"), seed=13, X=of_sizes(11, 1.0, 4e-6)),
    case(_("directions of sizes 1 and 1/500"), seed=11, X=of_sizes(11, 1.0, 2e-3)),
    case(
        _("twelve large directions and a small one"),
        seed=12,
        X=of_sizes(17, *(1 - i / 100 for i in range(12)), 3e-5),
    ),
    case(_("features in a small unit"), seed=5, X=correlated(11, 2, unit=1e-8)),
    case(_("one direction dwarfs the others"), seed=6, X=of_sizes(17, 1e6, 300.0, 0.1)),
    case(_("fewer samples than features"), seed=7, X=correlated(5, 7)),
    case(_("twenty-three samples of seven features"), seed=8, X=correlated(23, 7)),
    case(_("as many samples as features"), seed=9, X=correlated(7, 7)),
    case(_("one feature"), seed=10, X=correlated(13, 1)),
)
