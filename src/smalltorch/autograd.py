"""The gradient: who computed a tensor, and from what.

Each function that can be differentiated calls `record` on its result. It names, for each input, the
rule that turns the gradient of the result into the gradient of that input, and the tensors that
the rule needs. Rules are written with the small torch's own functions: recorded in turn, they give
second derivatives. `backward` goes the way back.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import count
from typing import Any, cast

from smalltorch import dtypes
from smalltorch.dtypes import class_name
from smalltorch.geometry import Shape
from smalltorch.grad_mode import (
    Recording,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from smalltorch.names import lacking
from smalltorch.tensor import Tensor, seen

Rule = Callable[..., Tensor | None]
Way = tuple[Any, ...]  # input, rule, *saved
Edge = tuple["Node", int]
Flow = tuple[Edge, Tensor]  # a gradient, and where it goes

HOOKS: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]] = []  # of saved tensors
_moments = count()


class Saved:
    """What is kept for the way back: a number, or a tensor, which nobody may write to meanwhile."""

    __slots__ = ("_edge", "_unpack", "maker", "value", "version")

    def __init__(self, value: Any) -> None:
        self.value: Any = value
        self.maker: Node | None = None  # of the result itself: the node that keeps it
        self._unpack: Callable[[Any], Tensor] | None = None
        if not isinstance(value, Tensor):
            return
        if value.storage.is_inference:
            raise RuntimeError(_NEVER_SAVED)
        self.version = value._version
        if HOOKS:  # what they return is kept in place of the tensor
            pack, self._unpack = HOOKS[-1]
            self._edge = _edge_or_none(value)
            with no_grad():
                self.value = pack(value)

    def get(self) -> Any:
        """Return what was kept.

        Raises:
            RuntimeError: the tensor was written to since.
        """
        if self._unpack is not None:
            return self._unpacked(self._unpack(self.value))
        if isinstance(self.value, Tensor) and self.value._version != self.version:
            raise RuntimeError(_overwritten(self))
        return self.value

    def _unpacked(self, value: Any) -> Tensor:
        if not isinstance(value, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(value).__name__}"
            )
        if self._edge is None:
            return value
        again: Tensor = detach(value)  # it goes on from where the tensor came from
        again._asks = True
        again._node, again._output = self._edge
        return again


class Node:
    """One computed result, or a leaf, on the way back.

    Args:
        name: of what was computed.
        ways: for each input that asks for a gradient: where it came from, the rule, what the rule
            needs, the input's shape and its dtype.
    """

    __slots__ = (
        "_name", "edges", "hooks", "keepers", "leaf", "metadata", "moment", "outputs", "saves",
        "ways",
    )  # fmt: skip

    def __init__(self, name: str, ways: Sequence[Way] = (), outputs: int = 1) -> None:
        self._name, self.outputs = name, outputs
        self.ways: list[tuple[Edge, Rule, list[Saved], Any, Any]] | None = [
            (edge, rule, list(map(Saved, saved)), tensor.shape, tensor.dtype)
            for tensor, rule, *saved in ways
            if (edge := _edge_or_none(tensor)) is not None
        ]
        self.edges: tuple[Edge, ...] = tuple(edge for edge, *_rest in self.ways)
        self.moment = next(_moments)  # later than those of all that it was made from
        self.saves = any(saved for _edge, _rule, saved, *_like in self.ways)
        self.leaf: Tensor | None = None
        self.hooks: list[list[Callable[[Tensor], Tensor | None]]] = [[] for _each in range(outputs)]
        self.keepers: list[list[Tensor]] = [[] for _each in range(outputs)]
        self.metadata: dict[str, Any] = {}

    def name(self) -> str:
        """Return torch's name of it."""
        if self.leaf is not None:
            return "torch::autograd::AccumulateGrad"
        return _WHOLE_NAMES.get(self._name) or f"{self._name}Backward0"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where its inputs came from."""
        return tuple((node.shown(), output) for node, output in self.edges)

    def shown(self) -> Any:
        """Return what `grad_fn` shows of it."""
        return self

    def back(
        self, gradients: list[Tensor | None], wanted: Callable[[Edge], bool]
    ) -> Iterator[Flow]:
        """Yield what goes on to each input that is wanted.

        Raises:
            RuntimeError: it has been passed before, and what it needs is gone.
        """
        if self.ways is None:
            raise RuntimeError(SECOND_TIME)
        given = any(gradient is not None for gradient in gradients)
        for edge, rule, saved, shape, kind in self.ways:
            if given and wanted(edge):
                gradient = rule(*gradients, *(each.get() for each in saved))
                if gradient is not None:
                    yield edge, fitted(gradient, shape, kind)

    def keep_own(self, result: Tensor, kept: Tensor) -> None:
        """Where the result itself is kept for the way back, keep this tensor, as it is now."""
        for _edge, _rule, saved, *_like in self.ways or ():
            for each in saved:
                if each.value is result:
                    each.value, each.version = kept, kept._version
                    each.maker = self if kept._base is None else None

    def free(self) -> None:
        """Forget what was kept for the way back."""
        if self.saves:
            self.ways = None

    def __repr__(self) -> str:
        return f"<{self.name().rpartition(':')[2]} object at {id(self):#x}>"


def record(result: Tensor, name: str, *ways: Way) -> Tensor:
    """Note how the gradient of a result reaches its inputs, where one of them asks for it.

    Args:
        result: a new tensor, or a view.
        name: what computed it, as torch calls it: "Mul".
        ways: for each input (input, rule, *saved). The rule gets the gradient of the result and
            what was saved, and returns the gradient of the input; what was stretched is summed up
            again and its dtype put right here.
    """
    if not Recording.on or result.dtype.kind < dtypes.FLOAT:
        return result
    asking = [way for way in ways if asks(way[0])]
    if asking:
        node = Node(name, asking)
        result._node, result._asks, result._output = node, True, 0
        node.keep_own(result, result)
    return result


def view_of(
    tensor: Tensor, shape: Iterable[int], strides: Iterable[int], offset: int, name: str, rule: Rule
) -> Tensor:
    """Return another reading of the numbers of a tensor; `rule` is that of `record`."""
    view = seen(tensor, shape, strides, offset)
    view._made = tensor._made if Recording.on else IN_NO_GRAD
    return record(view, name, (tensor, rule))


def views_of(
    tensor: Tensor, readings: Iterable[tuple[Shape, Shape, int]], name: str, rule: Rule
) -> tuple[Tensor, ...]:
    """Return several readings, of one step: its rule gets a gradient, or None, for each."""
    views = tuple(seen(tensor, *reading) for reading in readings)
    recorded = tensor.dtype.kind >= dtypes.FLOAT and wants_history(tensor)
    node = Node(name, [(tensor, rule)], len(views)) if recorded else None
    for output, view in enumerate(views):
        view._made = ONE_OF_SEVERAL if Recording.on else IN_NO_GRAD
        view._node, view._asks, view._output = node, recorded, output
    return views


def asks(tensor: Any) -> bool:
    """Say whether a gradient is asked for, by it or by what it is a view of; of no tensor, no."""
    return isinstance(tensor, Tensor) and (
        tensor._asks or (tensor._base is not None and tensor._base._asks)
    )


def wants_history(*tensors: Any) -> bool:
    """Say whether a result of these is to be recorded."""
    return Recording.on and any(map(asks, tensors))


def detach(input: Tensor) -> Tensor:
    """Return the same numbers without their history."""
    plain = seen(input, input.shape, input._strides, input._offset)
    plain._base, plain._made = None, ""
    return plain


def fitted(gradient: Tensor, shape: Any, kind: Any) -> Tensor:
    """Return a gradient in the shape and dtype of that of which it is one."""
    if gradient.shape != shape:
        gradient = gradient.sum_to_size(shape)
    if gradient.dtype is kind:
        return gradient
    if gradient.dtype.is_complex and not kind.is_complex:
        gradient = gradient.real
    result: Tensor = gradient.to(kind)
    return result


def _edge_or_none(tensor: Tensor) -> Edge | None:
    if tensor._base is not None and tensor._known != tensor.storage.version:
        _follow(tensor, tensor._base)
    if tensor._node is not None:
        return tensor._node, tensor._output
    if not tensor._asks:
        return None
    if tensor._leaf is None:
        tensor._leaf = Node("Leaf")
        tensor._leaf.leaf, tensor._leaf.moment = tensor, -1  # passed last
    return tensor._leaf, 0


def _edge(tensor: Tensor) -> Edge:
    return cast(Edge, _edge_or_none(tensor))  # of one that asks for a gradient


def _follow(view: Tensor, base: Tensor) -> None:
    """Give a view the history that its base has since it was written to."""
    from smalltorch.gathering import places_in, spread

    if view._node is None and not base._asks:
        return
    if view._made:
        refuse_write(view, "its base or another view of its base has been")
    places, shape = places_in(base, view), base.shape
    ways = [(base, lambda gradient: spread(gradient, places, shape))] if base._asks else []
    view._node, view._output, view._asks = Node("AsStrided", ways), 0, True
    view._known = view.storage.version


# Why a view may not be written to.
IN_NO_GRAD = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the no_grad block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
ONE_OF_SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not "
    "allow the output views to be modified inplace. You should replace the inplace operation by an "
    "out-of-place one."
)


def refuse_write(view: Tensor, what: str) -> None:
    """Refuse a write to a view, or the use of one whose numbers were written to.

    Args:
        what: "is being", or what else is said to be modified.

    Raises:
        RuntimeError: always.
    """
    node = view._node
    if node is not None and view._made == ONE_OF_SEVERAL:
        text = f"Output {view._output} of {node._name} is a view and {what} modified inplace."
    else:
        first = f"Output {view._output} of {node._name} is a view of a" if node else "A"
        was = "which was created" if node else "was created"
        text = f"{first} view {was} in no_grad mode and {what} modified inplace with grad mode"
        text += " enabled."
    raise RuntimeError(f"{text} {view._made}")


SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)
_NEVER_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference "
    "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
    "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`."
)
_WHOLE_NAMES = {"CopySlices": "CopySlices", "Copy": "CopyBackwards"}  # of nodes


def _overwritten(saved: Saved) -> str:
    tensor, node, output = saved.value, saved.maker, 0
    if node is None and (edge := _edge_or_none(tensor)) and edge[0].leaf is None:
        node, output = edge
    name = node and node._name.replace("CopySlices", "torch::autograd::CopySlices")
    which = f", which is output {output} of {name}," if name else ""
    return (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [torch.{class_name(tensor.dtype)}Tensor {list(tensor.shape)}]{which} is at "
        f"version {tensor._version}; expected version {saved.version} instead. Hint: enable "
        "anomaly "
        "detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


# The rest of torch.autograd builds on the above.
from smalltorch.autograd_function import Function  # noqa: E402
from smalltorch.backward import backward, grad  # noqa: E402
from smalltorch.machinery import forward_ad  # noqa: E402

__all__ = [
    "Function", "backward", "enable_grad", "forward_ad", "grad", "inference_mode",
    "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in ("function", "functional", "graph"):
        return import_module(f"smalltorch.autograd_{name}")
    raise lacking(name, "torch.autograd")
