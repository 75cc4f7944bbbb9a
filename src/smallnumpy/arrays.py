"""An array: a tensor under numpy's names. One of objects holds places in a list of them."""

from collections.abc import Callable, Iterator
from typing import Any, Never

import smalltorch
from smallnumpy import kinds
from smallnumpy.kinds import common
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor

torch: Any = smalltorch  # whose functions come from many modules


class ndarray:  # noqa: N801
    """Entries of one dtype, arranged along any number of axes."""

    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 0

    def __class_getitem__(cls, _of: Any) -> type["ndarray"]:
        return cls

    def __init__(self, tensor: Tensor, objects: list[Any] | None = None) -> None:
        """Make an array.

        Args:
            tensor: the numbers; of objects the places.
            objects: where the places lead; None of an array of numbers.
        """
        self.tensor, self.objects = tensor, objects

    @classmethod
    def of_tensor(cls, tensor: Tensor) -> "ndarray":
        """Return an array on the numbers of a tensor."""
        return cls(tensor.detach())

    def as_tensor(self) -> Tensor:
        """Return the numbers as a tensor."""
        if self.objects is not None:
            raise TypeError(
                "can't convert np.ndarray of type numpy.object_. The only supported types are: "
                "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
                "uint64, uint32, uint16, uint8, and bool."
            )
        return self.tensor.detach()  # type: ignore[no-any-return]

    # ---- What it is

    @property
    def dtype(self) -> kinds.dtype:
        """The kind of the entries."""
        return kinds.dtype(self.tensor.dtype if self.objects is None else None)

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.tensor.ndim

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.tensor.numel()

    @property
    def T(self) -> "ndarray":  # noqa: N802
        """The array with its axes in reverse order."""
        return self.transpose()

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() "
                "or a.all()"
            )
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self.item())

    def __str__(self) -> str:
        from smallnumpy.text import array2string

        return array2string(self)

    def __repr__(self) -> str:
        from smallnumpy.text import array2string

        text = array2string(self, separator=", ", prefix="array(")
        told = self.dtype.name in ("float64", "int64", "bool") and self.size
        return f"array({text})" if told else f"array({text}, dtype={self.dtype})"

    def __getattr__(self, name: str) -> Never:
        if name.startswith("_"):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        raise not_here(f"ndarray.{name}")

    # ---- Entries

    def item(self) -> Any:
        """Return the one entry."""
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._entry(self.tensor.item())

    def _entry(self, number: Any) -> Any:
        return number if self.objects is None else self.objects[number]

    def tolist(self) -> Any:
        """Return the entries as nested lists."""
        return self._named(self.tensor.tolist())

    def _named(self, nested: Any) -> Any:
        return list(map(self._named, nested)) if isinstance(nested, list) else self._entry(nested)

    def __getitem__(self, index: Any) -> Any:
        view, index = _forwards(self.tensor, index)
        return plain(view[index], self.objects)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.objects is not None:
            raise not_here("assignment to an array of objects")
        view, index = _forwards(self.tensor, index)
        if view is not self.tensor:
            raise not_here("assignment with a negative step")
        view[index] = value.tensor if isinstance(value, ndarray) else value

    # ---- The same entries in another order, shape or dtype

    def reshape(self, *shape: Any) -> "ndarray":
        """Return the entries in another shape."""
        return self._moved(self.tensor.reshape(*shape))

    def transpose(self, *axes: Any) -> "ndarray":
        """Return the entries with their axes in another order, of none given in reverse order."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return self._moved(self.tensor.permute(*(order or reversed(range(self.ndim)))))

    def ravel(self) -> "ndarray":
        """Return the entries in a row."""
        return self._moved(self.tensor.reshape(-1))

    def flatten(self) -> "ndarray":
        """Return the entries in a row, copied."""
        return self._moved(self.tensor.reshape(-1).clone())

    def copy(self) -> "ndarray":
        """Return the entries, copied."""
        return self._moved(self.tensor.clone())

    def __deepcopy__(self, memo: Any) -> "ndarray":
        return self.copy()

    def _moved(self, tensor: Tensor) -> "ndarray":
        return ndarray(tensor, self.objects)

    def astype(self, kind: Any) -> "ndarray":
        """Return the entries in another dtype, copied."""
        from smallnumpy.functions import array

        wanted = kinds.of(kind)
        if self.objects is not None or wanted.torch is None:
            return array(self.tolist(), dtype=wanted)
        return ndarray(self.tensor.to(wanted.torch, copy=True))

    # ---- Along axes

    def any(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Say whether any entry is true."""
        return _reduced(self.tensor.bool(), "any", axis, keepdims)

    def all(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Say whether all entries are true."""
        return _reduced(self.tensor.bool(), "all", axis, keepdims)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the sum."""
        return _reduced(self.tensor, "sum", axis, keepdims)

    def prod(self, axis: int | None = None, keepdims: bool = False) -> Any:
        """Return the product."""
        return _reduced(self.tensor, "prod", axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the mean."""
        return _reduced(floats(self.tensor), "mean", axis, keepdims)

    def var(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """Return the variance."""
        found = floats(self.tensor).var(dim=axis, correction=ddof, keepdim=keepdims)
        return plain(found)

    def std(self, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        """Return the standard deviation."""
        found = floats(self.tensor).std(dim=axis, correction=ddof, keepdim=keepdims)
        return plain(found)

    def max(self, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        """Return the largest entry, or `initial` where it is larger."""
        if initial is not None:
            return max([initial, *self.tensor.reshape(-1).tolist()])
        self._refuse_empty("maximum")
        return _reduced(self.tensor, "amax", axis, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the smallest entry."""
        self._refuse_empty("minimum")
        return _reduced(self.tensor, "amin", axis, keepdims)

    def _refuse_empty(self, which: str) -> None:
        if not self.size:
            raise ValueError(
                f"zero-size array to reduction operation {which} which has no identity"
            )

    def argmax(self, axis: int | None = None) -> Any:
        """Return the place of the largest entry."""
        return plain(self.tensor.argmax(dim=axis))

    def argmin(self, axis: int | None = None) -> Any:
        """Return the place of the smallest entry."""
        return plain(self.tensor.argmin(dim=axis))

    def argsort(self, axis: int = -1) -> "ndarray":
        """Return the places of the entries in rising order."""
        return ndarray(self.tensor.argsort(dim=axis, stable=True))

    def cumsum(self, axis: int | None = None) -> "ndarray":
        """Return the running sums."""
        given = self.tensor.reshape(-1) if axis is None else self.tensor
        return ndarray(given.cumsum(dim=axis or 0))

    def nonzero(self) -> tuple["ndarray", ...]:
        """Return where the entries are not 0: the places along each axis."""
        return tuple(map(ndarray, self.tensor.nonzero(as_tuple=True)))

    def dot(self, other: Any) -> Any:
        """Return the matrix product."""
        return self @ other

    def round(self, decimals: int = 0) -> "ndarray":
        """Return the entries rounded."""
        return ndarray(self.tensor.round(decimals=decimals))

    # ---- Operators

    def __eq__(self, other: Any) -> Any:
        return _compared(self, other, "eq", lambda a, b: a == b)

    def __ne__(self, other: Any) -> Any:
        return _compared(self, other, "ne", lambda a, b: a != b)

    def __neg__(self) -> "ndarray":
        return ndarray(-self.tensor)

    def __abs__(self) -> "ndarray":
        return ndarray(self.tensor.abs())

    def __invert__(self) -> "ndarray":
        return ndarray(~self.tensor)

    def __matmul__(self, other: Any) -> Any:
        return _product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _product(other, self)


def plain(tensor: Tensor, objects: list[Any] | None = None) -> Any:
    """Return an array; in place of one without axes its entry."""
    if tensor.shape:
        return ndarray(tensor, objects)
    return tensor.item() if objects is None else objects[int(tensor.item())]


def floats(tensor: Tensor) -> Tensor:
    """Return floats as they are, whole numbers as numpy makes floats of them."""
    return tensor if tensor.dtype.kind >= 2 else tensor.to(torch.float64)


def meeting(*operands: Any) -> list[Tensor | Any]:
    """Return operands as tensors of one dtype; Python's numbers, which go along, as they are."""
    tensors = [each.tensor if isinstance(each, ndarray) else each for each in operands]
    tensors = [torch.tensor(each, dtype=_wide(each)) if isinstance(each, list | tuple) else each
               for each in tensors]  # fmt: skip
    given = [each for each in tensors if isinstance(each, Tensor)]
    kind = given[0].dtype
    for each in given[1:]:
        kind = common(kind, each.dtype)
    if kind.kind < 2 and any(isinstance(each, float) for each in tensors):
        kind = torch.float64
    if kind is torch.bool and any(type(each) is int for each in tensors):
        kind = torch.int64
    return [each.to(kind) if isinstance(each, Tensor) else each for each in tensors]


def _wide(nested: Any) -> Any:
    kind = torch.tensor(nested).dtype
    return torch.float64 if kind.is_floating_point else kind


def _forwards(tensor: Tensor, index: Any) -> tuple[Tensor, Any]:
    """Return a tensor and an index of it without negative steps, and with tensors for arrays."""
    parts = list(index) if isinstance(index, tuple) else [index]
    axis = 0
    for place, part in enumerate(parts):
        if isinstance(part, ndarray):
            parts[place] = part.tensor
        if part is Ellipsis:
            axis = tensor.ndim - sum(each is not None for each in parts[place + 1 :])
        elif isinstance(part, slice) and part.step is not None and part.step < 0:
            length = tensor.shape[axis]
            places = range(*part.indices(length))
            tensor = tensor.flip(axis)
            start = length - 1 - places[0] if places else 0
            stop = length - places[-1] if places else 0
            parts[place] = slice(start, stop, -part.step)
        axis += part is not None and part is not Ellipsis
    return tensor, tuple(parts) if isinstance(index, tuple) else parts[0]


def _reduced(tensor: Tensor, name: str, axis: Any, keepdims: bool) -> Any:
    if axis is None:
        axis = tuple(range(tensor.ndim))
        tensor, axis = (tensor, axis) if keepdims else (tensor.reshape(-1), 0)
    return plain(getattr(tensor, name)(dim=axis, keepdim=keepdims))


def _compared(a: ndarray, other: Any, name: str, by_object: Callable[[Any, Any], Any]) -> Any:
    if isinstance(other, Tensor):
        return NotImplemented
    numbers = isinstance(other, list | tuple | bool | int | float | complex)
    if a.objects is None and (numbers or getattr(other, "objects", a) is None):
        return plain(getattr(torch, name)(*meeting(a, other)))
    if isinstance(other, ndarray) and a.shape != other.shape:
        raise not_here("stretching of an array of objects")
    others = other.ravel().tolist() if isinstance(other, ndarray) else [other] * a.size
    pairs = zip(a.ravel().tolist(), others, strict=True)
    return ndarray(torch.tensor([bool(by_object(*pair)) for pair in pairs]).reshape(a.shape))


def _product(a: Any, b: Any) -> Any:
    return plain(torch.matmul(*meeting(a, b)))


def _operator(name: str, reverse: bool = False) -> Any:
    function = getattr(torch, name)

    def method(a: ndarray, b: Any) -> Any:
        if not isinstance(b, ndarray | list | tuple | bool | int | float | complex):
            return NotImplemented
        operands = meeting(a, b)
        if name == "div":
            operands = [floats(x) if isinstance(x, Tensor) else x for x in operands]
        if (reverse and name == "floor_divide") or name == "remainder":
            operands = [torch.as_tensor(x) for x in operands]
        return plain(function(*(reversed(operands) if reverse else operands)))

    return method


_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor",
}  # fmt: skip
for _python, _name in _OPERATORS.items():
    setattr(ndarray, f"__{_python}__", _operator(_name))
    setattr(ndarray, f"__r{_python}__", _operator(_name, reverse=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(ndarray, f"__{_name}__", _operator(_name))
