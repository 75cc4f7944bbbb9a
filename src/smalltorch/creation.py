"""New tensors: of one number, of a row of numbers, of what is given as nested lists."""

import builtins
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import (
    bad_call,
    dtype_argument,
    integer_argument,
    number_argument,
    size_argument,
    tensor_argument,
)
from smalltorch.dtypes import check_device, dtype, get_default_dtype, packed, rounded
from smalltorch.geometry import Size
from smalltorch.nested import copied, read_nested
from smalltorch.overrides import named, operation
from smalltorch.pointwise import kind_of_number
from smalltorch.tensor import Tensor, holding, laid_like, made

FUNCTIONS = (
    "tensor as_tensor asarray from_numpy zeros ones full empty eye arange linspace logspace "
    "zeros_like ones_like full_like empty_like"
)
METHODS = "new_zeros new_ones new_full new_empty new_tensor"
# ---- Of given numbers


@operation
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a new tensor of the numbers in nested lists, tuples, arrays or tensors."""
    if isinstance(data, Tensor):
        made_anew = copied(data, dtype and dtype_argument("tensor", dtype), "torch.tensor")
    else:
        made_anew = read_nested(data, dtype and dtype_argument("tensor", dtype))
    return asking(made_anew, device, requires_grad)


@operation
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a tensor as it is, or in another dtype; anything else as `tensor` does."""
    if isinstance(data, Tensor):
        return data.to(device, dtype and dtype_argument("as_tensor", dtype))
    if _shares(data) and dtype is None:
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


asarray = as_tensor


@operation
def from_numpy(array: Any) -> Tensor:
    """Return a tensor on the numbers of an array: a write to one shows in the other."""
    if not _shares(array):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return array.as_tensor()


def _shares(data: Any) -> bool:
    from smallnumpy.arrays import ndarray

    return isinstance(data, ndarray)


