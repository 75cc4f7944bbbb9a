"""Computing again in the backward pass what the forward pass did not keep."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from smalltorch import random
from smalltorch.autograd import Function, detach
from smalltorch.autograd_graph import saved_tensors_hooks
from smalltorch.backward import Pass, backward
from smalltorch.grad_mode import enable_grad, is_grad_enabled
from smalltorch.names import lacking
from smalltorch.tensor import Tensor

__all__ = ["checkpoint"]


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Return what a function returns; what it makes on the way is computed again when it is needed.

    Args:
        function: of tensors and anything else.
        args, kwargs: its arguments.
        use_reentrant: whether the backward pass goes through a second run in a pass of its own.
        preserve_rng_state: whether the second run draws the same random numbers.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly.",
            stacklevel=2,
        )
    elif not use_reentrant:
        return _with_hooks(function, args, kwargs, preserve_rng_state)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    return _Again.apply(function, preserve_rng_state, *args)


@contextmanager
def _as_before(state: Tensor | None) -> Iterator[None]:
    """Record, and draw random numbers from an earlier state on; then go on where it was left."""
    found = random.get_rng_state()
    try:
        if state is not None:
            random.set_rng_state(state)
        with enable_grad():
            yield
    finally:
        if state is not None:
            random.set_rng_state(found)


def _with_hooks(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], preserve: bool
) -> Any:
    """Keep a number in place of each tensor; the first one asked for runs the function again."""
    if not is_grad_enabled():
        return function(*args, **kwargs)
    state = random.get_rng_state() if preserve else None
    shapes: list[Any] = []
    again: list[Tensor] = []

    def pack(tensor: Tensor) -> int:
        shapes.append((tensor.shape, tensor.dtype))
        return len(shapes) - 1

    def unpack(place: int) -> Tensor:
        if not again:
            with _as_before(state), saved_tensors_hooks(_noting(again), lambda tensor: tensor):
                function(*args, **kwargs)
            _check(shapes, [(tensor.shape, tensor.dtype) for tensor in again])
        return again[place]

    with saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)


def _noting(kept: list[Tensor]) -> Callable[[Tensor], Tensor]:
    def note(tensor: Tensor) -> Tensor:
        kept.append(detach(tensor))
        return tensor

    return note


class CheckpointError(RuntimeError):
    """Raised where the second run does not do what the first did."""


def _check(first: list[Any], second: list[Any]) -> None:
    if len(first) != len(second):
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original "
            f"forward and recomputation.\nNumber of tensors saved during forward: {len(first)}\n"
            f"Number of tensors saved during recomputation: {len(second)}."
        )
    if first != second:
        raise CheckpointError(
            "torch.utils.checkpoint: Recomputed values for the following tensors have different "
            "metadata than during the forward pass."
        )


class _Again(Function):
    """Run without recording; in the backward pass run once more, and go back through that."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        ctx.function = function
        ctx.state = random.get_rng_state() if preserve else None
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.is_tensor = [isinstance(each, Tensor) for each in args]
        ctx.save_for_backward(*(each for each in args if isinstance(each, Tensor)))
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if Pass.current is not None and Pass.current.ends is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either "
                "set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        tensors = iter(ctx.saved_tensors)
        args = [
            _leaf(next(tensors)) if is_tensor else other
            for is_tensor, other in zip(ctx.is_tensor, ctx.others, strict=True)
        ]
        with _as_before(ctx.state):
            results = ctx.function(*args)
        several = (results,) if isinstance(results, Tensor) else results
        pairs = [
            (result, gradient)
            for result, gradient in zip(several, gradients, strict=True)
            if isinstance(result, Tensor) and result.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([result for result, _gradient in pairs], [gradient for _result, gradient in pairs])
        return None, None, *(each.grad if isinstance(each, Tensor) else None for each in args)


def _leaf(tensor: Tensor) -> Tensor:
    leaf = detach(tensor)
    leaf.requires_grad = tensor.requires_grad
    return leaf


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.utils.checkpoint")
