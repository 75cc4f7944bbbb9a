"""Computing again for the gradient, of chapter 07: what is counted, and the words of a report."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from bottomup.blocks import recompute
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.edits import edited, read_family
from bottomup.exercises.engine.runner import attempt
from bottomup.exercises.engine.source import run
from tests.exercises.trials.verdicts import is_plain

RECOMPUTE = catalog()["recompute"]
compute_again = RECOMPUTE.solution

pytestmark = pytest.mark.slow  # torch.utils.checkpoint loads a compiler

HAND, DROPOUT, WEIGHT, NAMED, _SEVERAL, TWICE, _BOTH, NO_GRADIENT = range(8)


def with_edit(line: str) -> Callable[..., Any]:
    """The solution with an edit, written as in the exercise's text."""
    return run(edited(RECOMPUTE.source, *read_family(line).edits), "compute_again", line)


def seen(answer: Callable[..., Any], case: int) -> Any:
    trial = attempt(RECOMPUTE, answer, RECOMPUTE.cases[case])
    assert trial.error is None
    return trial.value


def test_the_gradient_by_hand():
    found = seen(compute_again, HAND)
    x = torch.tensor([0.0, 1.0], dtype=torch.float64)
    slope = x.exp().sin().exp() * x.exp().cos() * x.exp()
    torch.testing.assert_close(found["value"], x.exp().sin().exp())
    torch.testing.assert_close(found["gradients"]["x"], slope * torch.tensor([0.5, 1.0]))


@pytest.mark.parametrize("case", range(7))
def test_value_and_gradients_are_those_without_a_wrapper_bit_for_bit(case: int):
    plain, again = seen(lambda function: function, case), seen(compute_again, case)
    assert torch.equal(plain["value"], again["value"])
    for name, gradient in plain["gradients"].items():
        assert torch.equal(gradient, again["gradients"][name])


@pytest.mark.parametrize("case", range(7))
def test_what_is_counted(case: int):
    plain, again = seen(lambda function: function, case), seen(compute_again, case)
    calls = 2 if case == TWICE else 1
    assert plain["runs"] == (calls, 0)
    assert again["runs"] == (calls, calls)
    assert plain["more than the arguments"]
    assert not again["more than the arguments"]
    assert not plain["generator moved"]
    assert not again["generator moved"]


@pytest.mark.parametrize(
    "case, count",
    # results of exp and exp; of exp, the mask and dropout; of tanh and exp; of exp and the sum
    [(HAND, 4), (DROPOUT, 87), (WEIGHT, 6), (NAMED, 6)],
)
def test_numbers_are_counted_beside_parameters_and_arguments(case: int, count: int):
    plain, again = seen(lambda function: function, case), seen(compute_again, case)
    assert plain["numbers kept"] == count
    assert again["numbers kept"] == 0


def test_what_is_kept_is_told_beside_parameters_and_arguments():
    def keeps_one_more(function):
        again = compute_again(function)
        return lambda x, *args, **kwargs: again(x.sin().asin(), *args, **kwargs)

    report = examine(RECOMPUTE, keeps_one_more)
    assert report.mistake is None
    assert "numbers for the backward pass, beside parameters and arguments." in report.message


def test_where_no_gradient_is_asked_for_the_function_runs_once():
    for answer in (compute_again, *RECOMPUTE.alternatives):
        assert seen(answer, NO_GRADIENT)["runs"] == (1, 0)


def test_dropout_drops_something_and_differs_between_calls():
    found, once = seen(compute_again, TWICE), seen(compute_again, DROPOUT)
    assert 0 < (once["value"] == 0).sum() < 29
    assert not torch.equal(found["value"] == 0, once["value"] == 0)


def test_a_value_kept_on_the_context_is_seen():
    def keeps(held: str) -> Callable[..., Any]:
        return with_edit(
            "`return function(…)` → `value = function(…)⏎ctx.held = " + held + "⏎return value`"
        )

    sentence = "The call keeps 2 numbers for the backward pass, beside parameters and arguments."
    assert is_plain(RECOMPUTE, keeps("value"), sentence)
    assert is_plain(RECOMPUTE, keeps("{'value': [value.detach().clone()]}"), sentence)
    assert examine(RECOMPUTE, keeps("value.shape")).passed


def test_the_library_s_function_passes():
    assert examine(RECOMPUTE, recompute).passed


def test_an_object_that_can_be_called_passes():
    class Wrapped:
        def __init__(self, function):
            self.again = compute_again(function)

        def __call__(self, *args, **kwargs):
            return self.again(*args, **kwargs)

    assert examine(RECOMPUTE, Wrapped).passed


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda function: function(torch.ones(2)), "It returned a tensor, expected a function"),
        (lambda function: [function].clear(), "It returned None. Is a `return` missing?"),
        (lambda function: lambda *args, **kwargs: None,
         "The wrapped function's value: It returned None. Is a `return` missing?"),
        (lambda function: lambda *args, **kwargs: function(*args, **kwargs).detach().numpy(),
         "The wrapped function's value: It returned a NumPy array"),
        (with_edit("`return None, *(…)` → `return (*(…),)`"),
         "returned an incorrect number of gradients"),
        (with_edit("`backward(gradient)` → `backward()`"),
         "grad can be implicitly created only for scalar"),
        (lambda function: lambda x, **kwargs: compute_again(function)(x, **kwargs),
         "positional argument"),
        (lambda function: lambda *args, **kwargs: 2 * compute_again(function)(*args, **kwargs),
         "The wrapped function's value: 2 of 2 values differ"),
    ],
)  # fmt: skip
def test_another_wrapper_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(RECOMPUTE, answer, sentence)


def test_a_checked_answer_leaves_the_notebook_as_it_was():
    generator, calls = torch.get_rng_state(), []
    examine(RECOMPUTE, lambda function: torch.no_grad()(function))
    assert torch.is_grad_enabled()
    assert torch.equal(generator, torch.get_rng_state())
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append(t) or t, lambda t: t):
        F.softplus(x).sum().backward()
    assert len(calls) == 1
