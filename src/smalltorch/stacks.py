"""Stacks of matrices: between tensors and lists of rows, and what is said of those that do not fit.

Numbers are computed in double precision, whatever the dtype, and rounded at the end.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import prod
from typing import Any

from smalltorch import dtypes
from smalltorch.dtypes import class_name, dtype
from smalltorch.factorizations import Matrix
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor, made, values


class _LinAlgError(RuntimeError):
    """A matrix is not of the kind that can be inverted, or factored."""


LinAlgError = _LinAlgError  # the name that torch prints is the other one


def rows_of(stack: Tensor) -> list[Matrix]:
    """Return the matrices of a stack, each as a list of rows."""
    height, width = stack.shape[-2:]
    numbers = list(values(stack))
    rows = [numbers[row * width : (row + 1) * width] for row in range(prod(stack.shape[:-1]))]
    return [rows[start * height : (start + 1) * height] for start in range(prod(stack.shape[:-2]))]


def stack_of(matrices: Iterable[Matrix], shape: Sequence[int], kind: dtype) -> Tensor:
    """Return matrices, given as lists of rows, as a tensor."""
    return made(chain.from_iterable(chain.from_iterable(matrices)), shape, kind)


def check_matrices(name: str, A: Tensor, *, square: bool = False, complex: bool = False) -> None:
    """Refuse what a function of matrices does not take.

    Args:
        name: of the function, which begins the message: "linalg.inv".
        A: what it was given.
        square: whether it takes square matrices only.
        complex: whether ours takes complex numbers, as torch's does.

    Raises:
        RuntimeError: A is no stack of such matrices.
    """
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    height, width = A.shape[-2:]
    if square and height != width:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {height} by {width} "
            "matrices"
        )
    if A.dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{class_name(A.dtype)}"
        )
    if A.dtype in (dtypes.float16, dtypes.bfloat16):
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {class_name(A.dtype)}")
    if A.is_complex() and not complex:
        raise not_here(f"{name} of complex numbers")


def without_slope(name: str) -> Callable[..., Any]:
    """Return the rule of what cannot be differentiated here: it refuses."""

    def rule(*_saved: Any) -> Any:
        raise not_here(f"derivative of {name}")

    return rule


def which_of(A: Tensor, place: int) -> str:
    """Return how an error names one matrix of a stack; nothing where there is only one."""
    return f"(Batch element {place}): " if A.ndim > 2 else ""


def eye_like(A: Tensor, size: int | None = None) -> Any:
    """Return the matrix of a dtype that changes nothing, by default as large as those of A."""
    size = A.shape[-1] if size is None else size
    ones = range(0, size * size, size + 1)
    return made((place in ones for place in range(size * size)), (size, size), A.dtype)
