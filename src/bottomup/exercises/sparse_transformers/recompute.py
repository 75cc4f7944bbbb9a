"""Exercise: compute again instead of keeping (Chen et al., 2016; Child et al., 2019, 5.4)."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.sparse_transformers.recompute_mistakes import (
    DROPOUT,
    HAND,
    MISCONCEPTIONS,
    NAMED,
    SEVERAL,
    TWICE,
    WEIGHT,
)
from bottomup.exercises.sparse_transformers.recompute_parts import Call
from bottomup.exercises.sparse_transformers.recompute_steps import SETTINGS, compare, run
from bottomup.i18n import _

STUB = '''\
def compute_again(function):
    """Wrap a function so that it is computed again for the gradient.

    function takes tensors and numbers by position, numbers by name, and
    returns one tensor. It may use parameters that are no arguments, and
    draw from torch's random generator on the CPU, as dropout does.
    Returns a function that is called like it, with the same value and,
    after value.backward(), the same gradients of tensors and parameters.
    A call runs function once and keeps no tensor for the backward pass
    but its arguments; the backward pass runs it once more, with the same
    random numbers, and leaves torch's generator as it found it.
    The first argument requires a gradient, unless none is asked for.
    """
    ...
'''


# fmt: off
def compute_again(function: "Call") -> "Call":
    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx: "Any", kwargs: "Any", *args: "Any") -> "Any":  # records nothing
            ctx.args, ctx.kwargs, ctx.state = args, kwargs, torch.get_rng_state()
            return function(*args, **kwargs)
        @staticmethod
        def backward(ctx: "Any", gradient: "Any") -> "Any":
            args = [x.detach().requires_grad_(x.requires_grad) if torch.is_tensor(x) else x
                    for x in ctx.args]
            with torch.random.fork_rng(devices=[]), torch.enable_grad():
                torch.set_rng_state(ctx.state)
                function(*args, **ctx.kwargs).backward(gradient)
            return None, *(getattr(x, "grad", None) for x in args)
    return lambda *args, **kwargs: Again.apply(kwargs, *args)
# fmt: on


def with_checkpoint(function: Call) -> Call:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return wrapped


def with_the_older_checkpoint(function: Call) -> Call:
    """It takes no arguments by name, so they are put into the function first."""

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(lambda *inputs: function(*inputs, **kwargs), *args, use_reentrant=True)

    return wrapped


class _Saved(torch.autograd.Function):
    """The function and its arguments are handed in; tensors are kept as autograd wants it."""

    @staticmethod
    def forward(ctx: Any, function: Call, kwargs: Any, *args: Any) -> Any:
        ctx.function, ctx.kwargs, ctx.state = function, kwargs, torch.default_generator.get_state()
        ctx.save_for_backward(*(x for x in args if isinstance(x, Tensor)))
        ctx.others = [None if isinstance(x, Tensor) else x for x in args]
        return function(*args, **kwargs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        tensors = iter(ctx.saved_tensors)
        inputs = [next(tensors) if x is None else x for x in ctx.others]
        leaves = [
            x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x
            for x in inputs
        ]
        found = torch.default_generator.get_state()
        torch.default_generator.set_state(ctx.state)
        with torch.enable_grad():
            value = ctx.function(*leaves, **ctx.kwargs)
        torch.default_generator.set_state(found)
        torch.autograd.backward(value, gradients)
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in leaves))


def with_saved_tensors(function: Call) -> Call:
    return lambda *args, **kwargs: _Saved.apply(function, kwargs, *args)


def _on(function: str, *x: float) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        # torch.utils.checkpoint loads a compiler when it is first called, which takes seconds. An
        # answer that calls it would be stopped in the middle; making inputs is not stopped.
        checkpoint(torch.sin, torch.zeros(1, requires_grad=True), use_reentrant=False)
        return {"function": function, "x": x}

    return make


_NAMES = (
    HAND, DROPOUT, WEIGHT, NAMED, SEVERAL, TWICE, _("dropout and a parameter"),
    _("without a gradient"),
)  # fmt: skip
_LONG = tuple(i / 16 - 1 for i in range(29))  # so long that no two draws of dropout look alike
_NUMBERS = (
    (0.0, 1.0), _LONG, (0.5, -1.0), (0.0, 0.5, 1.0), (0.5, -1.0, 1.5), _LONG, (1.0, -0.5, 0.25),
    (0.0, 1.0, 2.0),
)  # fmt: skip


CASES = tuple(
    Case(name, _on(function, *numbers))
    for name, function, numbers in zip(_NAMES, SETTINGS, _NUMBERS, strict=True)
)

RECOMPUTE = Exercise(
    slug="recompute",
    title=_("Compute again instead of keeping"),
    chapter="07",
    difficulty=4,
    minutes=25,
    stub=STUB,
    hints=(
        _(
            "What does the backward pass of `x.exp().sin()` need beside x, and what could it "
            "compute again? If there is dropout in the function, what else decides its value?"
        ),
        _(
            "Write a `torch.autograd.Function`: what `forward(ctx, ...)` computes is not recorded, "
            "and `ctx` takes what you put on it, the arguments and `torch.get_rng_state()`. "
            "torch.utils.checkpoint does all of this; use it, or look how."
        ),
        _(
            "In `backward(ctx, gradient)`, detach the tensors, let them require a gradient again, "
            "and run the function inside `torch.enable_grad()`. `value.backward(gradient)` then "
            "reaches the parameters too; the arguments' gradients are returned."
        ),
        _(
            "Set the generator to the kept state before the second run, and put it back after it: "
            "`torch.random.fork_rng(devices=[])` does the second. `apply` takes nothing by name: "
            "hand kwargs in as one argument, with None as its gradient."
        ),
    ),
    solution=compute_again,
    alternatives=(with_checkpoint, with_the_older_checkpoint, with_saved_tensors),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
    compare=compare,
)
