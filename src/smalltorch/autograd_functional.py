"""All derivatives of a function at once, as tensors."""

from collections.abc import Callable
from typing import Any

from smalltorch.autograd import detach
from smalltorch.backward import grad
from smalltorch.creation import zeros_like
from smalltorch.grad_mode import enable_grad
from smalltorch.joining import stack
from smalltorch.names import lacking
from smalltorch.tensor import Tensor

__all__ = ["hessian", "jacobian", "jvp", "vjp"]

Several = tuple[Tensor, ...]


def jacobian(func: Callable[..., Any], inputs: Tensor | Several, create_graph: bool = False) -> Any:
    """Return the derivative of each result entry for each input entry: [*result, *input].

    Of several results or inputs it is a tuple, or a tuple of tuples.
    """
    with enable_grad():
        leaves = _leaves(inputs, create_graph)
        results = func(*leaves)
        rows = tuple(_jacobians(result, leaves, create_graph) for result in _several(results))
    columns = rows if isinstance(inputs, tuple) else tuple(row[0] for row in rows)
    return columns if isinstance(results, tuple) else columns[0]


def _jacobians(result: Tensor, leaves: Several, create_graph: bool) -> Several:
    rows: list[Several] = []
    for entry in result.reshape(-1):
        if not entry.requires_grad:
            rows.append(tuple(map(zeros_like, leaves)))
            continue
        rows.append(
            grad(
                entry, leaves, retain_graph=True, create_graph=create_graph, materialize_grads=True
            )  # type: ignore[arg-type]
        )
    return tuple(
        stack(column).reshape(*result.shape, *leaf.shape)
        for column, leaf in zip(zip(*rows, strict=True), leaves, strict=True)
    )


def hessian(
    func: Callable[..., Tensor], inputs: Tensor | Several, create_graph: bool = False
) -> Any:
    """Return the second derivatives of a function that returns one number."""

    def gradient(*leaves: Tensor) -> Any:
        return jacobian(func, leaves if isinstance(inputs, tuple) else leaves[0], create_graph=True)

    return jacobian(gradient, inputs, create_graph)


def vjp(func: Callable[..., Any], inputs: Tensor | Several, v: Any = None) -> tuple[Any, Any]:
    """Return the results, and the gradients of their sum weighted by v."""
    with enable_grad():
        leaves = _leaves(inputs, create_graph=False)
        results = func(*leaves)
        found = grad(results, leaves, v, materialize_grads=True)
    return _plain(results), found if isinstance(inputs, tuple) else found[0]


def jvp(func: Callable[..., Any], inputs: Tensor | Several, v: Any = None) -> tuple[Any, Any]:
    """Return the results, and how they change along v: the gradient of `vjp` for its weights."""
    with enable_grad():
        leaves = _leaves(inputs, create_graph=False)
        results = func(*leaves)
        weights = tuple(zeros_like(each).requires_grad_() for each in _several(results))
        back = grad(_several(results), leaves, weights, create_graph=True, materialize_grads=True)
        along = (zeros_like(each) + 1 for each in leaves) if v is None else _several(v)
        found = grad(back, weights, tuple(along), materialize_grads=True)
    return _plain(results), found if isinstance(results, tuple) else found[0]


def _several(tensors: Any) -> Several:
    return tensors if isinstance(tensors, tuple) else (tensors,)


def _leaves(inputs: Any, create_graph: bool) -> Several:
    if create_graph:  # what the inputs were made from gets gradients, too
        return tuple(
            each.view_as(each) if each.requires_grad else each.detach().requires_grad_()
            for each in _several(inputs)
        )
    return tuple(detach(each).requires_grad_() for each in _several(inputs))


def _plain(results: Any) -> Any:
    plain = tuple(map(detach, _several(results)))
    return plain if isinstance(results, tuple) else plain[0]


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.autograd.functional")
