"""Tensors are checked from the annotations of a function's arguments."""

import copy
import functools
import inspect
import typing
from collections.abc import Callable, Collection, Sequence
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor, nn

from bottomup.checks.as_in_torch import check_attend, translate_names
from bottomup.checks.masks import not_boolean
from bottomup.checks.tracing import SINGLE_OR_HALF, may_meet

P = ParamSpec("P")
R = TypeVar("R")

Seen = dict[str, tuple[str, Any]]  # of axis, dtype or device: where, and what


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the tensors given to a function against its annotations.

    Whoever calls the function is told in one sentence which argument has
    another kind, dtype, size or device than annotated, each time. No more is
    asked than torch asks: half precision may stand beside float32 where one is
    turned into the other, under ``torch.autocast`` and in a function that is
    `in_float32`, and nothing is asked where ``torch.compile`` traces.

    ``Float[Tensor, "*leading query d_key"]`` asks for a floating-point tensor
    whose axes are not empty and have the sizes that earlier arguments gave to
    axes of the same names, or that a module has as attributes of these names:
    the first argument, if it is one, such as `self`. Tensors of `Float` share
    one dtype, and all tensors one device: those of the first, or of the
    module's parameters. `Float32` and `Float64`, the choice between them, and
    `Real` are of their own dtype.
    """
    parameters = inspect.signature(function).parameters
    widens = getattr(function, "widens", False)
    read = [
        _read(place, each, widens)
        for place, each in enumerate(parameters.values())
    ]
    arguments = [wanted for wanted in read if wanted is not None]
    attends = "attend" in parameters
    axes = {axis for wanted in arguments for axis in wanted.axes}

    @functools.wraps(function)
    def at_the_door(*args: P.args, **kwargs: P.kwargs) -> R:
        if not torch.compiler.is_compiling():
            seen = _of_module(args[0], axes) if args else {}
            for wanted in arguments:
                if wanted.place < len(args):
                    wanted.check(args[wanted.place], seen)
                elif wanted.name in kwargs:
                    wanted.check(kwargs[wanted.name], seen)
            if not kwargs.keys() <= parameters.keys():
                translate_names(kwargs.keys() - parameters.keys())
            if attends and "attend" in kwargs:
                check_attend(kwargs["attend"])
        return function(*args, **kwargs)

    return at_the_door


def _of_module(module: Any, axes: Collection[str]) -> Seen:
    """Return what a module knows: sizes, and its first parameter's kind."""
    seen: Seen = {}
    if isinstance(module, nn.Module):
        own = vars(module)
        for axis in axes:
            if type(own.get(axis)) is int:
                seen[axis] = "module", own[axis]
        name, first = _first_parameter(module)
        if first is not None:
            seen["dtype"] = name, first.dtype
            seen["device"] = name, first.device
    return seen


def _first_parameter(module: nn.Module) -> tuple[str, Tensor | None]:
    """Return what `named_parameters` gives first, in a fifth of its time."""
    for name, own in module._parameters.items():
        if own is not None:
            return name, own
    for name, child in module._modules.items():
        below, first = _first_parameter(child) if child else ("", None)
        if first is not None:
            return f"{name}.{below}", first
    return "", None


