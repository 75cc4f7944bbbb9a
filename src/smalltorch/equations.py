"""Equations with matrices: their solutions, inverses and determinants."""

import math
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name, finfo
from smalltorch.factorizations import Matrix, identity, lu, product, solved, substituted, transposed
from smalltorch.geometry import broadcast_shape
from smalltorch.overrides import operation
from smalltorch.products import adjoint
from smalltorch.spectra import svd
from smalltorch.stacks import LinAlgError, check_matrices, eye_like, rows_of, stack_of, which_of
from smalltorch.tensor import Tensor, made

# ---- Solutions


@operation
def inv(A: Tensor) -> Tensor:
    """Return the inverse of square matrices."""
    check_matrices("linalg.inv", A, square=True, complex=True)
    inverses = []
    for place, rows in enumerate(rows_of(A)):
        factors = lu(rows)
        zero = _zero_pivot(factors[0])
        if zero is not None:
            raise LinAlgError(
                f"linalg.inv: {which_of(A, place)}The diagonal element {zero + 1} is zero, the "
                "inversion could not be completed because the input matrix is singular."
            )
        inverses.append(solved(factors, identity(len(rows))))
    result = stack_of(inverses, A.shape, A.dtype)

    def rule(gradient: Tensor, inverse: Tensor) -> Any:
        turned: Any = adjoint(inverse)
        return -(turned @ gradient @ turned)

    return record(result, "LinalgInvEx", (A, rule, result))


def _zero_pivot(rows: Matrix) -> int | None:
    return next((place for place, row in enumerate(rows) if row[place] == 0), None)


@operation
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return X with A X = B, or where `left` is not set with X A = B."""
    check_matrices("linalg.solve", A, square=True, complex=True)
    _check_same_kind("linalg.solve", A, B)
    if B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]):  # vectors
        _check_fit("linalg.solve", A, B.unsqueeze(-1), left)
        return solve(A, B.unsqueeze(-1), left=left).squeeze(-1)
    _check_fit("linalg.solve", A, B, left)
    if not left:
        return solve(A.mT, B.mT).mT
    A, B = _stretched(A, B)
    solutions = []
    for place, (rows, right) in enumerate(zip(rows_of(A), rows_of(B), strict=True)):
        factors = lu(rows)
        if _zero_pivot(factors[0]) is not None:
            raise LinAlgError(
                f"torch.linalg.solve: {which_of(A, place)}The solver failed because the input "
                "matrix is singular."
            )
        solutions.append(solved(factors, right))
    result = stack_of(solutions, B.shape, A.dtype)

    def to_matrix(gradient: Tensor, A: Tensor, solution: Tensor) -> Any:
        return -(solve(adjoint(A), gradient) @ adjoint(solution))

    def to_right(gradient: Tensor, A: Tensor) -> Tensor:
        return solve(adjoint(A), gradient)

    return record(result, "LinalgSolveEx", (A, to_matrix, A, result), (B, to_right, A))


@operation
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Return X with A X = B, or where `left` is not set with X A = B, of one triangle of A."""
    check_matrices("linalg.solve_triangular", A, square=True)
    if B.ndim < 2:
        raise RuntimeError(
            "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."
        )
    _check_fit("linalg.solve_triangular", A, B, left)
    if not left:
        turned: Any = solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular)
        return turned.mT
    A, B = _stretched(A, B)
    pairs = zip(rows_of(A), rows_of(B), strict=True)
    solutions = [substituted(*pair, upper=upper, unit=unitriangular) for pair in pairs]
    result = stack_of(solutions, B.shape, B.dtype)

    def to_right(gradient: Tensor, A: Tensor) -> Tensor:
        return solve_triangular(A.mT, gradient, upper=not upper, unitriangular=unitriangular)

    def to_matrix(gradient: Tensor, A: Tensor, solution: Tensor) -> Any:
        full: Any = -(to_right(gradient, A) @ solution.mT)
        beside = int(unitriangular)  # a diagonal that is not read has no gradient
        return full.triu(beside) if upper else full.tril(-beside)

    return record(result, "LinalgSolveTriangular", (A, to_matrix, A, result), (B, to_right, A))


def _stretched(A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    lead = broadcast_shape(A.shape[:-2], B.shape[:-2])
    return A.expand((*lead, *A.shape[-2:])), B.expand((*lead, *B.shape[-2:]))


def _check_same_kind(name: str, A: Tensor, B: Tensor) -> None:
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{class_name(A.dtype)} and B of type {class_name(B.dtype)} instead"
        )


def _check_fit(name: str, A: Tensor, B: Tensor, left: bool) -> None:
    if A.shape[-1] != B.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})"
        )


# ---- Where there is no solution, or more than one


@operation
def pinv(A: Tensor, *, atol: float | None = None, rtol: float | None = None) -> Tensor:
    """Return what solves A X = B as nearly as can be, with the shortest X: V diag(1 / S) U^T.

    Singular values that are not larger than `atol` and `rtol` times the largest count as zero.
    """
    if A.ndim < 2 or A.dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            f"linalg.pinv({class_name(A.dtype)}{{{list(A.shape)}}}): expected a tensor with 2 or "
            "more dimensions of float, double, cfloat or cdouble types"
        )
    check_matrices("linalg.pinv", A)
    if rtol is None:
        rtol = max(A.shape[-2:]) * finfo(A.dtype).eps if not atol else 0.0
    inverses = [_pseudoinverse(rows, A.shape[-1], atol or 0.0, rtol) for rows in rows_of(A)]
    shape = (*A.shape[:-2], A.shape[-1], A.shape[-2])
    result = stack_of(inverses, shape, A.dtype)

    def rule(gradient: Any, A: Any, inverse: Any) -> Any:
        rows, columns = (eye_like(A, size) for size in A.shape[-2:])
        turned, back = inverse.mT, gradient.mT
        return (
            (rows - A @ inverse) @ back @ inverse @ turned
            + turned @ inverse @ back @ (columns - inverse @ A)
            - turned @ gradient @ turned
        )

    return record(result, "LinalgPinv", (A, rule, A, result))


def _pseudoinverse(rows: Matrix, width: int, atol: float, rtol: float) -> Matrix:
    left, singular, right = svd(rows, width, complete=False)
    least = max(atol, rtol * max(singular, default=0.0))
    scales = [1 / value if value > least else 0.0 for value in singular]
    scaled = [[x * scale for x in row] for row, scale in zip(right, scales, strict=True)]
    return product(transposed(scaled), left)


# ---- Determinants


@operation
def det(A: Tensor) -> Tensor:
    """Return the determinant of square matrices."""
    check_matrices("linalg.det", A, square=True, complex=True)
    found = []
    for rows in rows_of(A):
        factors, _order, sign = lu(rows)
        found.append(math.prod((row[place] for place, row in enumerate(factors)), start=sign))
    result = made(found, A.shape[:-2], A.dtype)

    def rule(gradient: Any, A: Tensor, result: Any) -> Any:
        scale = gradient * (result.conj() if result.is_complex() else result)
        return scale[..., None, None] * adjoint(inv(A))

    return record(result, "LinalgDet", (A, rule, A, result))
