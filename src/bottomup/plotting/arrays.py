"""What is drawn, checked: arrays of finite numbers, tensors or not, and labels."""

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_text


def finite_array(
    name: str, values: ArrayLike | Tensor, *, axes: str, low: float = -inf, high: float = inf
) -> NDArray[np.float64]:
    """Return `values` as an array, none of its axes empty, no NaN, no infinity.

    Args:
        name: the argument's name, for the message.
        values: the numbers, of any shape.
        axes: a name for each axis, with its size where that is known: ``"row key=7 3"``.
        low, high: between which all numbers must lie.
    """
    if isinstance(values, Tensor):
        values = values.detach().to("cpu", torch.float64).numpy()
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: expected an array of numbers, got {values!r}") from error
    sizes = [axis.rpartition("=")[2] for axis in axes.split()]
    fits = array.ndim == len(sizes) and all(
        size == str(n) or not size.isdigit() for size, n in zip(sizes, array.shape, strict=True)
    )
    if not fits or array.size == 0:
        wanted = "axes" if array.size else "non-empty axes"
        listed = ", ".join(axes.split())
        raise ValueError(f"{name}: expected {wanted} [{listed}], got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, got NaN or infinity")
    if array.min() < low or array.max() > high:
        bounds = f"in [{low:g}, {high:g}]" if high < inf else f"of at least {low:g}"
        worst = array.min() if array.min() < low else array.max()
        raise ValueError(f"{name}: expected numbers {bounds}, got {worst:.4g}")
    return array


def check_quartiles(name: str, values: NDArray[np.float64]) -> None:
    """Check that numbers are positive, and in rows of lower quartile, median, upper quartile."""
    if not (values > 0).all():
        raise ValueError(f"{name}: expected positive numbers, got {values.min()}")
    if not (np.diff(values) >= 0).all():
        raise ValueError(f"{name}: expected lower quartile, median, upper quartile in this order")


def strings(name: str, values: Any, count: int | None = None) -> list[str]:
    """Return `values` as a list of strings, `count` of them where that is known."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name}: expected a list of strings, got {values!r}")
    listed = list(values)
    for value in listed:
        check_text(name, value)
    if count not in (None, len(listed)):
        raise ValueError(f"{name}: expected {count} strings, got {len(listed)}")
    return listed
