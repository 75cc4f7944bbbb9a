"""The history of a tensor, as a tensor's own attributes and methods tell of it."""

from collections.abc import Callable
from typing import Any

from smalltorch import autograd, dtypes
from smalltorch.autograd import _edge_or_none, asks, detach
from smalltorch.dtypes import c_name, class_name
from smalltorch.grad_mode import Recording
from smalltorch.overrides import operation
from smalltorch.tensor import Storage, Tensor

__all__ = ["detach"]


def backward(
    tensor: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add to `.grad` of each leaf the gradient of this tensor."""
    autograd.backward(tensor, gradient, retain_graph, create_graph, inputs)


def requires_grad_(tensor: Tensor, requires_grad: bool = True) -> Tensor:
    """Have a leaf ask for its gradient, or no longer."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
            f"{type(requires_grad).__name__}"
        )
    if not requires_grad and grad_fn_of(tensor) is not None:
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a "
            "computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach()."
        )
    if requires_grad and tensor.dtype.kind < dtypes.FLOAT:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if requires_grad and tensor.storage.is_inference and not Recording.inference:
        raise RuntimeError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
        )
    tensor._asks = requires_grad
    return tensor


def _set_requires_grad(tensor: Tensor, requires_grad: bool) -> None:
    if requires_grad and tensor.dtype.kind < dtypes.FLOAT:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    requires_grad_(tensor, requires_grad)


def retain_grad(tensor: Tensor) -> None:
    """Have a computed tensor keep its gradient in `.grad`."""
    edge = _edge_or_none(tensor)
    if edge is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node, output = edge
    if node.leaf is None and not any(tensor is each for each in node.keepers[output]):
        node.keepers[output].append(tensor)


class Handle:
    """What takes a hook away again."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Take the hook away."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


def register_hook(tensor: Tensor, hook: Callable[[Tensor], Tensor | None]) -> Handle:
    """Call `hook` with the gradient of a tensor when it arrives; it may return another."""
    edge = _edge_or_none(tensor)
    if edge is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node, output = edge
    node.hooks[output].append(hook)
    return Handle(node.hooks[output], hook)


def grad_fn_of(tensor: Tensor) -> Any:
    """Return what computed a tensor; None of a leaf."""
    edge = _edge_or_none(tensor)
    return None if edge is None or edge[0].leaf is not None else edge[0].shown()


def _data_of(tensor: Tensor) -> Tensor:
    plain = detach(tensor)
    plain.storage = Storage(tensor.storage.data)  # a write to it is counted by itself
    return plain


def _set_data(tensor: Tensor, new: Tensor) -> None:
    tensor.storage, tensor._offset, tensor.dtype = new.storage, new._offset, new.dtype
    tensor.shape, tensor._strides = new.shape, new._strides


def _set_grad(tensor: Tensor, new: Any) -> None:
    if new is not None and not isinstance(new, Tensor):
        raise TypeError(
            "assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(new).__name__}"
        )
    if new is not None and new.dtype is not tensor.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{c_name(new.dtype)}' to a tensor with "
            f"grad_dtype '{class_name(tensor.dtype)}'. The gradient must match the tensor's "
            "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
            "attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
            "caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match."
        )
    if new is not None and new.shape != tensor.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(new.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same "
            "size"
        )
    tensor._grad = new


FUNCTIONS = "detach"
METHODS = "backward detach register_hook requires_grad_ retain_grad"
PROPERTIES = {
    "data": property(operation(_data_of), _set_data),
    "grad": property(operation(lambda tensor: tensor._grad), _set_grad),
    "grad_fn": property(grad_fn_of),
    "is_leaf": property(lambda tensor: grad_fn_of(tensor) is None),
    "requires_grad": property(asks, _set_requires_grad),
}
