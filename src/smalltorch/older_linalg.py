"""Functions of torch.linalg that torch has under its own name as well, some with another result."""

import math
from typing import Any

from smalltorch import decompositions, return_types
from smalltorch.decompositions import cholesky_named
from smalltorch.equations import det, inv, pinv, sign_and_logarithm
from smalltorch.linalg import matrix_power
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor

__all__ = ["det", "matrix_power"]  # these two are as torch.linalg has them

FUNCTIONS = METHODS = "svd qr cholesky inverse pinverse det slogdet logdet matrix_power"


@operation
def svd(input: Tensor, some: bool = True) -> Any:
    """Return U, S and V with A = U diag(S) V^T: V is not transposed here."""
    if input.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions "
            "instead"
        )
    U, S, Vh = decompositions.svd(input, full_matrices=not some)
    return return_types.svd((U, S, Vh.mT))


@operation
def qr(input: Tensor, some: bool = True) -> Any:
    """Return Q with orthonormal columns and R, an upper triangle, with A = Q R."""
    return return_types.qr(decompositions.qr(input, "reduced" if some else "complete"))


@operation
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Return the lower triangle L with A = L L^T, or where `upper` is set its transpose."""
    return cholesky_named("cholesky", input, upper)


@operation
def inverse(input: Tensor) -> Tensor:
    """Return the inverse of square matrices."""
    return inv(input)


@operation
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return what solves A X = B as nearly as can be, with the shortest X."""
    return pinv(input, rtol=rcond)


@operation
def slogdet(input: Tensor) -> Any:
    """Return the sign of the determinant of square matrices, and the logarithm of its size."""
    return return_types.slogdet(sign_and_logarithm("linalg.slogdet", input))


@operation
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant of square matrices: nan where that is negative."""
    sign, logarithm = sign_and_logarithm("logdet", input)
    return logarithm.masked_fill(sign < 0, math.nan)
