"""Functions whose way back somebody has written: `class Square(torch.autograd.Function)`."""

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import signature
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import (
    SECOND_TIME,
    Edge,
    Flow,
    Node,
    Saved,
    _edge_or_none,
    asks,
    detach,
    fitted,
    wants_history,
)
from smalltorch.geometry import broadcast_shape
from smalltorch.grad_mode import is_grad_enabled, no_grad
from smalltorch.names import lacking
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor

__all__ = ["Function", "once_differentiable"]


class FunctionCtx:
    """What `forward` keeps for `backward`: the `ctx` of both, and the `grad_fn` of the results.

    Only what an answer puts on it is in its `__dict__`.
    """

    __slots__ = (
        "__dict__", "_fixed", "_name", "_node", "_saved", "_to_save", "needs_input_grad",
    )  # fmt: skip

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.needs_input_grad = tuple(map(asks, arguments))
        self._name = name
        self._fixed: tuple[Any, ...] = ()  # results without a gradient
        self._to_save: tuple[Any, ...] = ()
        self._saved: list[Saved] | None = []
        self._node: Node | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors; a later write to one of them is found."""
        for place, tensor in enumerate(tensors):
            if not (tensor is None or isinstance(tensor, Tensor)):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {place} is of type "
                    f"{type(tensor).__name__}"
                )
        self._to_save = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were kept."""
        if self._saved is None:
            raise RuntimeError(SECOND_TIME)
        return tuple(saved.get() for saved in self._saved)

    def mark_non_differentiable(self, *results: Tensor) -> None:
        """Say that results have no gradient."""
        self._fixed = results

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where the arguments came from."""
        return self._node.next_functions if self._node else ()

    def name(self) -> str:
        """Return the name that stands in errors."""
        return f"{self._name}Backward"

    def __getattr__(self, name: str) -> Any:
        if name in ("mark_dirty", "set_materialize_grads"):
            raise not_here(f"ctx.{name}")
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"


class Function:
    """A function of tensors with a `backward` of its own."""

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Return what `forward` returns, with `backward` as its way back."""
        forward: Callable[..., Any] = cls.forward  # type: ignore[attr-defined]
        gets_ctx = cls.setup_context is Function.setup_context
        if kwargs:  # in the order of `forward`
            bound = signature(forward).bind(*((None,) if gets_ctx else ()), *args, **kwargs)
            args, kwargs = bound.args[gets_ctx:], bound.kwargs
        arguments = (*args, *kwargs.values())
        ctx = FunctionCtx(cls.__name__, arguments)
        recorded = is_grad_enabled() and any(ctx.needs_input_grad)
        node = _FunctionNode(cls, ctx, arguments) if recorded else None
        with no_grad():
            if gets_ctx:
                results = forward(ctx, *args, **kwargs)
            else:
                results = forward(*args, **kwargs)
                cls.setup_context(ctx, arguments, results)
        several = results if isinstance(results, tuple) else (results,)
        if node is not None:
            several = node.behind(several, arguments)
        ctx._saved = list(map(Saved, ctx._to_save)) if recorded else []
        return several if isinstance(results, tuple) else several[0]

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        """Refuse: `apply` is what is called."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep for `backward` what it needs, where `forward` gets no ctx."""

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return a gradient for each argument of `forward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function "
            "to use it with backward mode AD."
        )


class _FunctionNode(Node):
    __slots__ = ("_are_tensors", "_ctx", "_function", "_likes", "_targets")

    def __init__(
        self, function: type[Function], ctx: FunctionCtx, arguments: tuple[Any, ...]
    ) -> None:
        super().__init__(function.__name__)
        self._function, self._ctx = function, ctx
        # For each argument: where it came from; None where it asks for no gradient.
        self._targets: list[tuple[Edge, Any, Any] | None] = [
            _target(each) if isinstance(each, Tensor) else None for each in arguments
        ]
        self.edges = tuple(target[0] for target in self._targets if target is not None)
        self._are_tensors = [isinstance(each, Tensor) for each in arguments]
        self._likes: list[Tensor | None] = []
        ctx._node = self

    def name(self) -> str:
        return self._ctx.name()

    def shown(self) -> FunctionCtx:
        return self._ctx

    def behind(self, results: tuple[Any, ...], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the results with this node as their history."""
        self.outputs = len(results)
        self.hooks = [[] for _each in results]
        self.keepers = [[] for _each in results]
        return tuple(
            self._behind(output, result, arguments) for output, result in enumerate(results)
        )

    def _behind(self, output: int, result: Any, arguments: tuple[Any, ...]) -> Any:
        fixed = any(result is each for each in self._ctx._fixed)
        if not isinstance(result, Tensor):
            self._likes.append(None)
            return result
        self._likes.append(detach(result))
        if fixed or result.dtype.kind < dtypes.FLOAT:
            return result
        if any(result is each for each in arguments):
            result = detach(result)  # an argument that is handed back keeps its own history
        result._node, result._output, result._asks = self, output, True
        return result

    def back(
        self, gradients: list[Tensor | None], wanted: Callable[[Edge], bool]
    ) -> Iterator[Flow]:
        given: list[Tensor | None] = []
        for gradient, like in zip(gradients, self._likes, strict=True):
            if gradient is None and like is not None:
                gradient = like.new_zeros(like.shape)
            elif gradient is not None and like is not None:
                gradient = fitted(gradient, like.shape, like.dtype)
            given.append(gradient)
        returned = self._function.backward(self._ctx, *given)
        found = list(returned) if isinstance(returned, tuple) else [returned]
        self._check(found)
        for place, (gradient, target) in enumerate(zip(found, self._targets, strict=False)):
            if target is not None and gradient is not None and wanted(target[0]):
                yield target[0], self._fitted(place, gradient, *target[1:])

    def free(self) -> None:
        self._ctx._saved = None if self._ctx._saved else []

    def _check(self, found: list[Any]) -> None:
        count = len(self._targets)
        while len(found) > count and found[-1] is None:  # more of nothing is nothing
            found.pop()
        if len(found) != count:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {count}, got {len(found)})"
            )
        for place, (gradient, is_tensor) in enumerate(
            zip(found, self._are_tensors, strict=True), start=1
        ):
            if gradient is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position "
                    f"{place}, but the corresponding forward input was not a Variable"
                )
            if not (gradient is None or isinstance(gradient, Tensor)):
                raise RuntimeError(f"expected Variable or None (got {type(gradient).__name__})")

    def _fitted(self, place: int, gradient: Tensor, shape: Any, kind: Any) -> Tensor:
        try:
            fits = broadcast_shape(shape, gradient.shape) == gradient.shape
        except RuntimeError:
            fits = False
        if not fits:
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {place} - got "
                f"{list(gradient.shape)} but expected shape compatible with {list(shape)}"
            )
        return fitted(gradient, shape, kind)


def _target(tensor: Tensor) -> tuple[Edge, Any, Any] | None:
    edge = _edge_or_none(tensor)
    return None if edge is None else (edge, tensor.shape, tensor.dtype)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Have a `backward` whose gradients have no gradient say so when one is asked for."""

    @wraps(backward)
    def once(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            found = backward(ctx, *gradients)
        if not wants_history(*gradients):
            return found
        return tuple(map(_last, found)) if isinstance(found, tuple) else _last(found)

    return once


def _last(gradient: Any) -> Any:
    if not isinstance(gradient, Tensor) or gradient.dtype.kind < dtypes.FLOAT:
        return gradient
    return _Last.apply(detach(gradient).requires_grad_())


class _Last(Function):
    @staticmethod
    def forward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.autograd.function")
