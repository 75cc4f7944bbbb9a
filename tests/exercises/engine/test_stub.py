import functools

import pytest
import torch

from bottomup.exercises import Exercise
from bottomup.exercises.engine.stub import is_unsolved, says_unsolved, stub_answer
from tests.exercises.toy import DOUBLE

CLASS_STUB = """\
class Doubler(nn.Module):
    def __init__(self):
        super().__init__()

    def reset(self):
        pass

    def forward(self, x: "Some[Annotation]") -> Unknown:
        ...
"""
PARTIAL_STUB = """\
def double(x):
    y = ...
    return 2 * y
"""


def with_stub(stub: str) -> Exercise:
    return Exercise(**{**vars(DOUBLE), "stub": stub})


def only_docstring(x):
    """Return twice x."""


def passing(x):
    pass


@functools.wraps(passing)
def wrapped(x):
    return passing(x)


@pytest.mark.parametrize("answer", [only_docstring, passing, wrapped, lambda x: None, ...])
def test_an_empty_body_is_a_stub(answer):
    assert is_unsolved(DOUBLE, answer)


def returns_nothing_yet(x):
    x + x


@pytest.mark.parametrize("answer", [returns_nothing_yet, DOUBLE.solution, torch.add, None, 3])
def test_a_body_that_does_something_is_no_stub(answer):
    assert not is_unsolved(DOUBLE, answer)


def test_a_stub_with_given_lines_is_recognised_as_long_as_it_is_unchanged():
    exercise = with_stub(PARTIAL_STUB)
    namespace: dict = {}
    exec("# in the notebook\n\n" + PARTIAL_STUB, namespace)
    assert is_unsolved(exercise, namespace["double"])
    exec(PARTIAL_STUB.replace("...", "x"), namespace)
    assert not is_unsolved(exercise, namespace["double"])


def test_a_class_is_a_stub_while_a_method_to_fill_in_is_empty():
    exercise = with_stub(CLASS_STUB)
    stub = stub_answer(exercise)
    assert exercise.answer_name == "Doubler"
    assert is_unsolved(exercise, stub)

    class Doubler(torch.nn.Module):
        def reset(self):
            pass

        def forward(self, x):
            return 2 * x

    assert is_unsolved(exercise, Doubler)  # reset is still empty, as in the stub
    Doubler.reset = lambda self: self.zero_grad()
    assert not is_unsolved(exercise, Doubler)


def test_only_a_bare_not_implemented_error_says_unsolved():
    assert says_unsolved(NotImplementedError())
    assert not says_unsolved(NotImplementedError("not implemented for 'Half'"))
    assert not says_unsolved(None)
