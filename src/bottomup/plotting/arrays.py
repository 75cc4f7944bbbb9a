"""Numbers to draw: tensors and arrays alike become NumPy arrays of finite numbers."""

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor


def finite_array(name: str, values: ArrayLike | Tensor, *, axes: str) -> NDArray[np.float64]:
    """Return `values` as an array with the named axes, none of them empty, no NaN, no infinity."""
    if isinstance(values, Tensor):
        values = values.detach().to("cpu", torch.float64).numpy()
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: expected an array of numbers, got {values!r}") from error
    names = axes.split()
    if array.ndim != len(names) or array.size == 0:
        wanted = ", ".join(names)
        raise ValueError(f"{name}: expected non-empty axes [{wanted}], got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, got NaN or infinity")
    return array
