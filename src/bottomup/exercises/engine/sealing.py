"""What a reader's test gets to see of an answer: what it does when it is called, nothing else.

A score would say nothing if a test could tell the answers apart by name, source, traceback or call
count, or look up the catalogue's inputs. So an answer comes sealed, a test that uses what looks
behind a function is not run, and each run begins with globals of its own. This keeps out what a
test would do by chance or for comfort; whoever wants the catalogue can open its files.
"""

import copy
import dis
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

from bottomup.i18n import _

COURSE = "bottomup.exercises"
MODULES = frozenset(
    "ast builtins ctypes dis gc importlib inspect io linecache marshal operator os pathlib pickle "
    "runpy subprocess sys threading tokenize traceback".split()
)
NAMES = frozenset(
    "__import__ breakpoint catch catalog check compile delattr dir eval exec exercises getattr "
    "globals id input locals open setattr solution survivor vars "
    "cell_contents f_back f_builtins f_code f_globals f_locals gi_frame tb_frame tb_next".split()
)
DATA = (torch.Tensor, torch.Generator, np.ndarray, list, dict, set)

Test = Callable[[Any], Any]


@dataclass
class Call:
    """One call of an answer: the arguments by name, and what it returned, if it did."""

    arguments: dict[str, Any]
    value: Any = None
    error: BaseException | None = None


class Sealed:
    """A function that can be called, by position or by the stub's names, and has no attributes."""

    __slots__ = ("_ask",)

    def __init__(self, answer: Callable[..., Any], signature: inspect.Signature, calls: list[Call]):
        """Seal an answer; `calls` will hold its last call."""

        def ask(*args: Any, **named: Any) -> Call:
            bound = signature.bind(*args, **named)
            bound.apply_defaults()
            calls[:] = [Call(dict(bound.arguments))]
            try:
                calls[0].value = answer(*bound.arguments.values())
            except Exception as error:
                calls[0].error = error
            return calls[0]

        object.__setattr__(self, "_ask", ask)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the answer; what it raises comes without the frames that it went through."""
        call = object.__getattribute__(self, "_ask")(*args, **named)
        if call.error is None:
            return call.value
        call.error.__cause__ = call.error.__context__ = None
        raise call.error.with_traceback(None)

    def __getattribute__(self, name: str) -> Any:
        raise AttributeError(_("an answer can only be called, it has no {name}").format(name=name))

    def __repr__(self) -> str:
        return _("<an answer>")


def refused(test: Test) -> list[str]:
    """Return what a test uses that looks behind a function, by name and in order."""
    found: set[str] = set()
    for function in _functions(test):
        names = set(_names(function.__code__))
        found |= {name for name in names if _is_refused(name)}
        for value in _values(function):
            where = value.__name__ if isinstance(value, ModuleType) else _home(value)
            if where.split(".")[0] in MODULES or where.startswith(COURSE):
                found.add(where)
    return sorted(found)


def fresh(test: Test) -> Test:
    """Return the test with globals of its own: no run remembers or spoils what another uses."""
    if not isinstance(test, FunctionType):
        return test
    functions = [each for each in _functions(test) if each.__globals__ is test.__globals__]
    namespace = dict(test.__globals__)
    for name in {name for each in functions for name in _names(each.__code__)} & set(namespace):
        value = namespace[name]
        if any(value is each for each in functions):
            namespace[name] = _moved(value, namespace)
        elif isinstance(value, DATA):
            namespace[name] = _copied(value)
    return _moved(test, namespace)


def _moved(function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
    moved = FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    moved.__kwdefaults__ = function.__kwdefaults__
    return moved


def _copied(value: Any) -> Any:
    try:
        return value.clone_state() if isinstance(value, torch.Generator) else copy.deepcopy(value)
    except Exception:  # a tensor inside a graph, for one: the test goes on with the original
        return value


def _functions(test: Test) -> list[FunctionType]:
    """Return the functions of the reader's that a test goes through, itself among them."""
    found: list[FunctionType] = []
    todo: list[Any] = [test]
    while todo:
        function = todo.pop()
        if isinstance(function, FunctionType) and not any(function is each for each in found):
            found.append(function)
            todo += [each for each in _values(function) if _home(each) == _home(test)]
    return found


def _values(function: FunctionType) -> Iterator[Any]:
    """Yield what a function holds or looks up: globals, variables of its closure, defaults."""
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a variable that is not bound yet
            continue


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names of globals, attributes and modules, and texts that may hold such a name."""
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        of_a_class = instruction.opname in ("LOAD_NAME", "STORE_NAME") and "__" in name
        if instruction.opcode in dis.hasname and not of_a_class and name != "__init__":
            yield name
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
        elif isinstance(constant, str) and "__" in constant:
            yield constant


def _is_refused(name: str) -> bool:
    parts = name.split(".")
    return "__" in name or parts[0] in MODULES or name.startswith(COURSE) or name in NAMES


def _home(value: Any) -> str:
    """Return the module of a function or class; of anything else that of its class."""
    where = getattr(value, "__module__", None)
    return where if isinstance(where, str) else ""
