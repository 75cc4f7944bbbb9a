"""The same numbers in another dtype, as a copy, as an array; and questions about a kind."""

import math
import warnings
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import bad_call, dtype_argument, tensor_argument
from smalltorch.autograd import record
from smalltorch.dtypes import CPU, check_device, device, dtype, packed
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, holding, laid_like, values

inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
newaxis = None

_METHOD_OF = {  # methods that name a dtype
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16, "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16,
    "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_, "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}  # fmt: skip


# ---- To another dtype, and copies


@operation
def to(
    input: Tensor,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return the tensor in another dtype: itself where it has it and no copy is wanted."""
    options = list(args)
    if options and isinstance(options[0], Tensor):
        dtype = options.pop(0).dtype
    else:
        if options and (options[0] is None or isinstance(options[0], (str, _Device))):
            device = options.pop(0)
        if options and (options[0] is None or isinstance(options[0], (_Dtype, type))):
            dtype = options.pop(0)
    if not all(isinstance(each, bool) for each in options) or len(options) > 2:
        raise bad_call("to", *args)
    check_device(device)
    kind = dtype_argument("to", dtype, input.dtype)
    if kind is not input.dtype:
        return cast(input, kind)
    return clone(input) if copy or (len(options) == 2 and options[1]) else input


_Device, _Dtype = device, dtype  # `to` calls its own arguments so


def cast(tensor: Tensor, kind: dtype) -> Tensor:
    """Return the numbers of a tensor in another dtype; the gradient comes back in its own."""
    numbers: Any = values(tensor)
    if tensor.dtype.is_complex and not kind.is_complex and kind is not dtypes.bool_:
        warnings.warn("Casting complex values to real discards the imaginary part", stacklevel=4)
        numbers = [number.real for number in numbers]
    result = laid_like(tensor, packed(kind, numbers), kind)
    return record(result, "ToCopy", (tensor, lambda gradient: gradient))


def _casting(name: str, kind: dtype) -> Any:
    @operation
    def method(input: Tensor, memory_format: Any = None) -> Tensor:
        return input if input.dtype is kind else cast(input, kind)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return the tensor in the dtype {kind.name}."
    return method


@operation
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of another one."""
    return to(input, other.dtype)


@operation
def cpu(input: Tensor) -> Tensor:
    """Return the tensor: it lies on the processor."""
    return input


@operation
def cuda(input: Tensor, device: Any = None) -> Tensor:
    """Refuse, as a torch does that is built for processors only."""
    raise AssertionError("Torch not compiled with CUDA enabled")


@operation
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy, whose gradient comes back to the tensor."""
    tensor_argument("clone", input)
    result = laid_like(input, _copied(input), input.dtype)
    return record(result, "Clone", (input, lambda gradient: gradient))


@operation
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor with its numbers row by row: itself, or a copy."""
    if input.is_contiguous():
        return input
    result = holding(_copied(input), input.shape, input.dtype)
    return record(result, "Clone", (input, lambda gradient: gradient))


def _copied(tensor: Tensor) -> Any:
    numbers = values(tensor)
    return packed(tensor.dtype, numbers) if isinstance(numbers, tuple) else numbers[:]


# ---- Out of torch


@operation
def numpy(input: Tensor, *, force: bool = False) -> Any:
    """Return an array on the tensor's numbers: a write to one shows in the other."""
    from smallnumpy.arrays import ndarray

    if input.requires_grad and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if input.dtype is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return ndarray.of_tensor(input)


def as_array(tensor: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """Return an array for a function of numpy that is given a tensor."""
    array = numpy(tensor)
    return array if dtype is None else array.astype(dtype)


def deep_copy(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """Return a leaf with its own numbers, for `copy.deepcopy`.

    Raises:
        RuntimeError: it was computed from others, which a copy would lose.
    """
    if tensor.grad_fn is not None:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(tensor) in memo:
        return memo[id(tensor)]
    memo[id(tensor)] = copy = clone(tensor.detach())
    copy.__class__ = tensor.__class__
    copy._asks = tensor._asks
    if tensor.grad is not None:
        copy.grad = deep_copy(tensor.grad, memo)
    return copy


def shallow_copy(tensor: Tensor) -> Tensor:
    """Return a leaf on the same numbers, for `copy.copy`."""
    copy: Tensor = tensor.detach()
    copy.__class__ = tensor.__class__
    copy._asks = tensor.requires_grad
    return copy


def contains(tensor: Tensor, number: Any) -> bool:
    """Say whether a number is among those of a tensor."""
    if not isinstance(number, (Tensor, int, float, complex)):
        raise RuntimeError(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(number)}."
        )
    return bool(tensor.eq(number).any())


# ---- Questions


def is_tensor(obj: Any) -> bool:
    """Say whether something is a tensor."""
    return isinstance(obj, Tensor)


@operation
def is_floating_point(input: Tensor) -> bool:
    """Say whether a tensor's numbers are floats."""
    return tensor_argument("is_floating_point", input).dtype.is_floating_point


@operation
def is_complex(input: Tensor) -> bool:
    """Say whether a tensor's numbers are complex."""
    return tensor_argument("is_complex", input).dtype.is_complex


@operation
def numel(input: Tensor) -> int:
    """Return the number of a tensor's entries."""
    return tensor_argument("numel", input).numel()


def get_default_device() -> device:
    """Return where new tensors lie."""
    return CPU


def is_autocast_enabled(device_type: str = "cpu") -> bool:
    """Say whether operations choose their own dtype: they never do."""
    return False


FUNCTIONS = (
    "inf nan pi e newaxis clone is_tensor is_floating_point is_complex numel get_default_device "
    "is_autocast_enabled"
)
METHODS = "to type_as cpu cuda clone contiguous numpy"
OPERATORS = {
    "__array__": as_array,
    "__deepcopy__": deep_copy,
    "__copy__": shallow_copy,
    "__contains__": contains,
    **{name: _casting(name, kind) for name, kind in _METHOD_OF.items()},
}
