"""Linear algebra on arrays."""

from typing import Any, NamedTuple

import smalltorch
from smallnumpy.arrays import floats, ndarray, plain
from smallnumpy.functions import asarray
from smalltorch.refusal import not_here

torch: Any = smalltorch  # whose functions come from many modules


class SVDResult(NamedTuple):
    """The factors of a matrix."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the length of vectors."""
    if ord is not None and axis is None and asarray(x).ndim > 1:
        raise not_here("numpy.linalg.norm of a matrix")
    given, power = floats(asarray(x).tensor), 2 if ord is None else ord
    return plain(torch.linalg.vector_norm(given, power, dim=axis, keepdim=keepdims))


def svd(a: Any, full_matrices: bool = True) -> SVDResult:
    """Return the factors U, S and Vh of a matrix."""
    factors = torch.linalg.svd(floats(asarray(a).tensor), full_matrices=full_matrices)
    return SVDResult(*map(ndarray, factors))


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.linalg' has no attribute '{name}'")
    raise not_here(f"numpy.linalg.{name}")
