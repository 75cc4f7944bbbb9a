"""A small exercise for the tests of the engine: double a vector."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises import Case, Exercise, Mistake
from bottomup.exercises.engine.exercise import Form

STUB = '''\
def double(x):
    """Return twice x."""
    ...
'''


def mistake(slug: str, *answers: Callable[..., Any], text: str = "", case: str = "") -> Mistake:
    return Mistake(slug, text or slug, "Parts", tuple(map(Form, answers)), case)


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
    source="def double(x):\n    return 2 * x\n",
    solution=double,
    alternatives=(lambda x: x + x,),
    mistakes=(
        Mistake("square", "That is the square.", "Powers", (Form(lambda x: x * x),)),
        mistake("half", lambda x: x / 2, text="That is the half."),
        mistake("none", lambda x: x, lambda x: 1 * x + 1, text="Nothing was done."),
    ),
    cases=(
        Case("two numbers", lambda generator: {"x": torch.tensor([2.0, 3.0])}),
        Case("random", lambda generator: {"x": torch.randn(7, generator=generator)}, seed=1),
        Case("large", lambda generator: {"x": torch.full((53,), 1e4)}),
    ),
)
