"""Argument checking: one sentence that names argument, value and expectation.

A wrong kind or dtype raises `TypeError`, a wrong size, range or device
`ValueError`. This holds for the whole package; a docstring's "Raises" names
only what is special. Tensors are checked from their annotations, by `checked`;
what no annotation can say, such as a range, is one line in the function.
"""

import functools
import inspect
import threading
import typing
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import torch
from jaxtyping import AbstractArray
from torch import Tensor, nn

P = ParamSpec("P")
R = TypeVar("R")


MISSING = object()  # an argument that a call leaves to its default
KEPT = 1000  # calls remembered for each function


class _Edge(threading.local):
    inside = False  # whether a checked call is under way in this thread


_edge = _Edge()


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the tensors given to a function against its annotations.

    ``Float[Tensor, "*leading query d_key"]`` asks for a floating-point tensor
    whose axes are not empty and have the sizes that earlier arguments gave to
    axes of the same names, or that a module has as attributes of these names:
    the first argument, if it is one, such as `self`. Floating-point tensors
    share one dtype, and all tensors one device: those of the first, or of the
    module's parameters.

    Only the edge is checked: not what a checked call calls in its turn. Shapes,
    dtypes and devices decide, so a call like one that passed is let through.
    """
    names = inspect.signature(function).parameters
    read = [
        _Wanted.read(place, names[name]) for place, name in enumerate(names)
    ]
    wanted = [each for each in read if each is not None]
    axes = sorted({axis for each in wanted for axis in each.axes})
    passed: set[tuple[Any, ...]] = set()

    @functools.wraps(function)
    def at_the_edge(*args: P.args, **kwargs: P.kwargs) -> R:
        if _edge.inside:
            return function(*args, **kwargs)
        values = [
            args[each.place]
            if each.place < len(args)
            else kwargs.get(each.name, MISSING)
            for each in wanted
        ]
        module = _module(args[0], axes) if args else ()
        call = (module, *map(_look, values))
        if call not in passed:
            seen = _Seen(*module)
            for each, value in zip(wanted, values, strict=True):
                each.check(value, seen)
            if len(passed) < KEPT:
                passed.add(call)
        _edge.inside = True
        try:
            return function(*args, **kwargs)
        finally:
            _edge.inside = False

    return at_the_edge


def _look(value: Any) -> Any:
    """Return what decides whether a value passes."""
    if isinstance(value, Tensor):
        return value.shape, value.dtype, value.device
    return type(value), getattr(value, "device", None)


def _module(module: Any, axes: Iterable[str]) -> tuple[Any, ...]:
    """Return a module's sizes by axis, and name, dtype, device of a parameter."""
    if not isinstance(module, nn.Module):
        return ()
    own = vars(module)
    sizes = tuple(
        (axis, own[axis]) for axis in axes if type(own.get(axis)) is int
    )
    name, first = _first_parameter(module)
    if first is None:
        return (sizes,)
    return sizes, (name, first.dtype), (name, first.device)


