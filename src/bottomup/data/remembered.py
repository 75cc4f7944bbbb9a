"""Data that are read once: a cache that asks for plain integers and leaves the rest to checks."""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """Call a function of integers once for each of them.

    `functools.cache` alone takes True and 1.0 for the 1 that it knows, and names no argument that
    cannot be hashed; here the function itself sees, and refuses, what is no integer.
    """
    kept = cast(Callable[P, R], cache(function))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        plain = all(type(value) is int for value in (*args, *kwargs.values()))
        return kept(*args, **kwargs) if plain else function(*args, **kwargs)

    return call
