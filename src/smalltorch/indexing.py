"""Reading and writing `x[...]`.

An index is read from left to right. What it says by integers, slices and None is a view, found
without copying. Tensors and lists of integers, and masks, choose entries of that view; they are
applied to it all at once.
"""

from collections.abc import Sequence
from itertools import compress, count
from math import prod
from operator import index
from typing import Any

from smalltorch.arguments import kind_name
from smalltorch.choice import fitting
from smalltorch.dtypes import INTEGER, bool_, class_name, float16, float32, int32, int64, uint8
from smalltorch.filling import copy_, fill_
from smalltorch.gathering import replaced, take
from smalltorch.geometry import Shape, Size, broadcast_shape, contiguous_strides, positions
from smalltorch.inplace import in_place, refuse_protected
from smalltorch.nested import read_nested
from smalltorch.overrides import operation
from smalltorch.parts import Reading, part, selected
from smalltorch.stretching import expand
from smalltorch.tensor import Tensor, made, values, values_as
from smalltorch.views import reshape

Chosen = dict[int, Tensor]  # by axis of the view: the places that are chosen along it
NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
    "indices (got {})"
)


@operation
def getitem(input: Tensor, key: Any) -> Tensor:
    """Return `input[key]`: a view, or what tensors and lists choose, in a new tensor."""
    if type(key) is int and input.shape:
        place = _place(key, input.shape[0], 0)
        return part(input, "Select", lambda *reading: selected(reading, 0, place))
    items = _items(input, key)
    view, chosen = _view(input, items)
    if not chosen:
        return part(input, "Alias", lambda *reading: reading) if view is input else view
    return take(view, *chosen_places(view.shape, chosen), "Index")


@operation
def setitem(input: Tensor, key: Any, value: Any) -> None:
    """Write `input[key] = value`; the value is stretched."""
    value = _assigned(input, value)
    items = _items(input, key)
    view, chosen = _view(input, items)
    if not chosen:
        _write(view, value)
        return
    refuse_protected(view, value)
    is_mask = len(chosen) == sum(isinstance(item, Tensor) and item.ndim for item in items) and all(
        item.dtype is bool_ for item in items if isinstance(item, Tensor)
    )
    places, shape = chosen_places(view.shape, chosen)
    value = _without_leading_ones(value)
    if value.dtype is not view.dtype:
        if not (is_mask and value.numel() == 1):
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, got "
                f"{class_name(view.dtype)} for the destination and {class_name(value.dtype)} for "
                "the source."
            )
        value = value.to(view.dtype)
    put_at_(view, places, stretched_to(value, shape))


def stretched_to(value: Tensor, shape: Shape) -> Tensor:
    """Return a view of new entries, stretched to the shape of those that are replaced."""
    try:
        return expand(value, shape)
    except RuntimeError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        ) from None


put_at_ = in_place(replaced, "index_put_")


def _write(view: Tensor, value: Tensor) -> None:
    if not value.shape:
        fill_(view, value)
    else:
        fits = value.shape == view.shape
        copy_(view, value if fits else expand(_without_leading_ones(value), view.shape))


def _without_leading_ones(value: Tensor) -> Tensor:
    shape = value.shape
    while shape and shape[0] == 1:
        shape = shape[1:]
    return value if shape is value.shape else reshape(value, shape)


