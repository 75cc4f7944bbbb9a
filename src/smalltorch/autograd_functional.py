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

__all__ = ["jacobian"]

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


def _several(tensors: Any) -> Several:
    return tensors if isinstance(tensors, tuple) else (tensors,)


def _leaves(inputs: Any, create_graph: bool) -> Several:
    if create_graph:  # what the inputs were made from gets gradients, too
        return tuple(
            each.view_as(each) if each.requires_grad else each.detach().requires_grad_()
            for each in _several(inputs)
        )
    return tuple(detach(each).requires_grad_() for each in _several(inputs))


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.autograd.functional")
