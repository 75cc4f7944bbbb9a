"""Argument checking: one sentence that names argument, value and expectation.

A wrong kind or dtype raises `TypeError`, a wrong size, range or device
`ValueError`. This holds for the whole package; a docstring's "Raises" names
only what is special. Tensors are checked from their annotations, by `checked`;
what no annotation can say, such as a range, is one line in the function.
"""

import copy
import functools
import inspect
import math
import os
import sys
import typing
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import forward_ad

P = ParamSpec("P")
R = TypeVar("R")

Seen = dict[str, tuple[str, Any]]  # of axis, dtype or device: where, and what

_Number = int | float | np.integer | np.floating  # torch knows no other
SINGLE_OR_HALF = {torch.float32, torch.float16, torch.bfloat16}
# What torch calls an argument, and what to write here.
AS_IN_TORCH = {
    "attn_mask": "mask, True = may attend, as for torch's function; a mask "
    "written for nn.MultiheadAttention must be inverted, mask=~attn_mask",
    "src_mask": "mask=~src_mask, True = may attend",
    "tgt_mask": "mask=~tgt_mask, True = may attend",
    "key_padding_mask": "mask=~key_padding_mask[:, None], True = may attend",
    "src_key_padding_mask": "mask=~src_key_padding_mask[:, None], True = may "
    "attend",
    "tgt_key_padding_mask": "mask=~tgt_key_padding_mask[:, None], True = may "
    "attend",
    "memory_key_padding_mask": "memory_mask=~memory_key_padding_mask[:, None], "
    "True = may attend",
    "is_causal": "causal=is_causal",
    "tgt_is_causal": "causal=tgt_is_causal",
    "dropout_p": "dropout=dropout_p",
    "need_weights": "attend=fused_attention for no weights; otherwise they are "
    "returned",
    "average_attn_weights": "no such argument: the weights are those of each "
    "head, and weights.mean(dim=1) is their mean",
    "embed_dim": "d_model=embed_dim",
    "nhead": "num_heads=nhead",
    "dim_feedforward": "d_ff=dim_feedforward",
    "norm_first": 'norm="pre" for True, norm="post" for False',
    "layer_norm_eps": "epsilon=layer_norm_eps",
    "batch_first": "no such argument: here the batch is always the first axis",
}
# Lines of these are not the ones that a warning speaks of.
WITHIN = tuple(
    os.path.dirname(file) + os.sep for file in (__file__, torch.__file__)
)


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
                _translate_names(kwargs.keys() - parameters.keys())
            if attends and "attend" in kwargs:
                _check_attend(kwargs["attend"])
        return function(*args, **kwargs)

    return at_the_door


