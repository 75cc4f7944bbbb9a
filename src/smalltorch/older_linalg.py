"""Functions of torch.linalg that torch has under its own name as well, some with another result."""

from typing import Any

from smalltorch import decompositions, return_types
from smalltorch.equations import det, inv
from smalltorch.linalg import matrix_power
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor

__all__ = ["det", "matrix_power"]  # these two are as torch.linalg has them

FUNCTIONS = METHODS = "svd inverse det matrix_power"


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
def inverse(input: Tensor) -> Tensor:
    """Return the inverse of square matrices."""
    return inv(input)
