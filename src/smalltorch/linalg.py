"""torch.linalg: its own few functions, and the names of those that other modules hold."""

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import integer_argument
from smalltorch.decompositions import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from smalltorch.dtypes import class_name
from smalltorch.equations import det, inv, pinv, solve, solve_triangular
from smalltorch.geometry import axis_of
from smalltorch.names import lacking
from smalltorch.norms import vector_norm
from smalltorch.overrides import operation
from smalltorch.products import matmul
from smalltorch.stacks import LinAlgError, eye_like
from smalltorch.tensor import Tensor

__all__ = [  # noqa: RUF022  (as the modules have them)
    "LinAlgError",
    "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "qr", "cholesky",
    "inv", "solve", "solve_triangular", "pinv", "det",
    "norm", "vector_norm", "matrix_norm", "matmul", "matrix_power",
]  # fmt: skip


# ---- Sizes of matrices


@operation
def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """Return the length of vectors or the norm of matrices, whichever `ord` and `dim` name."""
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is None and A.ndim > 2:
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {A.ndim}D."
        )
    axes = tuple(range(A.ndim)) if dim is None else dim if isinstance(dim, Sequence) else (dim,)
    if len(axes) == 1 and not isinstance(ord, str):
        return vector_norm(A, ord, axes, keepdim, dtype=dtype)
    return matrix_norm(A, ord, axes, keepdim, dtype=dtype)


@operation
def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """Return a norm of matrices: "fro", "nuc", inf, 1 or 2, or the smallest of what -inf … name."""
    A = A if dtype is None else A.to(dtype)
    rows, columns = _check_norm(A, ord, dim)
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim)
    if ord in ("nuc", 2, -2):
        found: Any = svdvals(A.movedim((rows, columns), (-2, -1)))
        found = {"nuc": found.sum, 2: found.amax, -2: found.amin}[ord](-1)
        if not keepdim:
            return found
        for axis in sorted((rows, columns)):
            found = found.unsqueeze(axis)
        return found
    added, chosen = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums: Any = vector_norm(A, 1, added, True)
    found = sums.amax(chosen, True) if ord > 0 else sums.amin(chosen, True)
    return found if keepdim else found.squeeze((rows, columns))


def _check_norm(A: Tensor, ord: Any, dim: Sequence[int]) -> tuple[int, int]:
    """Return the axes of the rows and of the columns."""
    name = "linalg.matrix_norm"
    if ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{class_name(A.dtype)}"
        )
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {', '.join(map(str, dim))}")
    rows, columns = (axis_of(axis, A.ndim) for axis in dim)
    if rows == columns:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    return rows, columns


# ---- Products


@operation
def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return the product of n times the same square matrix; of its inverse where n is negative."""
    n = integer_argument("matrix_power", "n", 2, n)
    if A.ndim < 2:
        raise RuntimeError(
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions."
        )
    height, width = A.shape[-2:]
    if height != width:
        raise RuntimeError(
            "linalg.matrix_power: A must be batches of square matrices, but they are "
            f"{height} by {width} matrices"
        )
    factor = inv(A) if n < 0 else A
    if n == 0:
        return eye_like(A).expand(A.shape).clone()
    return reduce(matmul, [factor] * (abs(n) - 1), factor.clone())


def __getattr__(name: str) -> Any:
    raise lacking(name, "torch.linalg")
