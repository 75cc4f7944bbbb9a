"""Where the package defines a name, and under which names readers import it."""

import inspect
import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import bottomup

APART = {"exercises", "experiments"}  # no equation is computed there


@dataclass(frozen=True)
class Place:
    """The module that defines a function or class, its name there, and its public names."""

    module: str
    name: str
    public: tuple[str, ...]


@cache
def find(name: str) -> Place:
    """Return the place of `masked_softmax`, `analysis.kmeans` or `LanguageModel.unembed`.

    Raises:
        LookupError: no part of the package has a function or class of this name, or two parts have
            different ones.
    """
    parts = {module.name for module in pkgutil.iter_modules(bottomup.__path__)} - APART
    part, _, rest = name.partition(".")
    public = [name] if part in parts and rest else [f"{part}.{name}" for part in sorted(parts)]
    found = {each: value for each in public if (value := attribute(each)) is not None}
    defined = {(value.__module__, value.__qualname__) for value in found.values()}
    if len(defined) != 1:
        raise LookupError(
            f"{name}: expected one function or class of this name, got {len(defined)}"
        )
    return Place(*defined.pop(), tuple(f"{bottomup.__name__}.{each}" for each in found))


def attribute(name: str) -> Any:
    """Return the function or class that ``part.name`` stands for, None if there is none."""
    part, _, rest = name.partition(".")
    value: Any = import_module(f"{bottomup.__name__}.{part}")
    for each in rest.split("."):
        value = getattr(value, each, None)
    return value if inspect.isfunction(value) or inspect.isclass(value) else None
