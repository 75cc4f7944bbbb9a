"""Recomputation by hand, with one place where it can go wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

Call = Callable[..., Any]
Answer = Callable[[Call], Call]


@dataclass(frozen=True)
class By:
    """How an answer recomputes; the default is right.

    Args:
        forward_runs, backward_runs: how often the function runs in each pass.
        seed: a seed for both runs in place of the kept state.
        state_after: whether the state is kept after the first run, not before it.
        restores: whether the second run starts from the state of the first.
        puts_back: whether the generator is put back after the second run.
        ones: whether the gradient that comes in is replaced by ones.
        detaches: whether the second run starts from detached arguments.
        by_grad: whether the arguments' gradients are asked for by name, and no others.
        records: whether autograd records the second run.
        passes_names: whether the second run gets what was given by name.
        hands_on: whether the arguments' gradients are returned; else None is, for each of them.
        shares_args: whether all calls keep their arguments in one place.
        shares_state: whether all calls keep the generator's state in one place.
    """

    forward_runs: int = 1
    backward_runs: int = 1
    seed: int | None = None
    state_after: bool = False
    restores: bool = True
    puts_back: bool = True
    ones: bool = False
    detaches: bool = True
    by_grad: bool = False
    records: bool = True
    passes_names: bool = True
    hands_on: bool = True
    shares_args: bool = False
    shares_state: bool = False


def by_hand(**details: Any) -> Answer:
    how = By(**details)

    def compute_again(function: Call) -> Call:
        memory: dict[str, Any] = {}

        class Again(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, kwargs: Any, *args: Any) -> Any:
                ctx.args, ctx.kwargs = args, kwargs
                for _run in range(how.forward_runs):
                    if how.seed is not None:
                        torch.default_generator.manual_seed(how.seed)
                    ctx.state = torch.get_rng_state()
                    value = function(*args, **kwargs)
                if how.state_after:
                    ctx.state = torch.get_rng_state()
                memory.update(args=args, state=ctx.state)
                return value

            @staticmethod
            def backward(ctx: Any, gradient: Tensor) -> Any:
                args = memory["args"] if how.shares_args else ctx.args
                state = memory["state"] if how.shares_state else ctx.state
                found = torch.get_rng_state()
                if how.restores:
                    torch.default_generator.set_state(state)
                leaves = _leaves(args) if how.detaches else list(args)
                for _run in range(how.backward_runs - 1):
                    function(*args, **ctx.kwargs)
                    torch.default_generator.set_state(state)
                with torch.set_grad_enabled(how.records):
                    value = function(*leaves, **(ctx.kwargs if how.passes_names else {}))
                if how.restores and how.puts_back:
                    torch.default_generator.set_state(found)
                gradient = torch.ones_like(value) if how.ones else gradient
                found_gradients = _gradients(value, gradient, leaves, by_grad=how.by_grad)
                return None, *(found_gradients if how.hands_on else [None] * len(leaves))

        return lambda *args, **kwargs: Again.apply(kwargs, *args)

    return compute_again


def _leaves(args: tuple[Any, ...]) -> list[Any]:
    return [
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in args
    ]


def _gradients(value: Tensor, gradient: Tensor, leaves: list[Any], *, by_grad: bool) -> list[Any]:
    if by_grad:
        wanted = [x for x in leaves if _wants(x)]
        found = iter(torch.autograd.grad(value, wanted, gradient))
        return [next(found) if _wants(x) else None for x in leaves]
    value.backward(gradient)
    return [x.grad if isinstance(x, Tensor) else None for x in leaves]


def _wants(x: Any) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


def graph_kept(function: Call) -> Call:
    """A Function that records in its forward pass and keeps what was recorded."""

    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, kwargs: Any, *args: Any) -> Any:
            ctx.leaves = _leaves(args)
            with torch.enable_grad():
                ctx.value = function(*ctx.leaves, **kwargs)
            return ctx.value.detach()

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Any:
            return (None, *_gradients(ctx.value, gradient, ctx.leaves, by_grad=False))

    return lambda *args, **kwargs: Kept.apply(kwargs, *args)


def plain(function: Call) -> Call:
    return lambda *args, **kwargs: function(*args, **kwargs)


def with_checkpoint(**options: Any) -> Answer:
    def compute_again(function: Call) -> Call:
        return lambda *args, **kwargs: checkpoint(
            function, *args, use_reentrant=False, **options, **kwargs
        )

    return compute_again


def run_twice(function: Call) -> Call:
    """Once for the value, once more for the checkpoint."""
    again = with_checkpoint()(function)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        state = torch.get_rng_state()
        with torch.no_grad():
            function(*args, **kwargs)
        torch.default_generator.set_state(state)
        return again(*args, **kwargs)

    return wrapped


def without_gradient(function: Call) -> Call:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            return function(*args, **kwargs)

    return wrapped


def detached(function: Call) -> Call:
    return lambda *args, **kwargs: function(*args, **kwargs).detach()


def arguments_detached(function: Call) -> Call:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return function(*(x.detach() if isinstance(x, Tensor) else x for x in args), **kwargs)

    return wrapped


def arguments_detached_in_a_checkpoint(function: Call) -> Call:
    return arguments_detached(with_checkpoint()(function))


def names_dropped(function: Call) -> Call:
    return lambda *args, **kwargs: checkpoint(function, *args, use_reentrant=False)


def names_refused(function: Call) -> Call:
    return lambda *args: checkpoint(function, *args, use_reentrant=False)