class _Wanted:
    """What the annotation of one argument asks for.

    Attributes:
        name, place: the argument's.
        kind: Tensor or torch.Generator.
        optional: whether it may be None.
        widens: whether the function computes in float32 what comes in half.
        dtypes: which it may have; empty: any.
        axes: names and sizes, without the leading ones.
        leading: "*leading" or "...", before the axes.
    """

    def __init__(
        self,
        name: str,
        place: int,
        kind: type[Any],
        optional: bool,
        widens: bool,
        dtypes: Collection[torch.dtype] = (),
        axes: Sequence[str] = (),
    ) -> None:
        self.name, self.place, self.kind = name, place, kind
        self.optional, self.widens = optional, widens
        self.dtypes = frozenset(dtypes)
        named = axes and axes[0][0] in "*."
        self.leading, self.axes = (axes[0], axes[1:]) if named else ("", axes)
        # What is asked at each call is found out once.
        self.shared_leading = self.leading[:1] == "*"
        self.has_axes = bool(self.axes) or self.shared_leading
        self.plain = {axis for axis in self.axes if axis.isidentifier()}
        # A `Float`, not of one dtype, nor a `Real`:
        of_one = len(self.dtypes) in (1, 2)
        self.shares_dtype = not of_one and torch.int64 not in self.dtypes

    def check(self, value: Any, seen: Seen) -> None:
        """Raise `TypeError` or `ValueError` unless the value is as asked."""
        if value is None and self.optional:
            return
        name = self.name
        if not isinstance(value, self.kind):
            wanted, got = self.kind.__name__, type(value).__name__
            raise TypeError(
                f"{name}: expected a torch.{wanted}, got {got}{_in_pair(value)}"
            )
        device = value.device
        if isinstance(value, Tensor):
            dtype = value.dtype
            if self.dtypes and dtype not in self.dtypes:
                raise TypeError(f"{name}: expected {self._kind(dtype)}")
            if self.shares_dtype and dtype.is_floating_point:
                like, first = seen.setdefault("dtype", (name, dtype))
                if dtype != first and not self._may_meet(dtype, first, device):
                    wanted = f"the dtype {first} of {like}"
                    raise TypeError(f"{name}: expected {wanted}, got {dtype}")
            if self.has_axes:
                self._check_axes(tuple(value.shape), seen)
        elif "device" in seen and device.type == seen["device"][1].type:
            return  # "cuda" draws for tensors on "cuda:0"
        like, first = seen.setdefault("device", (name, device))
        if device != first:
            wanted = f"the device {first} of {like}"
            raise ValueError(f"{name}: expected {wanted}, got {device}")

    def _may_meet(
        self, one: torch.dtype, other: torch.dtype, device: torch.device
    ) -> bool:
        widened = self.widens and {one, other} <= SINGLE_OR_HALF
        return widened or may_meet(one, other, device)

    def _check_axes(self, shape: tuple[int, ...], seen: Seen) -> None:
        count = len(shape) - len(self.axes)  # of leading axes
        fits = count >= 0 if self.leading else count == 0
        leading, sizes = shape[: max(count, 0)], shape[max(count, 0) :]
        for axis, n in zip(self.axes, sizes, strict=False):
            if axis not in self.plain:
                fits &= _size(axis, n, seen) == n
            elif axis not in seen:
                seen[axis] = self.name, n
            elif n != seen[axis][1]:
                fits = False
        if not fits:
            dots = ["..."] if self.leading else []
            labels = [_label(axis, self.name, seen) for axis in self.axes]
            wanted = f"axes [{', '.join(dots + labels)}]"
            alone = count == -1 and self.axes[0] == "batch"
            hint = f"; `{self.name}[None]` is a batch of one" if alone else ""
            raise ValueError(
                f"{self.name}: expected {wanted}, got shape {shape}{hint}"
            )
        if 0 in sizes:
            axis = self.axes[sizes.index(0)]
            raise ValueError(
                f"{self.name}: axis {axis} must not be empty, got shape {shape}"
            )
        if self.shared_leading:
            like, first = seen.setdefault(self.leading, (self.name, leading))
            if leading != first:
                wanted = f"the leading axes {first} of {like}"
                raise ValueError(
                    f"{self.name}: expected {wanted}, got {leading}"
                )

    def _kind(self, dtype: torch.dtype) -> str:
        if torch.bool in self.dtypes:
            return not_boolean(dtype)
        if len(self.dtypes) <= 2:
            wanted = " or ".join(sorted(map(str, self.dtypes)))
            return f"dtype {wanted}, got {dtype}"
        kind = "numeric" if torch.int64 in self.dtypes else "floating-point"
        return f"a {kind} tensor, got dtype {dtype}"


class _Several:
    """What the annotation ``Sequence[Float[Tensor, ...]]`` asks of each."""

    def __init__(self, each: _Wanted) -> None:
        self.each = each
        self.name, self.place, self.axes = each.name, each.place, each.axes

    def check(self, value: Any, seen: Seen) -> None:
        """Check one after the other, and name it by its number."""
        name = self.each.name
        for number, one in enumerate(value):
            each = copy.copy(self.each)
            each.name = f"{name}[{number}]"
            each.check(one, seen)


def _read(
    place: int, parameter: inspect.Parameter, widens: bool
) -> _Wanted | _Several | None:
    """Read ``Float[Tensor, "*leading query"] | None``; None: no tensor."""
    name, hint = parameter.name, parameter.annotation
    if typing.get_origin(hint) is Sequence:
        (one,) = typing.get_args(hint)
        each = _read(place, parameter.replace(annotation=one), widens)
        return _Several(each) if isinstance(each, _Wanted) else None
    kinds = typing.get_args(hint) or (hint,)
    asked, optional = kinds[0], type(None) in kinds
    if asked in (torch.Generator, Tensor):
        return _Wanted(name, place, asked, optional, widens)
    if getattr(asked, "array_type", None) is not Tensor:
        return None
    axes = asked.dim_str.split()
    names = [n for kind in kinds for n in getattr(kind, "dtypes", ())]
    dtypes = [getattr(torch, n) for n in names if hasattr(torch, n)]
    return _Wanted(name, place, Tensor, optional, widens, dtypes, axes)


def _in_pair(value: Any) -> str:
    """Say how to take the output from what an attention or a layer returns."""
    if isinstance(value, tuple) and value and isinstance(value[0], Tensor):
        return "; attentions and layers return (output, weights): take [0]"
    return ""


def _size(axis: str, n: int, seen: Seen) -> int:
    """Return the size that an axis must have: "2", "a+b" or "#query"."""
    if axis.isdigit():
        return int(axis)
    if "+" in axis:
        return sum(seen[term][1] for term in axis.split("+"))
    size: int = seen[axis[1:]][1]
    return 1 if n == 1 else size  # it is broadcast


def _label(axis: str, name: str, seen: Seen) -> str:
    if "+" in axis:
        return f"{axis}={_size(axis, 0, seen)}"
    like, n = seen.get(axis.strip("#"), (name, 0))
    return axis if like == name else f"{axis}={n}"
