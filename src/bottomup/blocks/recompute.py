"""Recomputation: forget what a call computed, and compute it again later."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

P = ParamSpec("P")
R = TypeVar("R")


def recompute(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function keep its inputs alone, and run again for the gradient.

    A call gives the same values, and the backward pass the same gradients.
    Between the two it holds the tensors it was given and not those it made on
    the way; the price is a second forward pass. In a stack of N layers, each
    wrapped, what is kept grows by one stream a layer, and only one layer at a
    time has all of its activations.

    It is a decorator of functions and of methods, and takes a module as well::

        @recompute
        def forward(self, x): ...

        x = recompute(layer)(x)

    The second run starts from the state that torch's own random generators had
    before the first, so that dropout drops the same. It must do what the first
    did. A function that draws from a `torch.Generator` handed in, or from
    Python's `random`, gives wrong gradients, as does one whose parameters
    change before the backward pass; one that counts its calls, such as batch
    normalisation, counts twice. The second run may stop as soon as it has what
    the gradient needs. Where no gradient is computed, the function is called as
    it is, once.

    Args:
        function: takes and returns anything; gradients reach tensors among its
            arguments, also those given by name, and parameters that it uses.

    Returns:
        A function with the arguments and the result of `function`. It is no
        module: parameters stay with the module that was wrapped.

    Source: Chen et al. (2016), section 4, for computing again; Child et al.
    (2019), section 5.4, for attention and feed-forward blocks. Chapter 07
    derives it.

    Example:
        >>> x = torch.ones(3, requires_grad=True)
        >>> recompute(torch.exp)(x).sum().backward()
        >>> x.grad
        tensor([2.7183, 2.7183, 2.7183])
    """
    if not callable(function):
        raise TypeError(
            f"function: expected something that can be called, got {function!r}"
        )

    def forgetful(*args: P.args, **kwargs: P.kwargs) -> R:
        if not torch.is_grad_enabled():
            return function(*args, **kwargs)
        # By place, not by name: torch looks there alone for the devices whose
        # generators it saves.
        names, count = tuple(kwargs), len(args)

        def by_place(*values: Any) -> R:
            named = dict(zip(names, values[count:], strict=True))
            return function(*values[:count], **named)

        return checkpoint(
            by_place,
            *args,
            *kwargs.values(),
            use_reentrant=False,
            preserve_rng_state=True,
        )

    # Not a module's attributes: they are its parameters and its state.
    is_module = isinstance(function, nn.Module)
    updated = () if is_module else functools.WRAPPER_UPDATES
    return functools.update_wrapper(forgetful, function, updated=updated)
