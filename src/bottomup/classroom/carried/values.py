"""Values of an answer on their way from its process, as tensors and containers alone.

What arrives is data: reading it runs nothing that an answer has written.
"""

import builtins
import sys
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine.gradients import Differentiated

KIND = "kind"  # key of what is neither a tensor, a list, a number nor a text
DEEPEST = 20  # containers in containers


def told(value: Any, depth: int = 0) -> Any:
    """Return a value as tensors, lists, numbers, texts and dicts that say what they stand for."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Tensor):
        if value.device.type == "meta":
            return _other(value)
        return value.detach().as_subclass(Tensor).cpu().clone()  # torch reads no class of others
    if depth == DEEPEST:
        return _other(value)
    if isinstance(value, Differentiated):
        return {
            KIND: "differentiated",
            "value": told(value.value, depth + 1),
            "gradients": [[name, told(each)] for name, each in value.gradients.items()],
            "error": value.error,
        }
    if isinstance(value, np.ndarray):
        dtype, shape = str(value.dtype), list(value.shape)
        items = [told(each, depth + 1) for each in value.flatten().tolist()]
        return {KIND: "array", "dtype": dtype, "shape": shape, "items": items}
    if isinstance(value, np.generic):
        return {KIND: "array", "dtype": str(value.dtype), "shape": None, "items": value.item()}
    for kind in (tuple, list, set, frozenset):
        if isinstance(value, kind):
            items = [told(each, depth + 1) for each in value]
            return items if type(value) is list else {KIND: kind.__name__, "items": items}
    if isinstance(value, dict):
        pairs = [[told(key), told(each, depth + 1)] for key, each in value.items()]
        return {KIND: "dict", "items": pairs}
    if isinstance(value, str):  # of a class of the exercise's own
        return {KIND: "text", "class": _name(value), "items": str(value)}
    return _other(value)


def _other(value: Any) -> dict[str, Any]:
    return {KIND: "other", "class": _name(value)}


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def understood(said: Any) -> Any:
    """Return the value that `told` wrote."""
    if isinstance(said, list):
        return [understood(each) for each in said]
    if not isinstance(said, dict):
        return said
    kind: str = said[KIND]
    items: Any = said.get("items")
    if kind == "differentiated":
        gradients = {name: understood(each) for name, each in said["gradients"]}
        return Differentiated(understood(said["value"]), gradients, said["error"])
    if kind == "array":
        array = np.array(items, dtype=said["dtype"])
        return array[()] if said["shape"] is None else array.reshape(said["shape"])
    if kind == "dict":
        return {understood(key): understood(each) for key, each in items}
    if kind in ("tuple", "set", "frozenset"):
        return getattr(builtins, kind)(map(understood, items))
    name: str = said["class"]
    if kind == "text":
        return _of_an_exercise(name)(items)
    return type(name.rpartition(".")[2], (), {})()


def _of_an_exercise(name: str) -> type[str]:
    """Return the kind of text with that name among the course's own, else that of Python."""
    module, _dot, own = name.replace("checks.", "bottomup.", 1).rpartition(".")
    found = getattr(sys.modules.get(module), own, None)
    if module.startswith("bottomup.exercises.") and isinstance(found, type):
        return found if issubclass(found, str) else str
    return str


def error_of(name: str) -> BaseException:
    """Return an error of the kind that an answer raised."""
    found = getattr(builtins, name, getattr(torch.linalg, name, None))
    if isinstance(found, type) and issubclass(found, BaseException):
        return found()
    return Exception(name)
