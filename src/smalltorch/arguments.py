"""What torch says of arguments of the wrong kind."""

from collections.abc import Sequence
from operator import index
from typing import Any

from smalltorch import dtypes
from smalltorch.dtypes import dtype, get_default_dtype
from smalltorch.geometry import Size
from smalltorch.tensor import Tensor

_OF_PYTHON = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_,
              complex: dtypes.complex128}  # fmt: skip


def bad_call(name: str, /, *args: Any, **named: Any) -> TypeError:
    """Return the error for arguments that fit no form of a function."""
    kinds = ", ".join(
        [*map(kind_name, args), *(f"{each}={kind_name(named[each])}" for each in named)]
    )
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one "
        "of:"
    )


def wrong_kind(name: str, argument: str, position: int, wanted: str, got: Any) -> TypeError:
    """Return the error for one argument of the wrong kind."""
    return TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be {wanted}, not "
        f"{kind_name(got)}"
    )


def kind_name(value: Any) -> str:
    """Return the name of a value's class, as torch writes it."""
    return "torch.dtype" if isinstance(value, dtype) else type(value).__name__


def tensor_argument(name: str, value: Any, argument: str = "input", position: int = 1) -> Tensor:
    """Return a tensor.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, Tensor):
        raise wrong_kind(name, argument, position, "Tensor", value)
    return value


def number_argument(name: str, argument: str, position: int, value: Any) -> Any:
    """Return a Python number: of a tensor without axes and without a history, its number.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, Tensor) and not value.shape and not value.requires_grad:
        return value.item()
    if not isinstance(value, (bool, int, float, complex)):
        if hasattr(value, "item") and not isinstance(value, Tensor):
            return value.item()  # one of numpy's
        raise wrong_kind(name, argument, position, "Number", value)
    return value


def integer_argument(name: str, argument: str, position: int, value: Any) -> int:
    """Return a Python integer.

    Raises:
        TypeError: it is none; neither is a truth value.
    """
    if not is_length(value):
        raise wrong_kind(name, argument, position, "int", value)
    return index(value)


def size_argument(name: str, sizes: Sequence[Any]) -> Size:
    """Return the shape that the arguments of a function name: f(2, 3) or f((2, 3)).

    Raises:
        TypeError: they are no integers.
    """
    start = f"{name}(): argument 'size'"
    if not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        for place, size in enumerate(sizes[0]):
            if not is_length(size):
                raise TypeError(
                    f"{start} (position 1) must be tuple of ints, but found element of type "
                    f"{kind_name(size)} at pos {place}"
                )
        return Size(map(index, sizes[0]))
    if not is_length(sizes[0]):
        raise wrong_kind(name, "size", 1, "tuple of ints", sizes[0])
    for place, size in enumerate(sizes, start=1):
        if not is_length(size):
            raise TypeError(
                f'{start} failed to unpack the object at pos {place} with error "type must be '
                f'tuple of ints,but got {kind_name(size)}"'
            )
    return Size(map(index, sizes))


def dtype_argument(name: str, kind: Any, otherwise: dtype | None = None) -> dtype:
    """Return the dtype that an argument names, torch's or Python's; of None the other one.

    Raises:
        TypeError: it names none.
    """
    if kind is None:
        return otherwise or get_default_dtype()
    if isinstance(kind, dtype):
        return kind
    if kind in _OF_PYTHON:
        return _OF_PYTHON[kind]
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {kind_name(kind)}")


def lengths(name: str, argument: str, sizes: Any) -> tuple[int, ...]:
    """Return the integers of an argument that is a list of them.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(sizes, (tuple, list)):
        raise wrong_kind(name, argument, 2, "tuple of ints", sizes)
    for place, size in enumerate(sizes, start=1):
        if not is_length(size):
            raise TypeError(
                f"{name}(): argument '{argument}' failed to unpack the object at pos {place} with "
                f'error "type must be tuple of ints,but got {kind_name(size)}"'
            )
    return tuple(map(index, sizes))


def is_length(value: Any) -> bool:
    """Say whether a value is an integer, or a tensor of one; a truth value is not."""
    if isinstance(value, Tensor):
        return not value.shape and value.dtype.kind == dtypes.INTEGER
    return hasattr(value, "__index__") and not isinstance(value, bool)
