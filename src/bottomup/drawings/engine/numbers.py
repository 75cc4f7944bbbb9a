"""What several drawings compute."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def softmax(scores: Sequence[float]) -> list[float]:
    """Return the weights of a row of scores."""
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def softmax_of_rows(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax over the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