def _first_parameter(module: nn.Module) -> tuple[str, Tensor | None]:
    """Return what `named_parameters` gives first, in a tenth of the time."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            return name, parameter
    for name, child in module._modules.items():
        if child is not None:
            inner, parameter = _first_parameter(child)
            if parameter is not None:
                return f"{name}.{inner}", parameter
    return "", None


class _Seen:
    """Sizes by axis, and what later tensors must be like, and in what."""

    def __init__(
        self,
        sizes: Iterable[tuple[str, int]] = (),
        dtype: tuple[str, torch.dtype] | None = None,
        device: tuple[str, torch.device] | None = None,
    ) -> None:
        self.sizes = dict(sizes)
        self.like: dict[str, tuple[str, Any]] = {}
        if dtype is not None:
            self.like = {"dtype": dtype, "device": device}


@dataclass(frozen=True)
class _Wanted:
    """What the annotation of one argument asks for."""

    name: str
    place: int
    kind: type  # Tensor or torch.Generator
    optional: bool
    dtypes: frozenset[torch.dtype] = frozenset()  # empty: any
    leading: str = ""  # "*leading" or "...", before the axes
    axes: tuple[str, ...] = ()

    @classmethod
    def read(cls, place: int, parameter: inspect.Parameter) -> "_Wanted | None":
        """Read ``Float[Tensor, "*leading query"] | None``; None: no tensor."""
        name, hint = parameter.name, parameter.annotation
        kinds = typing.get_args(hint) or (hint,)
        asked, optional = kinds[0], type(None) in kinds
        if asked in (torch.Generator, Tensor):
            return cls(name, place, asked, optional)
        if not inspect.isclass(asked) or not issubclass(asked, AbstractArray):
            return None
        if asked.array_type is not Tensor:
            return None
        axes = asked.dim_str.split()
        leading = axes.pop(0) if axes and axes[0][0] in "*." else ""
        there = [name for name in asked.dtypes if hasattr(torch, name)]
        dtypes = frozenset(getattr(torch, name) for name in there)
        return cls(name, place, Tensor, optional, dtypes, leading, tuple(axes))

    def check(self, value: Any, seen: _Seen) -> None:
        """Raise `TypeError` or `ValueError` unless the value is as asked."""
        if value is MISSING or (value is None and self.optional):
            return  # what is missing without a default, Python complains of
        name = self.name
        if not isinstance(value, self.kind):
            raise TypeError(
                f"{name}: expected a torch.{self.kind.__name__}, got {type(value).__name__}"
            )
        if self.dtypes:
            dtype = value.dtype
            if dtype not in self.dtypes:
                raise TypeError(f"{name}: {self._other_kind(dtype)}")
            if dtype.is_floating_point:
                like, first = seen.like.setdefault("dtype", (name, dtype))
                if dtype != first:
                    raise TypeError(
                        f"{name}: expected the dtype {first} of {like}, got {dtype}"
                    )
            if self.axes or self.leading != "...":
                self._check_axes(value.shape, seen)
        device = value.device
        like, first = seen.like.setdefault("device", (name, device))
        if device != first:
            raise ValueError(
                f"{name}: expected the device {first} of {like}, got {device}"
            )

    def _check_axes(self, shape: tuple[int, ...], seen: _Seen) -> None:
        sizes = seen.sizes.copy()
        count = len(shape) - len(self.axes)  # of leading axes
        fits = count == 0 or (count > 0 and self.leading)
        for axis, n in zip(self.axes, shape[max(count, 0) :], strict=False):
            plain = axis.isidentifier()
            size = sizes.setdefault(axis, n) if plain else _size(axis, n, sizes)
            fits = fits and size == n
        if not fits or 0 in shape[count:]:
            self._refuse_axes(tuple(shape), seen.sizes, bool(fits))
        seen.sizes = sizes
        if self.leading[:1] == "*":
            got = self.name, tuple(shape[:count])
            like, first = seen.like.setdefault(self.leading, got)
            if shape[:count] != first:
                raise ValueError(
                    f"{self.name}: expected the leading axes {first} of {like}, got {got[1]}"
                )

    def _other_kind(self, dtype: torch.dtype) -> str:
        if torch.bool in self.dtypes:
            return (
                f"expected a boolean mask (True = may attend), got dtype "
                f"{dtype}; convert an additive mask of 0 and -inf with "
                "`mask == 0`"
            )
        if len(self.dtypes) == 1:
            return f"expected dtype {next(iter(self.dtypes))}, got {dtype}"
        if torch.int64 in self.dtypes:
            return f"expected a tensor of numbers, got dtype {dtype}"
        return f"expected a floating-point tensor, got dtype {dtype}"

    def _refuse_axes(
        self, shape: tuple[int, ...], sizes: dict[str, int], fits: bool
    ) -> None:
        if fits:
            behind = shape[len(shape) - len(self.axes) :]
            axis = self.axes[behind.index(0)]
            wrong = f"axis {axis} must not be empty"
        else:
            axes = [_label(axis, sizes) for axis in self.axes]
            dots = ["..."] if self.leading else []
            wrong = f"expected axes [{', '.join(dots + axes)}]"
        raise ValueError(f"{self.name}: {wrong}, got shape {shape}")


def _size(axis: str, n: int, sizes: dict[str, int]) -> int:
    """Return the size that "2", "#query" or "d_query+d_key" must have."""
    if axis.isdigit():
        return int(axis)
    if axis[0] == "#":  # 1 is broadcast
        return 1 if n == 1 else sizes.setdefault(axis[1:], n)
    return sum(sizes[term] for term in axis.split("+"))


def _label(axis: str, sizes: dict[str, int]) -> str:
    size = sizes.get(axis.strip("#"))
    if "+" in axis:
        size = sum(sizes[term] for term in axis.split("+"))
    return axis if size is None else f"{axis}={size}"


def check_tensor(name: str, value: Any, *, floating: bool = False) -> None:
    """Check that a value is a tensor, of a floating-point dtype if `floating`."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name}: expected a torch.Tensor, got {type(value).__name__}"
        )
    if floating and not value.is_floating_point():
        raise TypeError(
            f"{name}: expected a floating-point tensor, got dtype {value.dtype}"
        )


