"""What several drawings compute, and how they write a number."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def dot(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the sum of the products of two vectors."""
    return sum(a * b for a, b in zip(first, second, strict=True))


def softmax(scores: Sequence[float]) -> list[float]:
    """Return the weights of a row of scores."""
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def softmax_of_rows(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def signed(value: float, form: str = "g") -> str:
    """Return a number with a minus sign that is as wide as a plus."""
    return format(value, form).replace("-", "\N{MINUS SIGN}")


def shades(table: NDArray[np.float64], top: float | None = None) -> NDArray[np.float64]:
    """Return the entries as strengths of a colour: the largest, or `top`, is the strongest."""
    return np.abs(table) / (top or np.abs(table).max())
