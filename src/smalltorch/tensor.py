"""A tensor: numbers in a storage, and the shape, strides and offset by which they are read.

Its methods are the functions of the other modules, given to it in `methods`. Of the history that
leads back to a leaf there is a reference here, `_node`; `autograd` says what it is for.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from math import prod
from typing import TYPE_CHECKING, Any

from smalltorch import dtypes
from smalltorch.dtypes import CPU, dtype, packed
from smalltorch.geometry import (
    Shape,
    Size,
    axis_of,
    contiguous_strides,
    dense_strides,
    is_contiguous,
    positions,
    reader,
    stretched,
)
from smalltorch.grad_mode import Recording
from smalltorch.names import lacking

if TYPE_CHECKING:
    from smalltorch.autograd import Node


class Storage:
    """The numbers of one tensor and of all its views.

    Args:
        data: an `array`, or a list of complex numbers.
    """

    __slots__ = ("data", "is_inference", "version")

    def __init__(self, data: Any) -> None:
        self.data = data
        self.version = 0  # how often it was written to
        self.is_inference = Recording.inference  # whether none of it can ever have a history


class Tensor:
    """Numbers of one dtype, arranged along any number of axes."""

    layout, names = "torch.strided", None
    is_cpu, is_cuda, is_mps, is_meta, is_sparse, is_quantized = (
        True,
        False,
        False,
        False,
        False,
        False,
    )
    device = CPU
    __hash__ = object.__hash__
    __array_priority__ = 1000  # numpy leaves operators between an array and a tensor to the tensor

    storage: Storage
    shape: Size
    dtype: dtype
    _strides: Shape
    _offset: int
    # History. `_asks` is whether it needs a gradient; `_node` what computed it, None for a leaf.
    _asks: bool = False
    _node: "Node | None" = None
    _output: int = 0  # which output of `_node` it is
    _leaf: "Node | None" = None  # of a leaf: where its gradient is gathered
    _base: "Tensor | None" = None  # of a view: the tensor that it is a view of, itself no view
    _known: int = 0  # of a view: the version of the storage that its history tells of
    _grad: "Tensor | None" = None
    _made: str = ""  # of a view that may not be written to: why, see `autograd`
    _inference: bool = False  # whether it was made in a block of inference_mode

    def __new__(cls, *data: Any, **named: Any) -> "Tensor":
        """Make a tensor of sizes or of numbers."""
        from smalltorch.creation import legacy  # torch.Tensor(2, 3) and torch.Tensor([2, 3])

        return legacy(cls, *data, **named)

    if TYPE_CHECKING:  # `methods` gives them to it
        __add__: Any
        __radd__: Any
        __sub__: Any
        __rsub__: Any
        __mul__: Any
        __rmul__: Any
        __truediv__: Any
        __rtruediv__: Any
        __floordiv__: Any
        __mod__: Any
        __pow__: Any
        __rpow__: Any
        __matmul__: Any
        __neg__: Any
        __invert__: Any
        __and__: Any
        __or__: Any
        __xor__: Any
        __lt__: Any
        __le__: Any
        __gt__: Any
        __ge__: Any
        __getitem__: Any
        __setitem__: Any
        data: Any
        grad: Any
        requires_grad: Any
        grad_fn: Any
        is_leaf: Any

    def __getattr__(self, name: str) -> Any:
        raise lacking(name, "Tensor")

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes that torch takes for one number."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes that torch takes for all."""
        return self.dtype.itemsize * self.numel()

    @property
    def _version(self) -> int:
        return self.storage.version

    def numel(self) -> int:
        """Return the number of entries."""
        return prod(self.shape)

    nelement = numel

    def dim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of one axis."""
        return self.shape if dim is None else self.shape[axis_of(dim, self.ndim)]

    def stride(self, dim: int | None = None) -> Any:
        """Return how far apart neighbours lie in the storage, of all axes or of one."""
        return self._strides if dim is None else self._strides[axis_of(dim, self.ndim)]

    def storage_offset(self) -> int:
        """Return where in the storage the first entry lies."""
        return self._offset

    def data_ptr(self) -> int:
        """Return an address: equal for tensors that begin at the same number."""
        return id(self.storage.data) + self._offset * self.dtype.itemsize

    def untyped_storage(self) -> "_Untyped":
        """Return the storage as torch's users ask for it: for its address and its size."""
        return _Untyped(self)

    def element_size(self) -> int:
        """Return the bytes that torch takes for one number."""
        return self.dtype.itemsize

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Say whether the numbers lie row by row."""
        return is_contiguous(self.shape, self._strides)

    def is_floating_point(self) -> bool:
        """Say whether its numbers are floats."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Say whether its numbers are complex."""
        return self.dtype.is_complex

    def item(self) -> Any:
        """Return the one number of a tensor that has one."""
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        number = self.storage.data[self._offset]
        return bool(number) if self.dtype is dtypes.bool_ else number

    def tolist(self) -> Any:
        """Return the numbers as nested lists; of a tensor without axes, the number."""
        if not self.shape:
            return self.item()
        rows: list[Any] = list(values(self))
        if self.dtype is dtypes.bool_:
            rows = list(map(bool, rows))
        for axis in range(self.ndim - 1, 0, -1):
            size, count = self.shape[axis], prod(self.shape[:axis])
            rows = [rows[row * size : (row + 1) * size] for row in range(count)]
        return rows

    def __bool__(self) -> bool:
        if self.numel() != 1:
            what = "no values" if not self.numel() else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if self.dtype.kind > dtypes.INTEGER or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator["Tensor"]:
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __format__(self, how: str) -> str:
        if not self.shape and type(self) is Tensor:
            return format(self.item(), how)
        return object.__format__(self, how)