def without_torch_names(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse torch's names of arguments, in a module's ``__init__``.

    `checked` does so where there are tensors to check.
    """
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def at_the_door(*args: P.args, **kwargs: P.kwargs) -> R:
        _translate_names(kwargs.keys() - parameters.keys())
        return function(*args, **kwargs)

    return at_the_door


def _translate_names(unknown: Collection[str]) -> None:
    """Refuse torch's name of an argument; of others Python says enough."""
    for name in sorted(unknown):
        if name in AS_IN_TORCH:
            raise TypeError(f"{name}: expected {AS_IN_TORCH[name]}")


def _check_attend(attend: Any) -> None:
    """Check what each head is to do, and refuse torch's own function."""
    hint = "; `bottomup.attention.fused_attention` is one"
    check_function("attend", attend, hint)
    if attend is nn.functional.scaled_dot_product_attention:
        wanted = "a function that returns (output, weights)"
        got = f"torch's own, which returns the output{hint} that calls it"
        raise TypeError(f"attend: expected {wanted}, got {got}")


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


def may_meet(
    one: torch.dtype, other: torch.dtype, device: torch.device
) -> bool:
    """Say whether tensors of two dtypes may meet in an operation.

    One and the same may; float32, float16 and bfloat16 under
    ``torch.autocast``, which turns them into each other.
    """
    if one == other:
        return True
    return {one, other} <= SINGLE_OR_HALF and is_autocast_on(device)


def is_autocast_on(device: torch.device) -> bool:
    """Say whether ``torch.autocast`` is at work on such a device."""
    known = torch.amp.is_autocast_available(device.type)
    return known and torch.is_autocast_enabled(device.type)


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
            return _not_boolean(dtype)
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


def is_traced() -> bool:
    """Say whether torch follows the program, not its numbers.

    Under ``torch.compile``, ``torch.export`` and ``FakeTensorMode``, and where
    it `is_transformed`: no number can be read to decide what comes next, no
    tensor be overwritten or kept.
    """
    if torch.compiler.is_compiling() or is_transformed():
        return True
    fake = torch._C._TorchDispatchModeKey.FAKE
    return torch._C._get_dispatch_mode(fake) is not None


def is_transformed() -> bool:
    """Say whether a transform of ``torch.func`` is at work, or forward mode.

    ``vmap``, ``grad`` and ``jvp`` know torch's operations one by one, and few
    of its kernels that join several.
    """
    level: int | None = torch._C._functorch.maybe_current_level()
    return level is not None or forward_ad._current_level >= 0


def check_tensor(name: str, value: Any, *, floating: bool = False) -> None:
    """Check that a value is a tensor, if asked of a floating-point dtype."""
    if not isinstance(value, Tensor):
        got = type(value).__name__
        raise TypeError(f"{name}: expected a torch.Tensor, got {got}")
    if floating and not value.is_floating_point():
        wanted = f"a floating-point tensor, got dtype {value.dtype}"
        raise TypeError(f"{name}: expected {wanted}")


def check_generator(name: str, value: Any) -> torch.Generator:
    """Check and return a generator, which may lie on any device."""
    if not isinstance(value, torch.Generator):
        got = type(value).__name__
        raise TypeError(f"{name}: expected a torch.Generator, got {got}")
    return value


def check_mask(name: str, mask: Tensor | None, shape: tuple[int, ...]) -> None:
    """Check that a mask is None, or boolean and broadcasts to `shape`.

    Before that, it may have any shape. True = may attend.
    """
    if mask is None:
        return
    check_tensor(name, mask)
    if mask.dtype != torch.bool:
        raise TypeError(f"{name}: expected {_not_boolean(mask.dtype)}")
    axes, behind = mask.shape[::-1], shape[::-1]
    pairs = zip(axes, behind, strict=False)
    if len(axes) > len(behind) or any(own not in (1, n) for own, n in pairs):
        hint = _of_batch(name, tuple(mask.shape), tuple(shape))
        raise ValueError(
            f"{name}: expected a shape that broadcasts to {tuple(shape)}, "
            f"got {tuple(mask.shape)}{hint}"
        )


def _of_batch(name: str, got: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Say where a mask lacks axes, if it fits with them behind its batch."""
    axes = {2: "[batch, key]", 3: "[batch, query, key]"}.get(len(got))
    missing = len(shape) - len(got)
    behind = (*got[:1], *[1] * missing, *got[1:])
    fits = all(own in (1, n) for own, n in zip(behind, shape, strict=False))
    if axes is None or missing < 1 or not fits:
        return ""
    return f"; of {axes}, give `{name}[:{', None' * missing}]`"


def ask_which_axes(
    name: str, mask: Tensor | None, shape: tuple[int, ...]
) -> None:
    """Warn of a mask that looks like padding and is read as something else.

    A mask looks like padding where each row is a run of True with False behind
    it, or before it: padding on the left, or torch's masks with True = hidden.

    Axes are counted from the last. Where there are as many sequences as
    queries, [batch, key] is read as [query, key], and where there are as many
    as heads, [batch, 1, key] is read as [head, 1, key]. Other masks of padding
    do not broadcast, and `check_mask` refuses them.

    It is read all the same: to refuse it would stop a right program as soon as
    a batch has that size. Padding of sorted lengths may look like a causal mask
    and pass without a warning.

    Args:
        name: the argument's name, for the message.
        mask: broadcasts to ``[batch, head, query, key]``.
        shape: of the scores, [batch, query, key] or [batch, head, query, key].
    """
    if mask is None or not 2 <= mask.dim() < len(shape) <= 4 or is_traced():
        return
    rows, *between = mask.shape[:-1]
    missing = len(shape) - mask.dim()
    if between not in ([], [1]) or not rows == shape[0] == shape[missing] > 1:
        return
    flat = mask.reshape(rows, -1)
    runs = [each for each in (flat, flat.flip(0, 1)) if _is_of_runs(each)]
    if not runs or any(_may_be_causal(each) for each in runs):
        return
    given, read = (
        ("[batch, 1, key]", "[head, 1, key]")
        if between
        else ("[batch, key]", "[query, key]")
    )
    _warn(
        f"{name}: {tuple(mask.shape)} is read as {read}, the same for all "
        f"{rows} sequences. Of {given}, give `{name}[:{', None' * missing}]`; "
        f"`{name}[None]` says that it is {read}, without this warning"
    )


def _is_of_runs(mask: Tensor) -> bool:
    """Say whether no True stands behind a False, in any row."""
    return not (mask[:, 1:] & ~mask[:, :-1]).any()


def _may_be_causal(mask: Tensor) -> bool:
    """Say whether runs grow from row to row and never shrink, or all is True.

    So do those of a causal mask, also in blocks or with a prefix that all may
    read.
    """
    grown = mask.sum(dim=-1).diff()
    return bool((grown >= 0).all() and (grown.any() or mask.all()))


def _warn(message: str) -> None:
    """Warn at the line that called the package, through torch or not."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_code.co_filename.startswith(WITHIN):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _not_boolean(dtype: torch.dtype) -> str:
    return (
        f"a boolean mask (True = may attend), got dtype {dtype}; convert an "
        "additive mask of 0 and -inf with `mask == 0`"
    )


def check_causal(shape: tuple[int, ...]) -> None:
    """Check that [..., query, key] has as many queries as keys."""
    queries, keys = shape[-2:]
    if queries != keys:
        wanted = f"as many queries as keys, got {queries} and {keys}"
        hint = (
            f"; of the newest queries, give mask=causal_mask({keys})"
            f"[-{queries}:], of the first ones, as torch has it, "
            f"mask=causal_mask({keys})[:{queries}]"
        )
        hint = hint if queries < keys else ""
        raise ValueError(f"causal: expected {wanted}{hint}")


def check_token_ids(
    name: str, ids: Tensor, axes: str, *, vocabulary: int
) -> None:
    """Check token numbers: dtype int64, axes, and 0 <= id < vocabulary.

    Args:
        name: the argument's name, for the message.
        ids: the value to check, of any shape.
        axes: axis names separated by blanks.
        vocabulary: number of token types.
    """
    check_tensor(name, ids)
    if ids.dtype != torch.int64:
        wanted = "token numbers of dtype torch.int64"
        raise TypeError(f"{name}: expected {wanted}, got {ids.dtype}")
    if ids.dim() != len(axes.split()) or 0 in ids.shape:
        wanted = f"non-empty axes [{', '.join(axes.split())}]"
        raise ValueError(f"{name}: expected {wanted}, got {tuple(ids.shape)}")
    if is_traced():
        return
    # One reading from the device.
    low, high = torch.stack(torch.aminmax(ids)).tolist()
    if low < 0 or high >= vocabulary:
        wanted = f"token numbers in [0, {vocabulary})"
        worst = low if low < 0 else high
        raise ValueError(f"{name}: expected {wanted}, got {worst}")


def check_integer(
    name: str, value: Any, *, at_least: int, below: int = 2**31
) -> None:
    """Check an integer with its bounds; booleans are no integers.

    No size is 2**31 or more. What is no size, such as a seed, may be up to
    2**63, from where on torch and numpy have no integers.
    """
    if isinstance(value, torch.SymInt):
        return  # a size that a graph to export leaves open
    if isinstance(value, bool) or not isinstance(value, int | Integral):
        raise TypeError(f"{name}: expected an integer, got {shown(value)}")
    if int(value) < at_least:
        wanted = f"an integer of at least {at_least}"
        raise ValueError(f"{name}: expected {wanted}, got {shown(value)}")
    if int(value) >= below:
        wanted = f"an integer below {_power(below)}"
        raise ValueError(f"{name}: expected {wanted}, got {shown(value)}")


def _power(bound: int) -> str:
    exponent = bound.bit_length() - 1
    return f"2**{exponent}" if bound == 2**exponent > 1000 else str(bound)


def shown(value: Any) -> str:
    """Return a value as Python writes it, and not more of it than is read."""
    if isinstance(value, int) and abs(value) >= 10**30:
        sign = "-" if value < 0 else ""
        return f"about {sign}2**{value.bit_length() - 1}"
    try:
        written = str(value) if isinstance(value, _Number) else repr(value)
    except Exception:  # of a class that cannot write it
        return f"an object of {type(value).__name__}"
    return written if len(written) <= 200 else f"{written[:150]}..."


def check_switch(name: str, value: Any) -> None:
    """Check that a value is True or False, and nothing that passes for it."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False, got {shown(value)}")


def check_text(name: str, value: Any) -> None:
    """Check that a value is a string, and one that can be written as UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        wanted = "text without lone surrogates"
        got = f"{value[error.start]!r} at {error.start}"
        raise ValueError(f"{name}: expected {wanted}, got {got}") from None


def check_config(value: Any, kind: type) -> None:
    """Check that a model gets the configuration that its sizes are read of."""
    if not isinstance(value, kind):
        name = kind.__name__
        by_name = isinstance(value, Mapping)
        hint = f"; `{name}(**config)` makes one" if by_name else ""
        got = type(value).__name__
        raise TypeError(f"config: expected a {name}, got {got}{hint}")


def check_function(name: str, value: Any, hint: str = "") -> None:
    """Check that a value can be called."""
    if not callable(value):
        got = shown(value)
        raise TypeError(f"{name}: expected a function, got {got}{hint}")


def check_device(name: str, value: Any) -> None:
    """Check that a value is None, a device, or the name of one that is there.

    A `torch.device` passes, there or not: it costs nothing where masks are made
    for a model's own device.
    """
    if value is None or isinstance(value, torch.device):
        return
    if not isinstance(value, str):
        wanted = 'a torch.device or its name, such as "cpu"'
        raise TypeError(f"{name}: expected {wanted}, got {shown(value)}")
    try:
        torch.empty(0, device=value)
    except (RuntimeError, AssertionError):  # torch's, for names and for builds
        wanted = 'a device that is there, such as "cpu"'
        got = f"got {shown(value)}"
        raise ValueError(f"{name}: expected {wanted}, {got}") from None


def check_divisor(
    name: str, value: int, of: str, whole: int, hint: str = ""
) -> None:
    """Check that `value`, such as a number of heads, divides `whole`."""
    if whole % value:
        wanted = f"a divisor of {of}={whole}"
        raise ValueError(f"{name}: expected {wanted}, got {value}{hint}")


def check_number(
    name: str,
    value: Any,
    *,
    above: int | float | None = None,
    at_least: int | float | None = None,
    below: int | float | None = None,
    at_most: int | float | None = None,
) -> None:
    """Check a real number against open and closed bounds; NaN never passes.

    It is one of Python's or of numpy's, which torch can calculate with.
    """
    if isinstance(value, bool) or not isinstance(value, _Number):
        raise TypeError(f"{name}: expected a number, got {shown(value)}")
    if isinstance(value, int) and abs(value) >= 2**63:
        wanted = "a whole number below 2**63, or a float"
        raise ValueError(f"{name}: expected {wanted}, got {shown(value)}")
    number = float(value)
    if (
        number == number
        and (above is None or number > above)
        and (at_least is None or number >= at_least)
        and (below is None or number < below)
        and (at_most is None or number <= at_most)
    ):
        return
    bounds = {">": above, ">=": at_least, "<": below, "<=": at_most}
    asked = [f"{sign} {n}" for sign, n in bounds.items() if n is not None]
    wanted = " and ".join(asked) or "not NaN"
    got = shown(value)
    raise ValueError(f"{name}: expected a number {wanted}, got {got}")


def check_scale(scale: Any, dtype: torch.dtype) -> None:
    """Check the factor of scores: above 0, and a number of their dtype."""
    check_number("scale", scale, above=0, below=math.inf)
    check_number("scale", scale, at_most=torch.finfo(dtype).max)


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Check that a value is one of `choices`, which the message lists."""
    # By equality: a list is no key of a dict, and an array's is no bool.
    same = [value == choice for choice in choices]
    if not any(isinstance(one, bool | np.bool_) and one for one in same):
        listed = ", ".join(repr(choice) for choice in choices)
        got = shown(value)
        raise ValueError(f"{name}: expected one of {listed}, got {got}")


def point_to_from_torch(
    part: str, weights: Mapping[str, Tensor], key: str
) -> None:
    """Warn where weights of torch's own module are loaded into ours.

    torch's error lists the names that do not agree, and with ``strict=False``
    it skips them without a word.

    Args:
        part: the part of the package with the function `from_torch`.
        weights: what is loaded, of any shape.
        key: the name of a weight that torch's own module has.
    """
    if key in weights:
        _warn(
            f"{key} is a weight of torch's own module, which is not loaded: "
            f"`bottomup.{part}.from_torch(module)` makes ours with its weights"
        )


def check_weights(
    name: str, given: Mapping[str, Tensor], wanted: Mapping[str, Tensor]
) -> None:
    """Check that weights have all places of a model and no more, by shape.

    Args:
        name: the argument's name, for the message.
        given: the weights by name, of any shape.
        wanted: by the same names, tensors of any shape: that is asked for.
    """
    for key, x in given.items():
        check_tensor(f"{name}[{key!r}]", x)
    both = [key for key in wanted if key in given]
    found = {
        "missing": [key for key in wanted if key not in given],
        "left over": [key for key in given if key not in wanted],
        "of another shape": [
            f"{key} {tuple(given[key].shape)} and not "
            f"{tuple(wanted[key].shape)}"
            for key in both
            if given[key].shape != wanted[key].shape
        ],
    }
    wrong = [
        f"{what}: {', '.join(keys)}" for what, keys in found.items() if keys
    ]
    if wrong:
        raise ValueError(
            f"{name}: expected the weights of the model and no others, "
            f"got {'; '.join(wrong)}"
        )
    for key in both:
        check_tensor(f"{name}[{key!r}]", given[key], floating=True)