def _assigned(tensor: Tensor, value: Any) -> Tensor:
    """Return what is to be written as a tensor."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # one of numpy's numbers
        value = value.item()
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(
            f"can't assign a {_type_name(value)} to a torch.{class_name(tensor.dtype)}Tensor"
        )
    if isinstance(value, complex) and not value.imag and not tensor.is_complex():
        value = value.real
    room = float32 if tensor.dtype is float16 else tensor.dtype  # what is too large becomes inf
    return made((fitting(room, value),), Size(), tensor.dtype)


def _type_name(value: Any) -> str:
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__.endswith("numpy") else kind_name(value)


# ---- Reading the index


def _items(tensor: Tensor, key: Any) -> list[Any]:
    """Return the items of an index: integers, slices, None, Ellipsis, bools and tensors."""
    if not tensor.shape and (_is_integer(key) or isinstance(key, slice)):
        raise IndexError(_OF_NO_AXIS[isinstance(key, slice)])
    items = [_item(item) for item in (key if _stands_for_tuple(key) else (key,))]
    if sum(map(_axes_named, items)) > tensor.ndim:
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    return items if any(item is Ellipsis for item in items) else [*items, Ellipsis]


_OF_NO_AXIS = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number",
    "slice() cannot be applied to a 0-dim tensor.",
)


def _stands_for_tuple(key: Any) -> bool:
    """Say whether a sequence has an item for each axis: as in numpy once, a list may."""
    if isinstance(key, tuple):
        return True
    if not isinstance(key, (list, range)) or len(key) >= 32:
        return False
    return any(
        item is None
        or item is Ellipsis
        or isinstance(item, (Tensor, slice, list, tuple, range, str))
        for item in key
    )


def _item(item: Any) -> Any:
    if item is None or item is Ellipsis or isinstance(item, (bool, slice)):
        return item
    if isinstance(item, Tensor):
        if not item.shape and item.dtype.kind == INTEGER and item.dtype is not uint8:
            return item.item()
        if item.dtype not in (bool_, uint8, int32, int64):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return item if item.shape else bool(item)
    if hasattr(item, "__len__") and not isinstance(item, (dict, set, frozenset)):
        numbers = read_nested(list(item) if isinstance(item, (tuple, range)) else item, None)
        return numbers if numbers.dtype in (bool_, uint8) else numbers.to(int64)
    if _is_integer(item):
        return index(item)
    raise IndexError(NO_INDEX.format(_type_name(item)))


def _is_integer(item: Any) -> bool:
    return hasattr(item, "__index__") and not isinstance(item, (bool, Tensor))


def _axes_named(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if isinstance(item, Tensor) and item.dtype in (bool_, uint8) else 1


def _place(place: int, size: int, axis: int) -> int:
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for dimension {axis} with size {size}")
    return place % size


def _view(tensor: Tensor, items: Sequence[Any]) -> tuple[Tensor, Chosen]:
    """Return the view that the items name, and what tensors choose of it."""
    whole = (tensor.shape, tensor._strides, tensor._offset)
    walk = Walk(items, *whole)
    if walk.reading == whole:
        return tensor, walk.chosen
    last = [type(item) for item in items if item is not Ellipsis][-1]
    name = {slice: "Slice", int: "Select"}.get(last, "Unsqueeze")
    return part(tensor, name, lambda *other: Walk(items, *other).reading), walk.chosen


class Walk:
    """One way along the axes of a tensor, item by item.

    Args:
        items: of the index.
        shape: of the tensor.
        strides: of the tensor.
        offset: of the tensor.
    """

    def __init__(self, items: Sequence[Any], shape: Shape, strides: Shape, offset: int) -> None:
        self._shape, self._strides, self._offset = shape, strides, offset
        self._axis = 0  # of the tensor: the next one
        self._sizes: list[int] = []  # of the view, so far
        self._steps: list[int] = []
        self.chosen: Chosen = {}
        left = len(shape) - sum(map(_axes_named, items))  # axes for Ellipsis
        masks = []
        for position, item in enumerate(items):
            if item is None:
                self._insert()
            elif item is Ellipsis:
                self._keep(left)
            elif isinstance(item, bool):
                self.chosen[len(self._sizes)] = made([0] * item, (int(item),), int64)
                self._insert()
            elif isinstance(item, int):
                self._select(item, position)
            elif isinstance(item, slice):
                self._slice(item)
            else:
                if item.dtype in (bool_, uint8):
                    masks.append((len(self._sizes), item))
                self.chosen[len(self._sizes)] = item
                self._keep(_axes_named(item))
        for axis, mask in masks:
            self.chosen |= _where(mask, axis, self._sizes)

    @property
    def reading(self) -> Reading:
        """What it comes to: shape, strides and offset of the view."""
        return Size(self._sizes), tuple(self._steps), self._offset

    def _keep(self, count: int) -> None:
        kept = slice(self._axis, self._axis + count)
        self._sizes += self._shape[kept]
        self._steps += self._strides[kept]
        self._axis += count

    def _insert(self) -> None:
        own = slice(self._axis, self._axis + 1)
        self._steps.append(prod(self._shape[own]) * prod(self._strides[own]))
        self._sizes.append(1)

    def _select(self, place: int, position: int) -> None:
        place = _place(place, self._shape[self._axis], position)
        self._offset += place * self._strides[self._axis]
        self._axis += 1

    def _slice(self, item: slice) -> None:
        start, stop, step = item.indices(self._shape[self._axis])
        if step < 0:
            raise ValueError("step must be greater than zero")
        self._offset += start * self._strides[self._axis]
        self._sizes.append(len(range(start, stop, step)))
        self._steps.append(step * self._strides[self._axis])
        self._axis += 1


def _where(mask: Tensor, first: int, shape: Sequence[int]) -> Chosen:
    """Return the places that a mask chooses, for each of its axes.

    Args:
        mask: of bools.
        first: the axis of the view that is its first one.
        shape: of the view.
    """
    for axis, size in enumerate(mask.shape):
        if shape[first + axis] != size:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {axis} does not match the "
                f"shape of the indexed tensor {list(shape)} at index {first + axis}"
            )
    found = list(compress(count(), values(mask)))
    return {
        first + axis: made([place // step % size for place in found], (len(found),), int64)
        for axis, (size, step) in enumerate(
            zip(mask.shape, contiguous_strides(mask.shape), strict=True)
        )
    }


def chosen_places(shape: Shape, chosen: Chosen) -> tuple[list[int], Size]:
    """Return the places of a view that tensors choose, and the shape of the result.

    The axis of what is chosen stands where the axes were of which it is chosen, if these stand side
    by side, and in front otherwise.
    """
    axes, strides = sorted(chosen), contiguous_strides(shape)
    common = _common_shape([chosen[axis] for axis in axes])
    starts = [0] * common.numel()
    for ordinal, axis in enumerate(axes):
        size, step = shape[axis], strides[axis]
        given = list(values_as(chosen[axis], common))
        if given and not size:
            raise IndexError("index is out of bounds for dimension with size 0")
        if given and not -size <= min(given) <= max(given) < size:
            for place in given:
                _place(place, size, ordinal)
        starts = [start + place % size * step for start, place in zip(starts, given, strict=True)]
    side_by_side = axes[-1] - axes[0] < len(axes)
    before = range(axes[0]) if side_by_side else ()
    after = [axis for axis in range(len(shape)) if axis not in axes and axis not in before]
    outer, inner = (
        positions(tuple(shape[axis] for axis in those), tuple(strides[axis] for axis in those))
        for those in (before, after)
    )
    places = [a + b + c for a in outer for b in starts for c in inner]
    sizes = ([shape[axis] for axis in those] for those in (before, after))
    return places, Size((*next(sizes), *common, *next(sizes)))


def _common_shape(indices: Sequence[Tensor]) -> Size:
    shape = Size()
    try:
        for each in indices:
            shape = broadcast_shape(shape, each.shape)
    except RuntimeError:
        shapes = ", ".join(str(list(each.shape)) for each in indices)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    return shape


# ---- What else reads and writes by places that tensors hold


OPERATORS = {"__getitem__": getitem, "__setitem__": setitem}
FUNCTIONS = ""