def check_axes(
    name: str, tensor: Tensor, axes: str, **expected: int
) -> dict[str, int]:
    """Check the axes of a floating-point tensor and return their sizes by name.

    Args:
        name: the argument's name, for the message.
        tensor: the value to check, of any shape.
        axes: axis names separated by blanks; a leading ``...`` stands for any leading axes.
        **expected: the sizes some of the axes must have.
    """
    check_tensor(name, tensor, floating=True)
    names = axes.split()
    leading = names[0] == "..."
    names = names[1:] if leading else names
    shape = tuple(tensor.shape)
    fits = len(shape) >= len(names) if leading else len(shape) == len(names)
    sizes = (
        dict(zip(names, shape[len(shape) - len(names) :], strict=True))
        if fits
        else {}
    )
    if not fits or any(
        sizes.get(axis, size) != size for axis, size in expected.items()
    ):
        wanted = [
            *(["..."] if leading else []),
            *(_label(axis, expected) for axis in names),
        ]
        raise ValueError(
            f"{name}: expected axes [{', '.join(wanted)}], got shape {shape}"
        )
    if 0 not in sizes.values():
        return sizes
    empty = next(axis for axis, size in sizes.items() if size == 0)
    raise ValueError(
        f"{name}: axis {empty} must not be empty, got shape {shape}"
    )


def _label(axis: str, expected: dict[str, int]) -> str:
    return f"{axis}={expected[axis]}" if axis in expected else axis


def check_leading(
    name: str, tensor: Tensor, like: str, reference: Tensor
) -> None:
    """Check that two tensors, of any shape, agree in every axis before the last two.

    Those are axes such as batch and head.
    """
    got, wanted = tuple(tensor.shape[:-2]), tuple(reference.shape[:-2])
    if got != wanted:
        raise ValueError(
            f"{name}: expected the leading axes {wanted} of {like}, got {got}"
        )


def check_same_kind(
    name: str, tensor: Tensor, like: str, reference: Tensor
) -> None:
    """Check that two tensors, of any shape, have one dtype and lie on one device."""
    if tensor.dtype != reference.dtype:
        raise TypeError(
            f"{name}: expected the dtype {reference.dtype} of {like}, got {tensor.dtype}"
        )
    check_device(name, tensor, like, reference)


def check_device(
    name: str, tensor: Tensor, like: str, reference: Tensor
) -> None:
    """Check that two tensors, of any shape, lie on one device."""
    if tensor.device != reference.device:
        raise ValueError(
            f"{name}: expected the device {reference.device} of {like}, got {tensor.device}"
        )


