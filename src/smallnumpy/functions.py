"""numpy's functions: those that exercises, their cases and the engine call."""

from collections.abc import Sequence
from typing import Any

import smalltorch
from smallnumpy import kinds
from smallnumpy.arrays import floats, meeting, ndarray, plain
from smalltorch.tensor import Tensor

torch: Any = smalltorch  # whose functions come from many modules

__all__ = [
    "abs", "all", "any", "arange", "argmax", "argsort", "argwhere", "array", "array_equal",
    "asarray", "concatenate", "cumsum", "diag", "empty", "exp", "eye", "flatnonzero", "full",
    "isfinite", "isin", "isnan", "ix_", "log", "log2", "max", "maximum", "mean", "min", "minimum",
    "ndim", "nonzero", "ones", "outer", "prod", "shape", "sqrt", "stack", "std", "sum", "transpose",
    "unique", "var", "where", "zeros",
]  # fmt: skip


# ---- New arrays


def array(data: Any, dtype: Any = None) -> ndarray:
    """Return a new array of the entries of nested lists, of an array or of a tensor."""
    kind = None if dtype is None else kinds.of(dtype)
    if isinstance(data, Tensor):
        data = data.numpy()
    if isinstance(data, ndarray):
        return data.copy() if kind in (None, data.dtype) else data.astype(kind)
    if kind is not None and kind.torch is None:
        return _of_objects(data)
    tensor = torch.tensor(_unwrapped(data), dtype=kind and kind.torch)
    if kind is None and tensor.dtype is torch.float32:  # Python's floats
        tensor = torch.tensor(_unwrapped(data), dtype=torch.float64)
    return ndarray(tensor)


def _unwrapped(data: Any) -> Any:
    if isinstance(data, ndarray):
        return data.tolist()
    return [_unwrapped(each) for each in data] if isinstance(data, list | tuple) else data


def _of_objects(data: Any) -> ndarray:
    rows, shape = [data], []
    while isinstance(rows[0], list | tuple) and len({len(row) for row in rows}) == 1:
        shape.append(len(rows[0]))
        rows = [each for row in rows for each in row]
        if not rows:
            break
    places = torch.arange(len(rows)).reshape(shape)
    return ndarray(places, rows)


def asarray(data: Any, dtype: Any = None) -> ndarray:
    """Return an array as it is, anything else as `array` does."""
    if isinstance(data, ndarray) and (dtype is None or data.dtype == dtype):
        return data
    if isinstance(data, Tensor) and dtype is None:
        return data.numpy()  # type: ignore[no-any-return]
    return array(data, dtype)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array full of zeros."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array full of ones."""
    return full(shape, 1, dtype)


empty = zeros


def full(shape: Any, fill_value: Any, dtype: Any = None) -> ndarray:
    """Return an array full of one number."""
    kind = array(fill_value).dtype if dtype is None else kinds.of(dtype)
    sizes = shape if isinstance(shape, list | tuple) else (shape,)
    return ndarray(torch.full(sizes, fill_value, dtype=kind.torch))


def eye(n: int, dtype: Any = float) -> ndarray:
    """Return a matrix with ones on its diagonal."""
    return ndarray(torch.eye(n, dtype=kinds.of(dtype).torch))


def arange(*limits: Any, dtype: Any = None) -> ndarray:
    """Return the numbers from a start to an end, in steps."""
    whole = all_(isinstance(each, int) for each in limits)
    kind = kinds.of(dtype).torch if dtype else torch.int64 if whole else torch.float64
    return ndarray(torch.arange(*limits, dtype=kind))


# ---- Entry by entry


def _of_floats(name: str) -> Any:
    def function(x: Any) -> Any:
        return plain(getattr(torch, name)(floats(asarray(x).tensor)))

    function.__doc__ = f"Return {name} of each entry."
    return function


exp, log, log2, sqrt = map(_of_floats, ("exp", "log", "log2", "sqrt"))
isfinite, isnan = _of_floats("isfinite"), _of_floats("isnan")


