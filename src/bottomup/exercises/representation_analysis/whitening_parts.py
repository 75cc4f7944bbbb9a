"""Whitening with one step in another way, and how two whitened matrices are compared."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.compare import difference
from bottomup.exercises.exercise import Case, call_with_inputs
from bottomup.i18n import _

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
