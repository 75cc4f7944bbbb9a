"""Telling an untouched stub from a wrong answer."""

import __future__

import inspect
from types import CodeType, FunctionType
from typing import Any

import torch

from bottomup.exercises.engine.exercise import Exercise


def _nothing() -> None: ...


def _described() -> None:
    """Nothing below a docstring."""


def is_unsolved(exercise: Exercise, answer: Any) -> bool:
    """Whether `answer` is still a stub: nothing but ``...``, or the exercise's own stub unchanged.

    Of a class, a method that is empty counts where the stub leaves it empty too.
    """
    if answer is Ellipsis:
        return True
    ours, stub = methods_of(answer), methods_of(stub_answer(exercise))
    empty = [name for name, code in ours.items() if is_empty(code)]
    if any(not name or (name in stub and is_empty(stub[name])) for name in empty):
        return True
    return bool(ours) and _contents(ours) == _contents(stub)


def stub_answer(exercise: Exercise) -> Any:
    """Return what the stub defines, as in a notebook that has imported torch and nn."""
    namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    flags = __future__.annotations.compiler_flag  # annotations of a stub are never evaluated
    exec(compile(exercise.stub, "<stub>", "exec", flags, True), namespace)
    return namespace[exercise.answer_name]


def says_unsolved(error: BaseException | None) -> bool:
    """Whether an error is a stub's bare ``raise NotImplementedError``: torch's have a message."""
    return isinstance(error, NotImplementedError) and not error.args


def methods_of(answer: Any) -> dict[str, CodeType]:
    """Return the code of a function (under ""), or of each function that a class itself defines."""
    members = vars(answer) if inspect.isclass(answer) else {"": inspect.unwrap(answer)}
    return {name: f.__code__ for name, f in members.items() if isinstance(f, FunctionType)}


def is_empty(code: CodeType) -> bool:
    """Whether a function's body is nothing but ``...``, below a docstring or none."""
    empty = (_nothing.__code__.co_code, _described.__code__.co_code)
    return code.co_code in empty and code.co_consts[-1] is None


def _contents(methods: dict[str, CodeType]) -> dict[str, tuple[Any, ...]]:
    return {name: _content(code) for name, code in methods.items()}


def _content(code: CodeType) -> tuple[Any, ...]:
    constants = [_content(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code, tuple(constants), code.co_names, code.co_varnames
