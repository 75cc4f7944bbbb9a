"""Computing again for the gradient, of chapter 07: what is counted, right ways, typical slips."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from bottomup.blocks import recompute
from bottomup.exercises import catalog
from bottomup.exercises.engine.runner import attempt
from tests.exercises.trials.verdicts import is_plain, named, report_on, wrong_answers

RECOMPUTE = catalog()["recompute"]
compute_again = RECOMPUTE.solution

pytestmark = pytest.mark.slow  # torch.utils.checkpoint loads a compiler

HAND, DROPOUT, WEIGHT, NAMED, SEVERAL, TWICE, _BOTH, NO_GRADIENT = range(8)


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

    report = report_on(RECOMPUTE, keeps_one_more)
    assert report.misconception is None
    assert "numbers for the backward pass, beside parameters and arguments." in report.message


def test_where_no_gradient_is_asked_for_the_function_runs_once():
    for answer in (compute_again, *RECOMPUTE.alternatives):
        assert seen(answer, NO_GRADIENT)["runs"] == (1, 0)


def test_dropout_drops_something_and_differs_between_calls():
    found, once = seen(compute_again, TWICE), seen(compute_again, DROPOUT)
    assert 0 < (once["value"] == 0).sum() < 29
    assert not torch.equal(found["value"] == 0, once["value"] == 0)


def test_a_value_kept_on_the_context_is_seen():
    def keeps(held: Callable[[Tensor], Any]) -> Callable[..., Any]:
        def forward(ctx, function, kwargs, args):
            value = keep(ctx, function, kwargs, args)
            ctx.held = held(value)
            return value

        def backward(ctx, function, gradient):
            with torch.random.fork_rng(devices=[]):
                return state_set_for_good(ctx, function, gradient)

        return by_hand(forward, backward)

    sentence = "The call keeps 2 numbers for the backward pass, beside parameters and arguments."
    assert is_plain(RECOMPUTE, keeps(lambda value: value), sentence)
    assert is_plain(RECOMPUTE, keeps(lambda value: {"value": [value.detach().clone()]}), sentence)
    assert report_on(RECOMPUTE, keeps(lambda value: value.shape)).passed


# ---- Other right answers


def by_the_library(function):
    return recompute(function)


def as_a_class(function):
    class Wrapped:
        def __call__(self, *args, **kwargs):
            return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return Wrapped()


def with_wraps(function):
    @wraps(function)
    def wrapped(*args, **kwargs):
        def closed(*inner):
            return function(*inner, **kwargs)

        return checkpoint(closed, *args, use_reentrant=True, preserve_rng_state=True)

    return wrapped


def by_hand_with_a_generator_state(function):
    """As one would write it after the paper: everything on ctx, gradients by .grad."""

    class Block(torch.autograd.Function):
        @staticmethod
        def forward(ctx, kwargs, *args):
            ctx.rng, ctx.kwargs, ctx.inputs = torch.get_rng_state(), kwargs, args
            with torch.no_grad():
                return function(*args, **kwargs)

        @staticmethod
        def backward(ctx, grad_output):
            now = torch.get_rng_state()
            torch.set_rng_state(ctx.rng)
            inputs = []
            for x in ctx.inputs:
                if torch.is_tensor(x) and x.is_floating_point():
                    x = x.detach().clone()
                    x.requires_grad = True
                inputs.append(x)
            with torch.enable_grad():
                y = function(*inputs, **ctx.kwargs)
            y.backward(grad_output)
            torch.set_rng_state(now)
            return None, *[x.grad if torch.is_tensor(x) else None for x in inputs]

    def wrapped(*args, **kwargs):
        return Block.apply(kwargs, *args)

    return wrapped


def with_saved_tensors_hooks(function):
    """Nothing is packed but a number; the first tensor asked for runs the function again."""

    def wrapped(*args, **kwargs):
        state, found, count = torch.get_rng_state(), [], [0]

        def pack(tensor):
            count[0] += 1
            return count[0] - 1

        def keep(tensor):
            found.append(tensor.detach())
            return tensor.detach()

        def unpack(place):
            if not found:
                with torch.random.fork_rng(devices=[]), torch.enable_grad():
                    torch.set_rng_state(state)
                    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
                        function(*args, **kwargs)
            return found[place]

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return function(*args, **kwargs)

    return wrapped


@pytest.mark.parametrize(
    "answer",
    [by_the_library, as_a_class, with_wraps, by_hand_with_a_generator_state,
     with_saved_tensors_hooks],
)  # fmt: skip
def test_other_ways_to_compute_again_pass(answer: Callable[..., Any]):
    assert report_on(RECOMPUTE, answer).passed


# ---- Slips


def by_hand(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    def answer(function):
        class Block(torch.autograd.Function):
            pass

        Block.forward = staticmethod(
            lambda ctx, kwargs, *args: forward(ctx, function, kwargs, args)
        )
        Block.backward = staticmethod(lambda ctx, gradient: backward(ctx, function, gradient))
        return lambda *args, **kwargs: Block.apply(kwargs, *args)

    return answer


def keep(ctx, function, kwargs, args):
    ctx.args, ctx.kwargs, ctx.state = args, kwargs, torch.get_rng_state()
    return function(*args, **kwargs)


def leaves_of(ctx) -> list[Any]:
    return [
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in ctx.args
    ]


def gradients_of(leaves: list[Any]) -> tuple[Any, ...]:
    return None, *(x.grad if isinstance(x, Tensor) else None for x in leaves)


def without_a_state(ctx, function, gradient):
    leaves = leaves_of(ctx)
    with torch.enable_grad():
        function(*leaves, **ctx.kwargs).backward(gradient)
    return gradients_of(leaves)


def state_set_for_good(ctx, function, gradient):
    torch.set_rng_state(ctx.state)
    return without_a_state(ctx, function, gradient)


def sum_backward(ctx, function, gradient):
    leaves = leaves_of(ctx)
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.set_rng_state(ctx.state)
        function(*leaves, **ctx.kwargs).sum().backward()
    return gradients_of(leaves)


def grad_of_inputs(ctx, function, gradient):
    leaves = leaves_of(ctx)
    wanted = [x for x in leaves if isinstance(x, Tensor) and x.requires_grad]
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.set_rng_state(ctx.state)
        found = torch.autograd.grad(function(*leaves, **ctx.kwargs), wanted, gradient)
    by_leaf = dict(zip(map(id, wanted), found, strict=True))
    return None, *(by_leaf.get(id(x)) for x in leaves)


def one_run_for_each_argument(ctx, function, gradient):
    leaves = leaves_of(ctx)
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        for _argument in range(2):
            torch.set_rng_state(ctx.state)
            value = function(*leaves, **ctx.kwargs)
        value.backward(gradient)
    return gradients_of(leaves)


def without_enable_grad(ctx, function, gradient):
    leaves = leaves_of(ctx)
    function(*leaves, **ctx.kwargs).backward(gradient)
    return gradients_of(leaves)


def without_gradient_of_kwargs(ctx, function, gradient):
    return without_a_state(ctx, function, gradient)[1:]


def scalar_backward(ctx, function, gradient):
    leaves = leaves_of(ctx)
    with torch.enable_grad():
        function(*leaves, **ctx.kwargs).backward()
    return gradients_of(leaves)


def as_a_value(function):
    with torch.no_grad():
        return function


def in_no_grad(function):
    return torch.no_grad()(function)


def through_numpy(function):
    def wrapped(*args, **kwargs):
        return torch.tensor(function(*args, **kwargs).tolist(), dtype=torch.float64)

    return wrapped


def seeded(function):
    def wrapped(*args, **kwargs):
        torch.manual_seed(0)
        return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return wrapped


def with_inputs_detached(function):
    def wrapped(*args, **kwargs):
        args = [x.clone().detach() if isinstance(x, Tensor) else x for x in args]
        return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return wrapped


def inputs_in_a_list(function):
    """The list belongs to the decorator: every call overwrites it."""
    kept: list[Any] = []

    def forward(ctx, function, kwargs, args):
        kept[:] = [args]
        return keep(ctx, function, kwargs, args)

    def backward(ctx, function, gradient):
        ctx.args = kept[0]
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(ctx.state)
            return without_a_state(ctx, function, gradient)

    return by_hand(forward, backward)(function)


def called_first(function):
    def wrapped(*args, **kwargs):
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            function(*args, **kwargs)
        return checkpoint(function, *args, use_reentrant=False, **kwargs)

    return wrapped


def none_for_the_arguments(ctx, function, gradient):
    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(ctx.state)
        return (None,) * len(without_a_state(ctx, function, gradient))


def grad_without_enable_grad(ctx, function, gradient):
    leaves = leaves_of(ctx)
    wanted = [x for x in leaves if isinstance(x, Tensor) and x.requires_grad]
    torch.autograd.grad(function(*leaves, **ctx.kwargs), wanted, gradient)


def keep_late(ctx, function, kwargs, args):
    ctx.args, ctx.kwargs = args, kwargs
    value = function(*args, **kwargs)
    ctx.state = torch.get_rng_state()
    return value


def state_put_back(ctx, function, gradient):
    with torch.random.fork_rng(devices=[]):
        return state_set_for_good(ctx, function, gradient)


def names_forgotten(ctx, function, gradient):
    ctx.kwargs = {}
    return state_put_back(ctx, function, gradient)


SLIPS = {
    "other-random-numbers": [
        by_hand(keep_late, state_put_back),
        lambda function: (
            lambda *args, **kwargs: checkpoint(
                function, *args, use_reentrant=False, preserve_rng_state=False, **kwargs
            )
        ),
        by_hand(keep, without_a_state),
    ],
    "names-not-passed": [
        by_hand(keep, names_forgotten),
        lambda function: lambda *args: compute_again(function)(*args),
    ],
    "second-run-not-recorded": [
        by_hand(keep, without_enable_grad),
        by_hand(keep, grad_without_enable_grad),
    ],
    "gradients-not-handed-on": by_hand(keep, none_for_the_arguments),
    "nothing-forgotten": [lambda function: function, as_a_value],
    "no-gradient": [in_no_grad, through_numpy],
    "generator-not-put-back": by_hand(keep, state_set_for_good),
    "incoming-gradient-ignored": by_hand(keep, sum_backward),
    "parameters-without-gradient": by_hand(keep, grad_of_inputs),
    "one-run-too-many": [by_hand(keep, one_run_for_each_argument), called_first],
    "one-memory-for-all-calls": inputs_in_a_list,
    "arguments-detached": with_inputs_detached,
    "seeded-in-each-run": seeded,
}


@wrong_answers(SLIPS)
def test_a_slip_in_computing_again_is_named(wrong, mistake: str):
    assert named(RECOMPUTE, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda function: function(torch.ones(2)), "It returned a tensor, expected a function"),
        (lambda function: [function].clear(), "It returned None. Is a `return` missing?"),
        (lambda function: lambda *args, **kwargs: None,
         "The wrapped function's value: It returned None. Is a `return` missing?"),
        (lambda function: lambda *args, **kwargs: function(*args, **kwargs).detach().numpy(),
         "The wrapped function's value: It returned a NumPy array"),
        (by_hand(keep, without_gradient_of_kwargs), "returned an incorrect number of gradients"),
        (by_hand(keep, scalar_backward), "grad can be implicitly created only for scalar"),
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
    report_on(RECOMPUTE, in_no_grad)
    assert torch.is_grad_enabled()
    assert torch.equal(generator, torch.get_rng_state())
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append(t) or t, lambda t: t):
        F.softplus(x).sum().backward()
    assert len(calls) == 1
