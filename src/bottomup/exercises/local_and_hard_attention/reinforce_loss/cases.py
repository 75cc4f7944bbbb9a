"""Cases of a loss whose gradient is the REINFORCE estimate (Xu et al., 2015, section 4.1).

Only the gradient is compared: the value of a surrogate loss is the reader's choice.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, Inputs, case, tensor, uniform
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import Differentiated
from bottomup.i18n import _


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Return the gradients of what the answer returns, where that is a loss; else what it is.

    The answer is called twice: on the inputs themselves, so that it is seen if it writes into them,
    and on copies that carry gradients.
    """
    leaves = {name: value.detach().clone().requires_grad_() for name, value in case.inputs.items()}
    plain = answer(*case.inputs.values())
    if not is_loss(plain, case):
        return plain
    with torch.enable_grad():
        loss = answer(*(leaf.clone() for leaf in leaves.values()))
    if not loss.requires_grad:
        return loss
    found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    return Differentiated(loss.detach(), dict(zip(leaves, found, strict=True)))


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Say how the gradients differ, or why there are none; None where they agree."""
    if not isinstance(got, Differentiated):
        if is_loss(got, case):
            return _("The result has no gradient: the model could not learn from it.")
        return difference(got, case.inputs["log_likelihood"].new_zeros(()))
    for name, like in case.inputs.items():
        ours, theirs = (
            torch.zeros_like(like) if gradient is None else gradient
            for gradient in (got.gradients[name], expected.gradients[name])
        )
        sentence = difference(ours, theirs)
        if sentence is not None:
            return _(
                "The gradient of {name}: {sentence} The value of the loss is not compared."
            ).format(name=name, sentence=sentence)
    return None


def is_loss(value: Any, case: Case) -> bool:
    like = case.inputs["log_likelihood"]
    return (
        isinstance(value, Tensor)
        and value.dim() == 0
        and (value.dtype, value.device) == (like.dtype, like.device)
    )


def logarithms(*shape: int, dtype: torch.dtype = torch.float32) -> Drawn:
    """Logarithms of probabilities, not too small."""
    return uniform(*shape, low=-0.1, high=-3.1, dtype=dtype)


def gradients(**by_hand: Any) -> Differentiated:
    """What `run` returns, with any value; the baseline gets no gradient."""
    named = {name: torch.tensor(numbers) for name, numbers in by_hand.items()}
    return Differentiated(None, {**named, "baseline": None})


def a_baseline_that_is_met(generator: torch.Generator) -> Inputs:
    log_likelihood, log_probability = (logarithms(3).make(generator) for _term in range(2))
    return {
        "log_likelihood": log_likelihood,
        "log_probability": log_probability,
        "baseline": log_likelihood.clone(),
    }


CASES = (
    case(
        _("two draws and one baseline"),
        log_likelihood=tensor([-1.0, -3.0]),
        log_probability=tensor([-0.5, -2.0]),
        baseline=tensor(-1.5),
        # the brackets are 0.5 and -1.5, and the loss is minus the mean of two draws
        gives=gradients(log_likelihood=[-0.5, -0.5], log_probability=[-0.25, 0.75]),
    ),
    case(
        _("two sentences of three tokens"),
        seed=1,
        log_likelihood=logarithms(2, 3),
        log_probability=logarithms(2, 3),
        baseline=logarithms(),
    ),
    case(
        _("a baseline of zero"),
        seed=2,
        log_likelihood=logarithms(2, 3),
        log_probability=logarithms(2, 3),
        baseline=tensor(0.0),
    ),
    case(
        _("one draw"),
        seed=3,
        log_likelihood=logarithms(1),
        log_probability=logarithms(1),
        baseline=logarithms(),
    ),
    case(
        _("a baseline for each sentence"),
        seed=4,
        log_likelihood=logarithms(3, 5),
        log_probability=logarithms(3, 5),
        baseline=logarithms(3, 1),
    ),
    case(
        _("a baseline for each position, and a bad draw"),
        log_likelihood=tensor([[-1.0, -2.0, -20.0], [-3.0, -1.0, -2.0]]),
        log_probability=tensor([[-0.5, -1.0, -30.0], [-1.5, -0.25, -3.0]]),
        baseline=tensor([-2.0, -1.0, -4.0]),
        # the brackets are 1, -1, -16 and -1, 0, 2, and there are six draws
        gives=gradients(
            log_likelihood=[[-1 / 6] * 3] * 2,
            log_probability=[[-1 / 6, 1 / 6, 16 / 6], [1 / 6, 0.0, -2 / 6]],
        ),
    ),
    case(
        _("a baseline for each token, in float64"),
        seed=5,
        log_likelihood=logarithms(5, 7, dtype=torch.float64),
        log_probability=logarithms(5, 7, dtype=torch.float64),
        baseline=logarithms(5, 7, dtype=torch.float64),
    ),
    Case(
        _("rewards that meet the baseline"),
        a_baseline_that_is_met,
        seed=6,
        gives=lambda: gradients(log_likelihood=[-1 / 3] * 3, log_probability=[0.0] * 3),
    ),
)
