"""Matrices as products of simpler ones: singular values, eigenvalues, QR and Cholesky.

Of what they do not depend on smoothly, or only by long formulas, there is no way back here.
"""

from itertools import chain
from typing import Any

from smalltorch import factorizations, return_types, spectra
from smalltorch.autograd import record
from smalltorch.dtypes import complex_of
from smalltorch.factorizations import Matrix, NotPositiveError, transposed
from smalltorch.overrides import operation
from smalltorch.stacks import (
    LinAlgError,
    check_matrices,
    rows_of,
    stack_of,
    which_of,
    without_slope,
)
from smalltorch.tensor import Tensor, made

# ---- Singular values


@operation
def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """Return U, S and Vh with A = U diag(S) Vh."""
    check_matrices("linalg.svd", A)
    if not A.isfinite().all():
        raise LinAlgError(
            "linalg.svd: The algorithm failed to converge because the input matrix contained "
            "non-finite values."
        )
    (*lead, height, width), kind = A.shape, A.dtype
    count = min(height, width)
    found = [spectra.svd(each, width, complete=full_matrices) for each in rows_of(A)]
    lefts, singular, rights = zip(*found, strict=True) if found else ((), (), ())
    U = stack_of(map(transposed, lefts), (*lead, height, height if full_matrices else count), kind)
    S = made(chain.from_iterable(singular), (*lead, count), kind)
    Vh = stack_of(rights, (*lead, width if full_matrices else count, width), kind)
    record(U, "LinalgSvd", (A, without_slope("singular vectors")))
    record(S, "LinalgSvd", (A, _back_from_singular, U, Vh))
    record(Vh, "LinalgSvd", (A, without_slope("singular vectors")))
    return return_types.linalg_svd((U, S, Vh))


@operation
def svdvals(A: Tensor) -> Tensor:
    """Return the singular values of matrices, descending."""
    return svd(A, full_matrices=False).S


def _back_from_singular(gradient: Any, U: Tensor, Vh: Tensor) -> Any:
    count = gradient.shape[-1]  # the other vectors do not depend on A
    return (U[..., :count] * gradient.unsqueeze(-2)) @ Vh[..., :count, :]


# ---- Eigenvalues


@operation
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Return the eigenvalues, ascending, and eigenvectors of symmetric matrices.

    Only one triangle of them is read: the lower one, or where UPLO is "U" the upper one.
    """
    check_matrices("linalg.eigh", A, square=True)
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    lower = UPLO in "Ll"
    found = [spectra.symmetric_eigen(_mirrored(each, lower)) for each in rows_of(A)]
    L = made(chain.from_iterable(each for each, _vectors in found), A.shape[:-1], A.dtype)
    V = stack_of((transposed(vectors) for _each, vectors in found), A.shape, A.dtype)
    record(L, "LinalgEigh", (A, _back_from_real, V))
    record(V, "LinalgEigh", (A, without_slope("eigenvectors")))
    return return_types.linalg_eigh((L, V))


@operation
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending."""
    return eigh(A, UPLO).eigenvalues


def _mirrored(rows: Matrix, lower: bool) -> Matrix:
    """Return a symmetric matrix: one triangle of this one, and its reflection."""
    size = range(len(rows))
    nearer, farther = (max, min) if lower else (min, max)
    return [[rows[nearer(i, j)][farther(i, j)] for j in size] for i in size]


def _back_from_real(gradient: Any, V: Any) -> Any:
    return (V * gradient.unsqueeze(-2)) @ V.mT


@operation
def eig(A: Tensor) -> Any:
    """Return the eigenvalues and eigenvectors of square matrices: complex numbers."""
    check_matrices("linalg.eig", A, square=True)
    return return_types.linalg_eig(_eigen(A))


@operation
def eigvals(A: Tensor) -> Tensor:
    """Return the eigenvalues of square matrices: complex numbers."""
    check_matrices("linalg.eigvals", A, square=True)
    return _eigen(A)[0]


def _eigen(A: Tensor) -> tuple[Tensor, Tensor]:
    found, kind = [spectra.eigen(each) for each in rows_of(A)], complex_of(A.dtype)
    L = made(chain.from_iterable(each for each, _vectors in found), A.shape[:-1], kind)
    V = stack_of((transposed(vectors) for _each, vectors in found), A.shape, kind)
    record(L, "LinalgEig", (A, without_slope("complex eigenvalues")))
    record(V, "LinalgEig", (A, without_slope("eigenvectors")))
    return L, V


# ---- QR and Cholesky


@operation
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Return Q with orthonormal columns and R, an upper triangle, with A = Q R."""
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    check_matrices("linalg.qr", A)
    (*lead, height, width), kind = A.shape, A.dtype
    complete = mode == "complete"
    count = height if complete else min(height, width)
    found = [factorizations.qr(each, width, complete=complete) for each in rows_of(A)]
    Q = stack_of((q for q, _r in found), (*lead, height, count), kind)
    R = stack_of((r for _q, r in found), (*lead, count, width), kind)

    for each in (Q, R):
        record(each, "LinalgQr", (A, without_slope("linalg.qr")))
    return return_types.linalg_qr((made((), (0,), kind) if mode == "r" else Q, R))


@operation
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangle L with A = L L^T, or where `upper` is set its transpose."""
    return cholesky_named("linalg.cholesky", A, upper)


def cholesky_named(name: str, A: Tensor, upper: bool) -> Tensor:
    """Return the same; `name` begins the message where a matrix is not positive definite."""
    check_matrices(name, A, square=True)
    factors = []
    for place, rows in enumerate(rows_of(A)):
        try:
            factors.append(factorizations.cholesky(transposed(rows) if upper else rows))
        except NotPositiveError as fault:
            raise LinAlgError(
                f"{name}: {which_of(A, place)}The factorization could not be completed because the "
                f"input is not positive-definite (the leading minor of order {fault.args[0]} is "
                "not positive-definite)."
            ) from None
    L = stack_of(factors, A.shape, A.dtype)
    record(L, "LinalgCholeskyEx", (A, without_slope("linalg.cholesky")))
    return L.mT if upper else L
