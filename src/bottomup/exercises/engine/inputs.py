"""The inputs of a case as data: numbers written out, and numbers that are drawn.

    case(_("two rows"), scores=tensor([[0.0, 1.0], [2.0, 0.0]]), mask=None)
    case(_("random numbers"), seed=1, scores=normal(3, 5, scale=2.0), mask=booleans(3, 5))

An answer gets its inputs by position, so they are listed in the stub's order; they are drawn in
this order, too. What is no `Drawn`, such as a number or a list, is copied for each answer, which
may change it. ``gives=`` is what a right answer returns, worked out by hand: `Case.gives`.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine.exercise import Case, Inputs


@dataclass(frozen=True)
class Drawn:
    """A value that a case makes anew for each answer.

    Args:
        make: makes it from the case's generator.
        random: whether it depends on the generator.
    """

    make: Callable[[torch.Generator], Any]
    random: bool = False

    def then(self, function: Callable[[Any], Any]) -> "Drawn":
        """Return what a function makes of the value, such as a softmax."""
        return Drawn(lambda generator: function(self.make(generator)), self.random)

    def with_gradient(self) -> "Drawn":
        """Return the same tensor, for which the case then asks the gradient."""
        return self.then(lambda value: value.requires_grad_())


def case(name: str, /, *, seed: int = 0, gives: Any = None, **inputs: Any) -> Case:
    """Return a case with these inputs, by the names of the answer's arguments.

    Args:
        name: what the case is about, for the reader.
        seed: of the generator, above 0; without one, nothing may be drawn.
        gives: the value that was worked out by hand, written like an input; None: none was.
        inputs: a `Drawn`, or a value that is copied; containers may hold either.

    Raises:
        ValueError: something is drawn without a seed.
    """
    if not seed and any(isinstance(each, Drawn) and each.random for each in inputs.values()):
        raise ValueError(f"case {name!r}: expected a seed above 0, since numbers are drawn")

    def make(generator: torch.Generator) -> Inputs:
        return {key: made(value, generator) for key, value in inputs.items()}

    by_hand = None if gives is None else lambda: made(gives, torch.Generator())
    return Case(name, make, seed, by_hand)


def made(value: Any, generator: torch.Generator) -> Any:
    """Return a value with each `Drawn` in it replaced by what it makes."""
    if isinstance(value, Drawn):
        return value.make(generator)
    if type(value) in (list, tuple):
        return type(value)(made(each, generator) for each in value)
    if type(value) is dict:
        return {key: made(each, generator) for key, each in value.items()}
    return deepcopy(value)


def tensor(values: Any, *, dtype: torch.dtype | None = None) -> Drawn:
    """Return a tensor that is written out."""
    return Drawn(lambda generator: torch.tensor(values, dtype=dtype))


def normal(*shape: int, scale: float = 1.0, dtype: torch.dtype | None = None) -> Drawn:
    """Return numbers with mean 0 and standard deviation `scale`."""
    return Drawn(
        lambda generator: scale * torch.randn(shape, generator=generator, dtype=dtype), random=True
    )


def uniform(
    *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype | None = None
) -> Drawn:
    """Return numbers between `low` and `high`."""

    def make(generator: torch.Generator) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=generator, dtype=dtype)

    return Drawn(make, random=True)


def integers(*shape: int, low: int = 0, high: int) -> Drawn:
    """Return whole numbers from `low` to `high` - 1."""
    return Drawn(
        lambda generator: torch.randint(low, high, shape, generator=generator), random=True
    )


def booleans(*shape: int, true: float = 0.5) -> Drawn:
    """Return truth values, each True with probability `true`."""
    return Drawn(lambda generator: torch.rand(shape, generator=generator) < true, random=True)
