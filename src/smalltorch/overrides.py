"""Every public function of the small torch, and who may watch when it is called."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ClassVar, ParamSpec, TypeVar

from smalltorch.binding import told
from smalltorch.dtypes import class_name
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor, made, values

P = ParamSpec("P")
T = TypeVar("T")


class TorchFunctionMode:
    """A context in which `__torch_function__` is called in place of each function of torch."""

    _active: ClassVar[list["TorchFunctionMode"]] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Do what is to be done in place of `func`: as it stands, call it."""
        return func(*args, **(kwargs or {}))

    def __enter__(self) -> "TorchFunctionMode":
        self._active.append(self)
        return self

    def __exit__(self, *_error: object) -> None:
        self._active.remove(self)


_active = TorchFunctionMode._active
NUMPY = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}  # fmt: skip


def operation(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function one of torch's.

    A mode sees the call, and nothing that it calls in turn. What is declared as a tensor has to be
    one, arguments may have their names of numpy, and `out=` names a tensor that gets the result.
    """
    parameters = signature(function).parameters
    tensors = [
        (place, name)
        for place, (name, parameter) in enumerate(parameters.items())
        if parameter.annotation is Tensor
    ]
    names = {} if ".nn" in function.__module__ else NUMPY  # what Python defines has its own only
    renamed = {
        numpys: own
        for numpys, own in names.items()
        if own in parameters and numpys not in parameters
    }
    writes_itself = "out" in parameters

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for place, name in tensors:
            if place < len(args) and not isinstance(args[place], Tensor):
                raise TypeError(
                    f"{function.__name__}(): argument '{name}' (position {place + 1}) must be "
                    f"Tensor, not {type(args[place]).__name__}"
                )
        if "out" in kwargs and not writes_itself:
            return _written(kwargs.pop("out"), call, *args, **kwargs)
        for name in renamed if kwargs else ():
            if name in kwargs and renamed[name] not in kwargs:
                kwargs[renamed[name]] = kwargs.pop(name)
        if not _active:
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                raise told(function, error, args, kwargs) from None
        mode = _active.pop()
        try:
            return mode.__torch_function__(call, (), args, kwargs)
        finally:
            _active.append(mode)

    return call


def _written(out: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Put what a function returns into a tensor that is given: `out=`."""
    from smalltorch.autograd import wants_history
    from smalltorch.inplace import overwrite

    result = function(*args, **kwargs)
    if out is None:
        return result
    name = function.__name__
    if not isinstance(out, Tensor) or not isinstance(result, Tensor):
        raise not_here(f"{name}(out={type(out).__name__})")
    if wants_history(out, result):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    if result.dtype.kind > out.dtype.kind:
        raise RuntimeError(
            f"result type {class_name(result.dtype)} can't be cast to the desired output type "
            f"{class_name(out.dtype)}"
        )
    if out.shape != result.shape:  # torch makes room for it
        room = made(values(result), result.shape, out.dtype)
        out.storage, out._offset, out.shape, out._strides = (
            room.storage, 0, room.shape, room._strides,
        )  # fmt: skip
    return overwrite(out, result)


def named(function: Any, name: str, doc: str) -> Any:
    """Return one of torch's functions under its name."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return operation(function)


def resolve_name(function: Callable[..., Any]) -> str | None:
    """Return the name of one of torch's functions."""
    name = getattr(function, "__name__", None)
    return f"torch.{name}" if name else None
