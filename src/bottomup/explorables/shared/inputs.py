"""What figures are given, checked: words short enough to be drawn, weights of heads, choices."""

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_number, check_text
from bottomup.plotting.arrays import finite_array, strings

MOST_LAYERS, MOST_HEADS = 4, 8
ROUNDING = 2e-3  # by which a row of weights, stored with few digits, may exceed 1
HUNDREDTHS = 100  # weights of heads are stored as whole hundredths, which keeps the page light

Arrays = dict[str, NDArray[np.float64]]


def short_word(name: str, word: Any, longest: int) -> str:
    """Return `word`, which must have between one and `longest` letters."""
    check_text(name, word)
    if not 1 <= len(word) <= longest:
        raise ValueError(f"{name}: expected a word of 1 to {longest} letters, got {word!r}")
    return str(word)


def short_words(
    name: str, words: Any, longest: int, count: tuple[int, float] = (1, inf), distinct: bool = False
) -> list[str]:
    """Return words, as few and as many as `count` says, each as `short_word` wants it."""
    listed = [short_word(name, word, longest) for word in strings(name, words)]
    check_count(name, listed, *count)
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
        upward = "" if most == few else " or more" if most == inf else f" to {most}"
        raise ValueError(f"{name}: expected {few}{upward}, got {len(values)}")


def check_parts(name: str, value: Any, parts: str) -> None:
    """Check that a value is a tuple or a list of as many parts as named: "(type, share)"."""
    is_listed = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_listed or len(value) != len(parts.split(",")):
        raise TypeError(f"{name}: expected {parts}, got {value!r}")


def check_mapping(name: str, values: Any, keys: Iterable[str] | None = None) -> None:
    """Check that a value is a mapping, one with just these keys where they are known."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{name}: expected a mapping from names, got {type(values).__name__}")
    if keys is not None and set(values) != set(keys):
        raise ValueError(f"{name}: expected an entry for each of {list(keys)}, got {list(values)}")


def stops(
    name: str, values: Sequence[float], *, falling: bool = False, **bounds: float
) -> list[float]:
    """Return a slider's stops: numbers within the bounds, rising or falling."""
    for value in values:
        check_number(name, value, **bounds)
    found = [float(value) for value in values]
    if found != sorted(set(found), reverse=falling):
        order = "falling" if falling else "rising"
        raise ValueError(f"{name}: expected {order} numbers, got {found}")
    return found


def finite_arrays(
    name: str, values: Any, keys: Iterable[str] | None = None, *, axes: str, **bounds: float
) -> Arrays:
    """Return each value of a mapping, one with just these keys, as `finite_array` makes it."""
    check_mapping(name, values, keys)
    return {
        key: finite_array(f"{name}[{key!r}]", given, axes=axes, **bounds)
        for key, given in values.items()
    }


def weight_array(name: str, values: ArrayLike | Tensor, *, axes: str) -> NDArray[np.float64]:
    """Return weights of at least 0 as an array, whose last axis sums to at most 1."""
    weights = finite_array(name, values, axes=axes, low=0)
    most = weights.sum(axis=-1).max()
    if most > 1 + ROUNDING:
        raise ValueError(f"{name}: expected rows that sum to at most 1, got {most:.4g}")
    return weights


def weights_in_hundredths(name: str, values: ArrayLike | Tensor, *, axes: str) -> NDArray[np.int_]:
    """Return weights as `weight_array` takes them, in whole hundredths."""
    return in_hundredths(weight_array(name, values, axes=axes))


def in_hundredths(weights: NDArray[np.float64]) -> NDArray[np.int_]:
    """Return numbers as whole hundredths."""
    return (weights * HUNDREDTHS).round().astype(int)


def check_heads(weights: Mapping[str, NDArray[np.int_]]) -> tuple[int, int]:
    """Return the number of layers and of heads: few, and the same in each [layer, head, ...]."""
    shapes = {name: array.shape[:2] for name, array in weights.items()}
    first, (layers, heads) = next(iter(shapes.items()))
    network = f"{layers} layers of {heads} heads"
    if layers > MOST_LAYERS or heads > MOST_HEADS:
        wanted = f"at most {MOST_LAYERS} layers of at most {MOST_HEADS} heads"
        raise ValueError(f"{first}: expected {wanted}, got {network}")
    for name, shape in shapes.items():
        if shape != (layers, heads):
            got = f"{shape[0]} layers of {shape[1]} heads"
            raise ValueError(f"{name}: expected {network} as in {first}, got {got}")
    return layers, heads