def check_generator(
    name: str, value: Any, like: str = "", reference: Tensor | None = None
) -> None:
    """Check that a value is a `torch.Generator`, on the device of `reference` if that is given."""
    if not isinstance(value, torch.Generator):
        raise TypeError(
            f"{name}: expected a torch.Generator, got {type(value).__name__}"
        )
    if reference is not None and value.device.type != reference.device.type:
        raise ValueError(
            f"{name}: expected the device {reference.device} of {like}, got {value.device}"
        )


def check_token_ids(
    name: str, ids: Tensor, axes: str, *, vocabulary: int
) -> None:
    """Check a tensor of token numbers: dtype int64, the axes, and 0 <= id < vocabulary.

    Args:
        name: the argument's name, for the message.
        ids: the value to check, of any shape.
        axes: axis names separated by blanks.
        vocabulary: number of token types.
    """
    check_tensor(name, ids)
    if ids.dtype != torch.int64:
        raise TypeError(
            f"{name}: expected token numbers of dtype torch.int64, got {ids.dtype}"
        )
    names = axes.split()
    if ids.dim() != len(names) or 0 in ids.shape:
        wanted = ", ".join(names)
        raise ValueError(
            f"{name}: expected non-empty axes [{wanted}], got {tuple(ids.shape)}"
        )
    low, high = torch.stack(
        torch.aminmax(ids)
    ).tolist()  # one reading from the device
    if low < 0 or high >= vocabulary:
        worst = low if low < 0 else high
        raise ValueError(
            f"{name}: expected token numbers in [0, {vocabulary}), got {worst}"
        )


def check_mask(name: str, mask: Tensor | None, shape: tuple[int, ...]) -> None:
    """Check that `mask` is None, or boolean and broadcastable to `shape` (True = may attend).

    Before that, it may have any shape.
    """
    if mask is None:
        return
    check_tensor(name, mask)
    if mask.dtype != torch.bool:
        raise TypeError(
            f"{name}: expected a boolean mask (True = may attend), got dtype {mask.dtype}; "
            "convert an additive mask of 0 and -inf with `mask == 0`"
        )
    behind = (
        shape[len(shape) - mask.dim() :] if mask.dim() <= len(shape) else ()
    )
    fits = len(behind) == mask.dim() and all(
        own in (1, size) for own, size in zip(mask.shape, behind, strict=True)
    )
    if not fits:
        raise ValueError(
            f"{name}: expected a shape that broadcasts to {tuple(shape)}, got {tuple(mask.shape)}"
        )


def check_integer(name: str, value: Any, *, at_least: int) -> None:
    """Check an integer with a lower bound. Booleans do not count as integers."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected an integer, got {value!r}")
    if int(value) < at_least:
        raise ValueError(
            f"{name}: expected an integer of at least {at_least}, got {value}"
        )


def check_divisor(
    name: str, value: int, of: str, whole: int, hint: str = ""
) -> None:
    """Check that `value`, such as a number of heads, divides `whole`."""
    if whole % value:
        raise ValueError(
            f"{name}: expected a divisor of {of}={whole}, got {value}{hint}"
        )


def check_number(
    name: str, value: Any, *, above: int | float | None = None, at_least: int | float | None = None,
    below: int | float | None = None, at_most: int | float | None = None,
) -> None:  # fmt: skip
    """Check a real number against open (`above`, `below`) and closed bounds. NaN never passes."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    if (
        value == value  # NaN is not
        and (above is None or value > above)
        and (at_least is None or value >= at_least)
        and (below is None or value < below)
        and (at_most is None or value <= at_most)
    ):
        return
    bounds = {">": above, ">=": at_least, "<": below, "<=": at_most}
    given = [
        f"{sign} {bound}" for sign, bound in bounds.items() if bound is not None
    ]
    wanted = " and ".join(given) or "not NaN"
    raise ValueError(f"{name}: expected a number {wanted}, got {value}")


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Check that a value is one of `choices`, which the message lists."""
    if value not in tuple(
        choices
    ):  # by equality: a list cannot be looked up in a dict or a set
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}: expected one of {listed}, got {value!r}")
