"""What a reader's test calls: `assert_close`, with torch's account of a difference."""

import cmath
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from smalltorch.autograd import detach
from smalltorch.comparison import isclose
from smalltorch.dtypes import complex128, dtype, float64, int64, promote_types
from smalltorch.names import lacking
from smalltorch.tensor import Tensor, values

__all__ = ["assert_close"]

_TOLERANCES = {
    "float16": (0.001, 1e-5), "bfloat16": (0.016, 1e-5), "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip
_KINDS: dict[type, dtype] = {int: int64, float: float64, complex: complex128}  # of numbers

Place = tuple[Any, ...]  # the keys that lead into containers


class _Difference(Exception):
    """Raised where two values differ; `assert_close` words it.

    Args:
        text: what differs.
        place: where the values stand.
        kind: of the error that is raised then.
    """

    def __init__(self, text: str, place: Place, kind: type[Exception] = AssertionError) -> None:
        super().__init__(text)
        self._place, self._kind = place, kind

    def error(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """Return what is raised; `msg` is that of `assert_close`."""
        text = str(self)
        if self._place:
            where = "".join(str([key]) for key in self._place)
            text += f"\n\nThe failure occurred for item {where}"
        if callable(msg):
            text = msg(text)
        return self._kind(msg if isinstance(msg, str) else text)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an AssertionError unless |actual - expected| <= atol + rtol |expected| everywhere.

    Args:
        actual, expected: tensors, numbers, or the same sequences or mappings of them.
        rtol, atol: both or neither; without them, those of the dtype.
        equal_nan: whether nan is close to nan.
        check_dtype, check_stride: whether these have to be the same, too.
        allow_subclasses, check_device, check_layout: these are always the same here.
        msg: what the error says instead; or a function of what it would say.
    """
    how = _How(rtol, atol, equal_nan, check_dtype, check_stride)
    try:  # first whether everything can be compared: of that, `msg` says nothing
        pairs = list(_pairs(actual, expected, ()))
        for place, ours, theirs in pairs:
            how.check(ours, theirs, place)
    except _Difference as difference:
        raise difference.error() from None
    try:
        for place, ours, theirs in pairs:
            how.compare(ours, theirs, place)
    except _Difference as difference:
        raise difference.error(msg) from None


def _pairs(ours: Any, theirs: Any, place: Place) -> Iterator[tuple[Place, Any, Any]]:
    """Yield what is compared: the values inside containers, and where they are."""
    if _are(Sequence, ours, theirs) and not isinstance(ours, str) and not isinstance(theirs, str):
        if len(ours) != len(theirs):
            raise _Difference(
                f"The length of the sequences mismatch: {len(ours)} != {len(theirs)}", place
            )
        for number, (our, their) in enumerate(zip(ours, theirs, strict=True)):
            yield from _pairs(our, their, (*place, number))
    elif _are(Mapping, ours, theirs):
        if ours.keys() != theirs.keys():
            raise _Difference(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(theirs.keys() - ours.keys())}\n"
                f"Additional keys in the actual mapping: {sorted(ours.keys() - theirs.keys())}",
                place,
            )
        for key in sorted(ours):
            yield from _pairs(ours[key], theirs[key], (*place, key))
    else:
        yield place, ours, theirs


def _are(kind: Any, *each: Any) -> bool:
    return all(isinstance(value, kind) for value in each)


class _How:
    """How two values are compared."""

    def __init__(
        self, rtol: float | None, atol: float | None, equal_nan: bool, dtype: bool, stride: bool
    ) -> None:
        self._rtol, self._atol, self._equal_nan = rtol, atol, equal_nan
        self._dtype, self._stride = dtype, stride

    def check(self, ours: Any, theirs: Any, place: Place) -> None:
        """Raise an error where two values cannot be compared."""
        if ours is None or theirs is None or _are(bool, ours, theirs):
            return
        if not (_are((int, float, complex), ours, theirs) or _are(Tensor, ours, theirs)):
            kinds = f"{type(ours)} and {type(theirs)}"
            text = f"No comparison pair was able to handle inputs of type {kinds}."
            raise _Difference(text, place, TypeError)
        if (self._rtol is None) != (self._atol is None):
            which = "rtol" if self._rtol is None else "atol"
            text = "Both 'rtol' and 'atol' must be either specified or omitted, but got no"
            raise _Difference(f"{text} {which}.", place, ValueError)

    def compare(self, ours: Any, theirs: Any, place: Place) -> None:
        """Raise what differs between two values that are no containers."""
        text = None
        if ours is None or theirs is None:
            if ours is not theirs:
                text = f"None mismatch: {ours} is not {theirs}"
        elif _are(bool, ours, theirs):
            if ours is not theirs:
                text = f"Booleans mismatch: {ours} is not {theirs}"
        elif _are((int, float, complex), ours, theirs):
            text = self._numbers(ours, theirs, *self._tolerances(ours, theirs))
        else:
            ours, theirs = detach(ours), detach(theirs)
            text = self._tensors(ours, theirs, *self._tolerances(ours, theirs))
        if text is not None:
            raise _Difference(text, place)

    def _tolerances(self, ours: Any, theirs: Any) -> tuple[float, float]:
        """Return the relative and the absolute one: given, or the wider one of the two dtypes."""
        if self._rtol is not None and self._atol is not None:
            return self._rtol, self._atol
        names = [getattr(each, "dtype", _KINDS.get(type(each))) for each in (ours, theirs)]
        found = [_TOLERANCES.get(str(name).removeprefix("torch."), (0.0, 0.0)) for name in names]
        return max(relative for relative, _ in found), max(absolute for _, absolute in found)

    def _numbers(self, ours: Any, theirs: Any, relative: float, absolute: float) -> str | None:
        if self._dtype and type(ours) is not type(theirs):
            return f"The (d)types do not match: {type(ours)} != {type(theirs)}."
        gap = abs(ours - theirs)
        is_close = math.isfinite(gap) and gap <= absolute + relative * abs(theirs)
        are_nan = self._equal_nan and cmath.isnan(ours) and cmath.isnan(theirs)
        if ours == theirs or are_nan or is_close:
            return None
        return _apart(ours, theirs, relative, absolute)

    def _tensors(
        self, ours: Tensor, theirs: Tensor, relative: float, absolute: float
    ) -> str | None:
        attributes: list[tuple[str, Any, Any]] = [("shape", ours.shape, theirs.shape)]
        if self._stride:
            attributes.append(("stride()", ours.stride(), theirs.stride()))
        if self._dtype:
            attributes.append(("dtype", ours.dtype, theirs.dtype))
        for name, our, their in attributes:
            if our != their:
                return f"The values for attribute '{name}' do not match: {our} != {their}."
        kind = promote_types(ours.dtype, theirs.dtype)
        ours, theirs = ours.to(kind), theirs.to(kind)
        close = isclose(ours, theirs, rtol=relative, atol=absolute, equal_nan=self._equal_nan)
        if bool(close.all()):
            return None
        if not ours.shape:
            return _apart(ours.item(), theirs.item(), relative, absolute)
        return _differing(ours, theirs, close, relative, absolute)


def _apart(ours: Any, theirs: Any, relative: float, absolute: float) -> str:
    gap = abs(ours - theirs)
    share = math.inf if theirs == 0 else gap / abs(theirs)
    return _worded(
        f"Scalars are not {{}}!\n\nExpected {theirs} but got {ours}.",
        (f"Absolute difference: {gap}", absolute),
        (f"Relative difference: {share}", relative),
    )


def _differing(
    ours: Tensor, theirs: Tensor, close: Tensor, relative: float, absolute: float
) -> str:
    """Say how many entries of two tensors differ, and where by most."""
    if not (ours.is_floating_point() or ours.is_complex()):
        ours, theirs = ours.to(int64), theirs.to(int64)
    gaps = (ours - theirs).abs().masked_fill(close, 0)
    shares = (gaps / theirs.abs()).masked_fill(close, 0)
    count, total = sum(not each for each in values(close)), close.numel()
    return _worded(
        f"Tensor-likes are not {{}}!\n\nMismatched elements: {count} / {total} "
        f"({count / total:.1%})",
        (f"Greatest absolute difference: {_largest(gaps)}", absolute),
        (f"Greatest relative difference: {_largest(shares)}", relative),
    )


def _largest(tensor: Tensor) -> str:
    flat = tensor.flatten()
    place = at = int(flat.argmax())
    index = []
    for size in reversed(tensor.shape):
        index.append(at % size)
        at //= size
    return f"{flat[place].item()} at index {tuple(reversed(index))}"


def _worded(opening: str, *gaps: tuple[str, float]) -> str:
    exact = all(allowed == 0 for _gap, allowed in gaps)
    lines = [gap if exact else f"{gap} (up to {allowed} allowed)" for gap, allowed in gaps]
    return "\n".join([opening.format("equal" if exact else "close"), *lines])


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.testing")