class _Untyped:
    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def data_ptr(self) -> int:
        return id(self._tensor.storage.data)

    def nbytes(self) -> int:
        return len(self._tensor.storage.data) * self._tensor.itemsize

    size = nbytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Untyped) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return self.data_ptr()


def made(numbers: Iterable[Any], shape: Iterable[int], kind: dtype) -> Tensor:
    """Return a new tensor of numbers given row by row, rounded to what the dtype holds."""
    return holding(packed(kind, numbers), shape, kind)


def holding(data: Any, shape: Iterable[int], kind: dtype) -> Tensor:
    """Return a new tensor on numbers that are stored already, row by row."""
    tensor = object.__new__(Tensor)
    tensor.storage, tensor._offset, tensor.dtype = Storage(data), 0, kind
    tensor.shape = shape if isinstance(shape, Size) else Size(shape)
    tensor._strides = contiguous_strides(tensor.shape)
    return tensor


def laid_like(like: Tensor, numbers: Any, kind: dtype) -> Tensor:
    """Return a new tensor of stored numbers, row by row, its axes in the order of another's."""
    tensor = holding(numbers, like.shape, kind)
    strides = dense_strides(like.shape, like._strides)
    if strides != tensor._strides:
        tensor._strides = strides
        tensor.storage.data = moved = numbers[:]
        for place, number in zip(positions(like.shape, strides), numbers, strict=True):
            moved[place] = number
    return tensor


def seen(tensor: Tensor, shape: Iterable[int], strides: Iterable[int], offset: int) -> Tensor:
    """Return another reading of the same storage, which autograd knows as a view of the tensor."""
    view = object.__new__(Tensor)
    view.storage, view.dtype, view._offset = tensor.storage, tensor.dtype, offset
    view.shape = shape if isinstance(shape, Size) else Size(shape)
    view._strides = tuple(strides)
    view._base = tensor if tensor._base is None else tensor._base
    view._known = tensor.storage.version
    return view


def values(tensor: Tensor) -> Sequence[Any]:
    """Return the numbers row by row. They may be the storage itself: only read them."""
    data, count = tensor.storage.data, prod(tensor.shape)
    if is_contiguous(tensor.shape, tensor._strides):
        start = tensor._offset
        return data if len(data) == count and not start else data[start : start + count]
    return reader(tensor.shape, tensor._strides, tensor._offset)(data)


def values_as(tensor: Tensor, shape: Shape) -> Iterable[Any]:
    """Return the numbers of a tensor stretched to a shape, row by row."""
    if tensor.shape == shape:
        return values(tensor)
    if prod(tensor.shape) == 1:
        return repeat(tensor.storage.data[tensor._offset], prod(shape))
    strides = stretched(tensor.shape, tensor._strides, shape)
    return reader(shape, strides, tensor._offset)(tensor.storage.data)


FUNCTIONS = "Tensor"
