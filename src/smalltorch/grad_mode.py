"""Whether results are recorded: switched for a block, a function, or from here on."""

from collections.abc import Callable
from functools import wraps
from typing import Any


class Recording:
    """What holds now."""

    on = True
    inference = False  # what is made now can never take part in a recorded computation


class _Block:
    """A block, or a decorator, inside which something else holds.

    Args:
        on: whether results are recorded.
        inference: whether they may never be; None where that stays as it is.
    """

    def __init__(self, on: bool, inference: bool | None = None) -> None:
        self._on, self._inference = on, inference
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((Recording.on, Recording.inference))
        Recording.on = self._on
        if self._inference is not None:
            Recording.inference = self._inference

    def __exit__(self, *_error: object) -> None:
        Recording.on, Recording.inference = self._before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return call


class _Decorator(_Block):
    """A block of one kind; as a decorator it needs no parentheses."""

    _kind: bool

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Any = None) -> None:
        super().__init__(self._kind)


class no_grad(_Decorator):  # noqa: N801
    """A block whose results have no history."""

    _kind = False


class enable_grad(_Decorator):  # noqa: N801
    """A block whose results have a history, inside one whose results have none."""

    _kind = True


class inference_mode(_Block):  # noqa: N801
    """A block whose results never have a history; with False, one whose results have one."""

    def __new__(cls, mode: Any = True) -> Any:
        """Return a block; or, as a decorator without parentheses, a function in one."""
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode, inference=bool(mode))


class set_grad_enabled(_Block):  # noqa: N801
    """Record, or do not, from here on, or inside a block or a function."""

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self._found, Recording.on = Recording.on, bool(mode)

    def __enter__(self) -> None:
        super().__enter__()
        self._before[-1] = self._found, Recording.inference

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function in such a block."""
        Recording.on = self._found  # a decorator switches nothing before the function is called
        return _Block(self._on)(function)


def is_grad_enabled() -> bool:
    """Say whether results are recorded."""
    return Recording.on


def is_inference_mode_enabled() -> bool:
    """Say whether what is made now can never have a history."""
    return Recording.inference


FUNCTIONS = (
    "enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad set_grad_enabled"
)