def abs(x: Any) -> Any:
    """Return the entries without their sign."""
    return plain(asarray(x).tensor.abs())


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of each two entries."""
    return plain(torch.maximum(*_tensors(a, b)))


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of each two entries."""
    return plain(torch.minimum(*_tensors(a, b)))


def where(condition: Any, *values: Any) -> Any:
    """Return entries of the first array where a condition holds, else of the second."""
    chosen = asarray(condition)
    if not values:
        return chosen.nonzero()
    return plain(torch.where(chosen.tensor.bool(), *_tensors(*values)))


def _tensors(a: Any, b: Any) -> list[Tensor]:
    if not isinstance(a, ndarray) and not isinstance(b, ndarray):
        a, b = asarray(a), asarray(b)
    first, second = meeting(a, b)
    like = first if isinstance(first, Tensor) else second
    return [torch.as_tensor(each, dtype=like.dtype) for each in (first, second)]


def isin(element: Any, test_elements: Any) -> Any:
    """Say of each entry whether it is among others."""
    return plain(torch.isin(asarray(element).tensor, asarray(test_elements).tensor))


# ---- Along axes


def _method(name: str) -> Any:
    def function(a: Any, *args: Any, **named: Any) -> Any:
        return getattr(asarray(a), name)(*args, **named)

    function.__name__ = name
    function.__doc__ = f"Return what the array's method {name} does."
    return function


any_, all_ = any, all
any, all, sum, prod, mean = map(_method, ("any", "all", "sum", "prod", "mean"))
std, var, max, min = map(_method, ("std", "var", "max", "min"))
argmax, argsort, cumsum = map(_method, ("argmax", "argsort", "cumsum"))
nonzero, transpose = _method("nonzero"), _method("transpose")


def ndim(a: Any) -> int:
    """Return the number of axes."""
    return asarray(a).ndim


def shape(a: Any) -> tuple[int, ...]:
    """Return the length of each axis."""
    return asarray(a).shape


def flatnonzero(a: Any) -> ndarray:
    """Return the places, counted row by row, where the entries are not 0."""
    return asarray(a).ravel().nonzero()[0]


def argwhere(a: Any) -> ndarray:
    """Return where the entries are not 0, a row for each."""
    return ndarray(torch.argwhere(asarray(a).tensor))


def unique(ar: Any) -> ndarray:
    """Return the different entries in rising order."""
    return ndarray(torch.unique(asarray(ar).tensor))


# ---- Several arrays


def array_equal(a1: Any, a2: Any) -> bool:
    """Say whether two arrays have the same shape and the same entries."""
    a, b = asarray(a1), asarray(a2)
    return a.shape == b.shape and (a == b).all() is True


def concatenate(arrays: Sequence[Any], axis: int = 0) -> ndarray:
    """Return arrays one behind the other along an axis."""
    given = [asarray(each) for each in arrays]
    if any_(each.objects is not None for each in given):
        objects: list[Any] = []
        moved = []
        for each in given:
            moved.append(each.tensor + len(objects))
            objects += each.objects or []
        return ndarray(torch.cat(moved, dim=axis), objects)
    return ndarray(torch.cat(meeting(*given), dim=axis))


def stack(arrays: Sequence[Any], axis: int = 0) -> ndarray:
    """Return arrays one behind the other along a new axis."""
    return ndarray(torch.stack(meeting(*map(asarray, arrays)), dim=axis))


def outer(a: Any, b: Any) -> ndarray:
    """Return the product of each entry of one array with each of another."""
    return ndarray(torch.outer(*meeting(asarray(a).ravel(), asarray(b).ravel())))


def diag(v: Any) -> ndarray:
    """Return the matrix with a diagonal, or the diagonal of a matrix."""
    return ndarray(torch.diag(asarray(v).tensor))


def ix_(*places: Sequence[int]) -> tuple[ndarray, ...]:
    """Return an index that picks places along each axis."""
    count = len(places)
    return tuple(
        array(list(each)).reshape([-1 if axis == own else 1 for axis in range(count)])
        for own, each in enumerate(places)
    )
