"""A small numpy for the page that checks answers: what the engine and the exercises need of it.

An array is a tensor of the small torch by another name, with numpy's dtypes, its words for axes and
its numbers in place of arrays without axes. What it lacks it refuses by name.
"""

# ruff: noqa: F401
from math import e, inf, nan, pi

from smallnumpy import linalg, random
from smallnumpy.arrays import ndarray
from smallnumpy.functions import *  # noqa: F403
from smallnumpy.kinds import (
    bool_,
    float16,
    float32,
    float64,
    floating,
    int8,
    int16,
    int32,
    int64,
    integer,
    uint8,
)
from smallnumpy.text import array2string
from smalltorch.refusal import not_here

newaxis, bool = None, bool_


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy' has no attribute '{name}'")
    raise not_here(f"numpy.{name}")
