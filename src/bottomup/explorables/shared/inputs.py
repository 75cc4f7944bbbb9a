"""What figures are given, checked: words short enough to be drawn, weights of heads, choices."""

import re
from collections.abc import Iterable, Mapping, Sized
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.plotting.arrays import finite_array

MOST_LAYERS, MOST_HEADS = 4, 8
ROUNDING = 2e-3  # by which a row of weights, stored with few digits, may exceed 1
HUNDREDTHS = 100  # weights of heads are stored as whole hundredths, which keeps the page light


def short_word(name: str, word: Any, longest: int) -> str:
    """Return `word`, which must have between one and `longest` letters."""
    if not isinstance(word, str):
        raise TypeError(f"{name}: expected a string, got {word!r}")
    if not 1 <= len(word) <= longest:
        raise ValueError(f"{name}: expected a word of 1 to {longest} letters, got {word!r}")
    return word


def short_words(
    name: str, words: Any, longest: int, *, few: int = 1, most: float = inf, distinct: bool = False
) -> list[str]:
    """Return `few` to `most` words, each of them as `short_word` wants it."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise TypeError(f"{name}: expected a list of strings, got {words!r}")
    listed = [short_word(name, word, longest) for word in words]
    check_count(name, listed, few, most)
    if distinct and len(set(listed)) < len(listed):
        twice = next(word for word in listed if listed.count(word) > 1)
        raise ValueError(f"{name}: expected each once, got {twice!r} twice")
    return listed


def sentence_of(words: Iterable[str]) -> str:
    """Return the words as one line, without a blank before a mark."""
    return re.sub(r" ([.,?])", r"\1", " ".join(words))


def check_count(name: str, values: Sized, few: int, most: float = inf) -> None:
    """Check that there are `few` to `most` entries."""
    if not few <= len(values) <= most:
        wanted = f"{few} to {most}" if most < inf else f"{few} or more"
        raise ValueError(f"{name}: expected {wanted}, got {len(values)}")


def check_mapping(name: str, values: Any, keys: Iterable[str] | None = None) -> None:
    """Check that a value is a mapping, one with just these keys where they are known."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{name}: expected a mapping from names, got {type(values).__name__}")
    if keys is not None and set(values) != set(keys):
        raise ValueError(f"{name}: expected an entry for each of {list(keys)}, got {list(values)}")


def weight_array(name: str, values: ArrayLike | Tensor, *, axes: str) -> NDArray[np.float64]:
    """Return weights of at least 0 as an array, whose last axis sums to at most 1."""
    weights = finite_array(name, values, axes=axes, low=0)
    most = weights.sum(axis=-1).max()
    if most > 1 + ROUNDING:
        raise ValueError(f"{name}: expected rows that sum to at most 1, got {most:.4g}")
    return weights


def in_hundredths(weights: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return weights as whole hundredths."""
    return (weights * HUNDREDTHS).round().astype(int)


def check_heads(weights: Mapping[str, NDArray[np.int_]]) -> tuple[int, int]:
    """Return the number of layers and of heads: few, and the same in each [layer, head, ...]."""
    first, (layers, heads) = next((name, array.shape[:2]) for name, array in weights.items())
    if layers > MOST_LAYERS or heads > MOST_HEADS:
        raise ValueError(
            f"{first}: expected at most {MOST_LAYERS} layers of at most {MOST_HEADS} heads, "
            f"got {layers} layers of {heads} heads"
        )
    for name, array in weights.items():
        if array.shape[:2] != (layers, heads):
            raise ValueError(
                f"{name}: expected {layers} layers of {heads} heads as in {first}, "
                f"got {array.shape[0]} layers of {array.shape[1]} heads"
            )
    return layers, heads
