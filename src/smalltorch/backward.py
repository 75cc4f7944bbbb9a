"""The way back: from results towards the leaves, the latest computed first.

So a node is passed when all that comes back to it has arrived.
"""

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from smalltorch.autograd import Edge, Flow, Node, _edge_or_none, fitted
from smalltorch.grad_mode import set_grad_enabled
from smalltorch.tensor import Tensor


class Pass:
    """One way back.

    Args:
        ends: where to go; None for all leaves. Nothing is computed that does not lead there.
        gather: whether leaves add what arrives to their `.grad`.
        retain: whether nodes keep what they need to be passed again.
        create: whether the way back is recorded itself.
    """

    current: "Pass | None" = None

    def __init__(
        self, ends: Sequence[Edge] | None, *, gather: bool, retain: bool, create: bool
    ) -> None:
        self.ends, self._gather, self._retain, self._create = ends, gather, retain, create
        self.found: dict[tuple[int, int], Tensor | None] = {
            (id(node), output): None for node, output in ends or ()
        }
        self._arrived: dict[int, list[Tensor | None]] = {}
        self._waiting: list[tuple[int, int, Node]] = []
        self._leading: set[int] | None = None

    def run(self, roots: Sequence[Flow]) -> None:
        """Go back from the roots."""
        if self.ends is not None:
            self._leading = _leading_to(self.ends, [node for (node, _output), _gradient in roots])
        before, Pass.current = Pass.current, self
        try:
            with set_grad_enabled(self._create):
                for root in roots:
                    self._arrive(*root)
                while self._waiting:
                    _moment, _id, node = heapq.heappop(self._waiting)
                    self._pass(node, self._arrived.pop(id(node)))
        finally:
            Pass.current = before

    def _wanted(self, edge: Edge) -> bool:
        return self._leading is None or id(edge[0]) in self._leading

    def _await(self, node: Node) -> None:
        if id(node) not in self._arrived:
            self._arrived[id(node)] = [None] * node.outputs
            heapq.heappush(self._waiting, (-node.moment, id(node), node))

    def _arrive(self, edge: Edge, gradient: Tensor) -> None:
        node, output = edge
        self._await(node)
        before = self._arrived[id(node)][output]
        self._arrived[id(node)][output] = gradient if before is None else before + gradient

    def _pass(self, node: Node, gradients: list[Tensor | None]) -> None:
        for output, gradient in enumerate(gradients):
            if gradient is not None:
                gradients[output] = self._noticed(node, output, gradient)
        if node.leaf is not None:
            if self._gather and self._wanted((node, 0)):
                _add_to_grad(node.leaf, gradients[0], self._create)
        elif self._leading is None or any(map(self._wanted, node.edges)):
            for before, _output in node.edges:  # passed, too, where no gradient arrives
                if self._leading is None or id(before) in self._leading:
                    self._await(before)
            for edge, gradient in node.back(gradients, self._wanted):
                self._arrive(edge, gradient)
            if not self._retain:
                node.free()

    def _noticed(self, node: Node, output: int, gradient: Tensor) -> Tensor:
        """Show a gradient to all who asked to see it."""
        for hook in list(node.hooks[output]):
            changed = hook(gradient)
            gradient = gradient if changed is None else changed
        for tensor in node.keepers[output]:
            tensor._grad = gradient if tensor._grad is None else tensor._grad + gradient
        if (id(node), output) in self.found:
            self.found[id(node), output] = gradient
        return gradient


def _leading_to(ends: Iterable[Edge], roots: Iterable[Node]) -> set[int]:
    """Return the ids of the nodes from which an end is reached, and of the ends."""
    leading, met = {id(node) for node, _output in ends}, set()
    stack = [(node, False) for node in roots]
    while stack:
        node, is_behind = stack.pop()
        if is_behind:  # all before it have been looked at
            if any(id(before) in leading for before, _output in node.edges):
                leading.add(id(node))
        elif id(node) not in met:
            met.add(id(node))
            stack.append((node, True))
            stack.extend((before, False) for before, _output in node.edges)
    return leading


def _add_to_grad(leaf: Tensor, gradient: Tensor | None, create: bool) -> None:
    if gradient is None:
        return
    if leaf._grad is None:
        leaf._grad = gradient if create else gradient.detach().clone()
    elif create:
        leaf._grad = leaf._grad + gradient
    else:
        leaf._grad.add_(gradient)


# ---- What is called


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add to `.grad` of each leaf, or of the inputs alone, the gradient of these tensors."""
    ends = None
    if inputs is not None:
        inputs = _several(inputs)
        ends = _ends(inputs, "backward")
        for each in inputs:
            each.retain_grad()
    retain = create_graph if retain_graph is None else retain_graph
    roots = _roots(tensors, grad_tensors)
    Pass(ends, gather=True, retain=retain, create=create_graph).run(roots)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of outputs for each input; nothing is added to `.grad`."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    inputs = _several(inputs)
    roots = _roots(outputs, grad_outputs)
    ends = _ends(inputs, "grad")
    retain = create_graph if retain_graph is None else retain_graph
    way = Pass(ends, gather=False, retain=retain, create=create_graph)
    way.run(roots)
    gradients = [way.found[id(node), output] for node, output in ends]
    if materialize_grads:
        return tuple(
            tensor.new_zeros(tensor.shape) if gradient is None else gradient
            for tensor, gradient in zip(inputs, gradients, strict=True)
        )
    if None in gradients and not allow_unused:
        raise RuntimeError(
            f"The differentiated Tensor at index {gradients.index(None)} appears to not have been "
            "used in the graph. Set allow_unused=True if this is the desired behavior."
        )
    return tuple(gradients)


def _several(tensors: Any) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _ends(inputs: list[Tensor], function: str) -> list[Edge]:
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")
    edges = [edge for edge in map(_edge_or_none, inputs) if edge is not None]
    if len(edges) < len(inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edges


def _roots(tensors: Any, gradients: Any) -> list[Flow]:
    """Return where to begin, and with which gradients."""
    outputs = _several(tensors)
    given: list[Any] = [None] * len(outputs) if gradients is None else _several(gradients)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    edges = list(map(_edge_or_none, outputs))
    for place, (output, gradient) in enumerate(zip(outputs, given, strict=True)):
        given[place] = _first_gradient(place, output, gradient, edges[place] is not None)
    if None in edges:
        raise RuntimeError(
            f"element {edges.index(None)} of tensors does not require grad and does not have a "
            "grad_fn"
        )
    return [(edge, gradient) for edge, gradient in zip(edges, given, strict=True) if edge]


def _first_gradient(place: int, output: Tensor, gradient: Any, is_recorded: bool) -> Any:
    if isinstance(gradient, Tensor):
        if gradient.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} and "
                f"output[{place}] has a shape of {output.shape}."
            )
        return fitted(gradient, output.shape, output.dtype)
    if gradient is not None:
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
        )
    if not is_recorded:
        return None
    if output.numel() != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if not output.dtype.is_floating_point:
        raise RuntimeError(
            f"grad can be implicitly created only for real scalar outputs but got {output.dtype}"
        )
    return output.new_ones(output.shape)
