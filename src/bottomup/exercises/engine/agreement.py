"""Whether two tensors agree within the tolerance of their dtype, value by value."""

import torch
from torch import Tensor

# (relative, absolute): wide enough for another order of the sums, too narrow for another formula
TOLERANCES = {
    torch.float64: (1e-7, 1e-9),
    torch.float32: (1e-4, 1e-6),
    torch.float16: (2e-2, 2e-3),
    torch.bfloat16: (5e-2, 1e-2),
}


def agreeing(got: Tensor, expected: Tensor) -> Tensor:
    """Return which values of two tensors of one shape and dtype agree; NaN agrees with NaN."""
    relative, absolute = TOLERANCES.get(expected.dtype, (0.0, 0.0))
    return torch.isclose(got, expected, rtol=relative, atol=absolute, equal_nan=True)


def alike(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors could be compared value by value."""
    return (left.shape, left.dtype, left.device) == (right.shape, right.dtype, right.device)