@operation
def new_tensor(
    input: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a new tensor of given numbers, of the dtype of this one."""
    kind = dtype_argument("new_tensor", dtype, input.dtype)
    if isinstance(data, Tensor):
        return asking(copied(data, kind, "tensor.new_tensor"), device, requires_grad)
    return asking(read_nested(data, kind), device, requires_grad)


def legacy(cls: type, *data: Any) -> Tensor:
    """Return what `torch.Tensor(2, 3)` and `torch.Tensor([2, 3])` return."""
    if len(data) == 1 and isinstance(data[0], Tensor):
        return data[0].detach()
    if not data or isinstance(data[0], Size) or all(isinstance(each, int) for each in data):
        return zeros(*(data or (0,)))
    if len(data) > 1:
        raise bad_call("new", *data)
    if isinstance(data[0], float):
        raise TypeError("new(): data must be a sequence (got float)")
    return read_nested(data[0], get_default_dtype())


# ---- Of one number


def filled(shape: Size, number: Any, kind: dtype) -> Tensor:
    """Return a tensor full of one number."""
    if kind.kind == dtypes.INTEGER and isinstance(number, float) and not math.isfinite(number):
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow")
    return holding(packed(kind, (number,)) * shape.numel(), shape, kind)


def asking(tensor: Tensor, device: Any, requires_grad: bool) -> Tensor:
    """Return a new tensor, having checked where it is to lie; it may ask for its gradient."""
    check_device(device)
    if requires_grad and tensor.dtype.kind < dtypes.FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return tensor.requires_grad_() if requires_grad else tensor


def _full(
    name: str, shape: Size, number: Any, default: dtype | None, *,
    dtype: Any = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a tensor full of one number; the options are those of all that make one."""
    _refuse_negative(name, shape)
    kind = dtype_argument(name, dtype, default)
    return asking(filled(shape, number, kind), device, requires_grad)


def _constant(name: str, number: float) -> Any:
    def function(*sizes: Any, size: Any = None, **options: Any) -> Tensor:
        shape = size_argument(name, sizes if size is None else (size,))
        return _full(name, shape, number, None, **options)

    return named(function, name, f"Return a tensor of a given shape, full of {number}.")


def _new_constant(name: str, number: float) -> Any:
    def function(input: Tensor, *sizes: Any, size: Any = None, **options: Any) -> Tensor:
        shape = size_argument(name, sizes if size is None else (size,))
        return _full(name, shape, number, input.dtype, **options)

    return named(function, name, f"Return a tensor of the dtype of this one, full of {number}.")


def _full_like(
    name: str, input: Any, number: Any, *,
    dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    kind = dtype_argument(name, dtype, tensor_argument(name, input).dtype)
    full = filled(input.shape, number, kind)
    return asking(laid_like(input, full.storage.data, kind), device, requires_grad)


def _constant_like(name: str, number: float) -> Any:
    def function(input: Tensor, **options: Any) -> Tensor:
        return _full_like(name, input, number, **options)

    return named(function, name, f"Return a tensor like another one, full of {number}.")


def _refuse_negative(name: str, shape: Size) -> None:
    if not shape or min(shape) >= 0:
        return
    if name == "zeros":
        raise RuntimeError(f"{name}: Dimension size must be non-negative.")
    raise RuntimeError(
        f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
    )


zeros, zeros_like = _constant("zeros", 0), _constant_like("zeros_like", 0)
ones, ones_like = _constant("ones", 1), _constant_like("ones_like", 1)
empty, empty_like = _constant("empty", 0), _constant_like("empty_like", 0)
new_zeros, new_ones = _new_constant("new_zeros", 0), _new_constant("new_ones", 1)
new_empty = _new_constant("new_empty", 0)


@operation
def full(size: Any, fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor of a given shape, full of one number, which says the dtype."""
    number = number_argument("full", "fill_value", 2, fill_value)
    return _full("full", _whole_size("full", size), number, kind_of_number(number), **options)


@operation
def full_like(input: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor like another one, full of one number."""
    number = number_argument("full_like", "fill_value", 2, fill_value)
    return _full_like("full_like", input, number, **options)


@operation
def new_full(input: Tensor, size: Any, fill_value: Any, **options: Any) -> Tensor:
    """Return a tensor of the dtype of this one, full of one number."""
    number = number_argument("new_full", "fill_value", 2, fill_value)
    return _full("new_full", _whole_size("new_full", size), number, input.dtype, **options)


def _whole_size(name: str, size: Any) -> Size:
    if not isinstance(size, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(size).__name__}"
        )
    return size_argument(name, (size,))


# ---- Of a row of numbers


@operation
def eye(
    n: Any, m: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a matrix with ones on its diagonal and zeros elsewhere."""
    rows = integer_argument("eye", "n", 1, n)
    columns = rows if m is None else integer_argument("eye", "m", 2, m)
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    result = filled(Size((rows, columns)), 0, dtype_argument("eye", dtype))
    for place in range(min(rows, columns)):
        result.storage.data[place * (columns + 1)] = 1
    return asking(result, device, requires_grad)


@operation
def arange(
    *limits: Any,
    start: Any = None,
    end: Any = None,
    step: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the numbers from `start`, which is 0, in steps of 1 or another, before `end`."""
    begin, stop, by = _limits(limits, start, end, step)
    floats = any(isinstance(each, float) for each in (begin, stop, by))
    kind = dtype_argument("arange", dtype, get_default_dtype() if floats else dtypes.int64)
    if kind is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if not (math.isfinite(begin) and math.isfinite(stop)):
        raise RuntimeError(f"unsupported range: {begin:g} -> {stop:g}")
    if kind.kind == dtypes.INTEGER:
        begin, stop, by = int(begin), int(stop), int(by)
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if (stop - begin) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if kind.kind == dtypes.INTEGER:
        numbers: Iterable[Any] = range(begin, stop, by)
    else:
        numbers = [begin + by * place for place in range(math.ceil((stop - begin) / by))]
    kept = packed(kind, numbers)
    return asking(holding(kept, (len(kept),), kind), device, requires_grad)


def _limits(limits: tuple[Any, ...], start: Any, end: Any, step: Any) -> list[Any]:
    given = [*limits]
    if end is not None:  # named, after at most a start without a name
        given = [*(given or [0 if start is None else start]), end]
    if not 1 <= len(given) <= 3 or (len(given) == 3 and step is not None):
        raise bad_call("arange", *limits)
    names = ("end",) if len(given) == 1 else ("start", "end", "step")
    numbers = [
        number_argument("arange", name, place, each)
        for place, (name, each) in enumerate(zip(names, given, strict=False), start=1)
    ]
    if len(numbers) == 1:
        numbers = [0, *numbers]
    if len(numbers) == 2:
        numbers.append(1 if step is None else number_argument("arange", "step", 3, step))
    return numbers


@operation
def linspace(
    start: Any,
    end: Any,
    steps: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return so many numbers from `start` to `end`, evenly apart."""
    kind = dtype_argument("linspace", dtype)
    numbers = packed(kind, _evenly("linspace", start, end, steps, kind))
    return asking(holding(numbers, (len(numbers),), kind), device, requires_grad)


@operation
def logspace(
    start: Any,
    end: Any,
    steps: Any,
    base: float = 10.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the powers of a base whose exponents `linspace` returns."""
    kind = dtype_argument("logspace", dtype)
    exponents = _evenly("logspace", start, end, steps, kind)
    if kind.is_floating_point:
        exponents = packed(kind, exponents)
    numbers = [float(base) ** exponent for exponent in exponents]
    return asking(made(numbers, (len(numbers),), kind), device, requires_grad)


def _evenly(name: str, start: Any, end: Any, steps: Any, kind: dtype) -> Iterable[float]:
    """Return the numbers of a `linspace`: from both ends to the middle, as torch fills it."""
    if not hasattr(steps, "__index__"):
        raise bad_call(name, start, end, steps)
    for place, each in (("start", start), ("end", end)):
        if isinstance(each, Tensor) and each.shape:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {place} with "
                f"{each.dim()} dimension(s)."
            )
        if not isinstance(each, (Tensor, int, float)):
            raise bad_call(name, start, end, steps)
    count = int(steps)
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    first, last = (each.item() if isinstance(each, Tensor) else each for each in (start, end))
    low, high = rounded(kind, first), rounded(kind, last)
    own = dtypes.float64 if kind.kind == dtypes.INTEGER else kind  # in which torch computes
    step = rounded(own, rounded(own, high - low) / builtins.max(count - 1, 1))
    half = 1 if count == 1 else count // 2
    return [
        _moved(low, step, place, own)
        if place < half
        else _moved(high, step, place + 1 - count, own)
        for place in range(count)
    ]


def _moved(start: float, step: float, times: int, kind: dtype) -> float:
    """Return start + times * step, rounded once, as processors do, or in half precision twice."""
    if kind.itemsize == 2:
        return start + rounded(kind, step * times)
    return float(Fraction(start) + Fraction(step) * times)
