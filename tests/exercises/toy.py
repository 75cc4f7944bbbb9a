"""A small exercise for the tests of the engine: double a vector."""

import torch
from torch import Tensor

from bottomup.exercises import Case, Exercise, Misconception

STUB = '''\
def double(x):
    """Return twice x."""
    ...
'''


def double(x: Tensor) -> Tensor:
    return 2 * x


DOUBLE = Exercise(
    slug="double",
    title="Double",
    chapter="00",
    difficulty=1,
    importance=1,
    minutes=1,
    stub=STUB,
    hints=("Add.", "Add x to x."),
    solution=double,
    alternatives=(lambda x: x + x,),
    misconceptions=(
        Misconception("square", lambda x: x * x, "That is the square.", "Powers"),
        Misconception("half", lambda x: x / 2, "That is the half.", "Parts"),
        Misconception("none", lambda x: x, "Nothing was done.", "Parts", (lambda x: 1 * x + 1,)),
    ),
    cases=(
        Case("two numbers", lambda generator: {"x": torch.tensor([2.0, 3.0])}),
        Case("random", lambda generator: {"x": torch.randn(7, generator=generator)}, seed=1),
        Case("large", lambda generator: {"x": torch.full((53,), 1e4)}),
    ),
)
