"""Matrices as products of simpler ones: singular values, eigenvalues, QR and Cholesky.

What comes back to a matrix from several factors is the sum of what comes from each: so each factor
has a way back of its own.
"""

from itertools import chain
from typing import Any

from smalltorch import factorizations, return_types, spectra
from smalltorch.autograd import record
from smalltorch.dtypes import complex_of
from smalltorch.equations import solve, solve_triangular
from smalltorch.factorizations import Matrix, NotPositiveError, transposed
from smalltorch.joining import cat
from smalltorch.overrides import operation
from smalltorch.stacks import (
    LinAlgError,
    check_matrices,
    eye_like,
    rows_of,
    stack_of,
    which_of,
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
    record(U, "LinalgSvd", (A, _back_from_left, U, S, Vh))
    record(S, "LinalgSvd", (A, _back_from_singular, U, S, Vh))
    record(Vh, "LinalgSvd", (A, _back_from_right, U, S, Vh))
    return return_types.linalg_svd((U, S, Vh))


@operation
def svdvals(A: Tensor) -> Tensor:
    """Return the singular values of matrices, descending."""
    return svd(A, full_matrices=False).S


def _back_from_left(gradient: Tensor, U: Tensor, S: Any, Vh: Tensor) -> Any:
    U, Vh, count = _thin(U, S, Vh)
    gradient = gradient.narrow(-1, 0, count)
    along = U.mT @ gradient
    turned = (along - along.mT) / _square_gaps(S)
    result = U @ (turned * S.unsqueeze(-2)) @ Vh
    if U.shape[-2] > count:  # what leads out of the space of the vectors
        result = result + ((gradient - U @ along) / S.unsqueeze(-2)) @ Vh
    return result


def _back_from_singular(gradient: Any, U: Tensor, S: Any, Vh: Tensor) -> Any:
    U, Vh, _count = _thin(U, S, Vh)
    return (U * gradient.unsqueeze(-2)) @ Vh


def _back_from_right(gradient: Tensor, U: Tensor, S: Any, Vh: Tensor) -> Any:
    U, Vh, count = _thin(U, S, Vh)
    gradient = gradient.narrow(-2, 0, count)
    along = Vh @ gradient.mT
    turned = (along - along.mT) / _square_gaps(S)
    result = U @ (S.unsqueeze(-1) * turned) @ Vh
    if Vh.shape[-1] > count:
        result = result + (U / S.unsqueeze(-2)) @ (gradient - along.mT @ Vh)
    return result


def _thin(U: Tensor, S: Tensor, Vh: Tensor) -> tuple[Any, Any, int]:
    """Return as many vectors as there are singular values: the others do not depend on A."""
    count = S.shape[-1]
    return U.narrow(-1, 0, count), Vh.narrow(-2, 0, count), count


def _square_gaps(S: Any) -> Any:
    """Return S[j]^2 - S[i]^2, and 1 on the diagonal."""
    row, column = S.unsqueeze(-2), S.unsqueeze(-1)
    return (row - column) * (row + column) + eye_like(S)


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
    record(V, "LinalgEigh", (A, _back_from_orthogonal, L, V))
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


def _back_from_orthogonal(gradient: Any, L: Any, V: Any) -> Any:
    along = V.mT @ gradient
    gaps = L.unsqueeze(-2) - L.unsqueeze(-1) + eye_like(V)
    return V @ ((along - along.mT) / (2 * gaps)) @ V.mT


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
    record(L, "LinalgEig", (A, _back_from_complex, V))
    record(V, "LinalgEig", (A, _back_from_vectors, L, V))
    return L, V


def _back_from_complex(gradient: Any, V: Any) -> Any:
    return solve(V.mH, gradient.unsqueeze(-1) * V.mH)


def _back_from_vectors(gradient: Any, L: Any, V: Any) -> Any:
    along = V.mH @ gradient
    # What would change the vectors' lengths, which are one, does not count.
    along = along - (V.mH @ V) * along.diagonal(0, -2, -1).real.unsqueeze(-2)
    eye = eye_like(V)
    gaps = (L.unsqueeze(-2) - L.unsqueeze(-1)).conj() + eye
    return solve(V.mH, along / gaps * (1 - eye) @ V.mH)


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

    def from_q(gradient: Tensor, Q: Tensor, R: Tensor) -> Any:
        return _back_from_qr(gradient, R * 0, Q, R, mode)

    def from_r(gradient: Tensor, Q: Tensor, R: Tensor) -> Any:
        return _back_from_qr(Q * 0, gradient, Q, R, mode)

    record(Q, "LinalgQr", (A, from_q, Q, R))
    record(R, "LinalgQr", (A, from_r, Q, R))
    return return_types.linalg_qr((made((), (0,), kind) if mode == "r" else Q, R))


def _back_from_qr(of_Q: Any, of_R: Any, Q: Any, R: Any, mode: str) -> Any:
    """Return the gradient of A, of those of Q and R."""
    (height, count), width = Q.shape[-2:], R.shape[-1]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please "
            "use torch.linalg.qr(A, mode='reduced') if you are going to require gradients."
        )
    if mode == "complete" and height > width:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    if width > count:  # A = [X Y], R = [U V], X = Q U and Y = Q V
        U, V = R.narrow(-1, 0, count), R.narrow(-1, count, width - count)
        of_U, of_V = of_R.narrow(-1, 0, count), of_R.narrow(-1, count, width - count)
        of_X = _back_from_qr(of_Q + Q @ V @ of_V.mT, of_U, Q, U, mode)
        return cat([of_X, Q @ of_V], -1)
    inside = R @ of_R.mT - of_Q.mT @ Q
    symmetric = inside.tril() + inside.tril(-1).mT
    return solve_triangular(R.mT, of_Q + Q @ symmetric, upper=False, left=False)


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
    record(L, "LinalgCholeskyEx", (A, _back_from_cholesky, L))
    return L.mT if upper else L


def _back_from_cholesky(gradient: Any, L: Any) -> Any:
    inside = (L.mT @ gradient).tril()
    symmetric = inside + inside.tril(-1).mT
    half = solve_triangular(L.mT, symmetric, upper=True) / 2
    return solve_triangular(L, half, upper=False, left=False)
