"""The methods of a tensor: functions of the other modules, each of which lists its own.

`METHODS` names functions that are methods as well, `IN_PLACE` those with a form that writes to the
tensor (`add_`), `OPERATORS` what Python calls for `+` and its like, `PROPERTIES` what is read
without a call. `SPELLED_OUT` names methods that take x.view(2, 3) for x.view((2, 3)); as functions
they take the list alone.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from types import ModuleType
from typing import Any

from smalltorch.arguments import is_length
from smalltorch.inplace import in_place
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor


def give(modules: Iterable[ModuleType]) -> None:
    """Give a tensor the methods that these modules list."""
    for module in modules:
        for name in getattr(module, "METHODS", "").split():
            setattr(Tensor, name, getattr(module, name))
        for name in getattr(module, "SPELLED_OUT", "").split():
            setattr(Tensor, name, _spelled_out(getattr(module, name)))
        for name in getattr(module, "IN_PLACE", "").split():
            setattr(Tensor, f"{name}_", in_place(getattr(module, name), f"{name}_"))
        for name, function in getattr(module, "OPERATORS", {}).items():
            setattr(Tensor, name, function)
        for name, function in getattr(module, "PROPERTIES", {}).items():
            plain = isinstance(function, property)
            setattr(Tensor, name, function if plain else property(operation(function)))


def _spelled_out(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @wraps(function)
    def call(input: Tensor, *items: Any, **named: Any) -> Tensor:
        if not items:
            return function(input, **named)
        if is_length(items[0]):
            return function(input, items, **named)
        if len(items) > 1:
            raise TypeError(
                f"{function.__name__}() takes 1 positional argument but {len(items)} were given"
            )
        return function(input, items[0], **named)

    return call
