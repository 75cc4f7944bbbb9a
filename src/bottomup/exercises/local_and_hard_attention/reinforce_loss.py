"""Exercise: a loss whose gradient is the REINFORCE estimate (Xu et al., 2015, section 4.1).

Only the gradient is compared: the value of a surrogate loss is the reader's choice.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.compare import difference
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.gradients import Differentiated
from bottomup.exercises.local_and_hard_attention.reinforce_loss_mistakes import (
    BY_HAND,
    MISCONCEPTIONS,
    TWO_SENTENCES,
)
from bottomup.i18n import _

STUB = '''\
def reinforce_loss(log_likelihood, log_probability, baseline):
    """Return a scalar whose gradient is the REINFORCE estimate.

    log_likelihood: log p(y|z) of the draws, the reward r.
    log_probability: log p(z) of the draws, the same shape.
    baseline: b, of a shape that broadcasts to theirs.

    Minus the mean over draws of grad r + (r - b) grad log p(z).
    The value does not matter, the gradient does.
    """
    ...
'''


def reinforce_loss(
    log_likelihood: torch.Tensor, log_probability: torch.Tensor, baseline: torch.Tensor
) -> torch.Tensor:
    bracket = (log_likelihood - baseline).detach()
    objective = log_likelihood + bracket * log_probability
    return -objective.mean()


def with_two_means(log_likelihood: Tensor, log_probability: Tensor, baseline: Tensor) -> Tensor:
    with torch.no_grad():
        bracket = log_likelihood - baseline
    return -log_likelihood.mean() - (bracket * log_probability).mean()


def with_the_value_of_the_objective(
    log_likelihood: Tensor, log_probability: Tensor, baseline: Tensor
) -> Tensor:
    bracket = log_likelihood.detach() - baseline.detach()
    nothing = log_probability - log_probability.detach()  # 0, with the gradient of log p(z)
    return -(log_likelihood + bracket * nothing).mean()


def with_the_baseline_in_both_terms(
    log_likelihood: Tensor, log_probability: Tensor, baseline: Tensor
) -> Tensor:
    constant = baseline.detach()  # subtracted from the first term, it changes the value alone
    bracket = (log_likelihood - constant).detach()
    return (constant - log_likelihood - bracket * log_probability).mean()


def with_a_loop(log_likelihood: Tensor, log_probability: Tensor, baseline: Tensor) -> Tensor:
    rewards, log_probabilities = log_likelihood.flatten(), log_probability.flatten()
    baselines = baseline.expand(log_likelihood.shape).flatten()
    loss = torch.zeros((), dtype=log_likelihood.dtype)
    for reward, log_p, b in zip(rewards, log_probabilities, baselines, strict=True):
        loss = loss - reward - (reward.item() - b.item()) * log_p
    return loss / len(rewards)


def gradients_of_loss(answer: Callable[..., Any], case: Case) -> Any:
    """Return the gradients of what the answer returns, where that is a loss; else what it is.

    The answer is called twice: on the inputs themselves, so that it is seen if it writes into them,
    and on copies that carry gradients.
    """
    leaves = {name: value.detach().clone().requires_grad_() for name, value in case.inputs.items()}
    plain = answer(*case.inputs.values())
    if not _is_loss(plain, case):
        return plain
    with torch.enable_grad():
        loss = answer(*(leaf.clone() for leaf in leaves.values()))
    if not loss.requires_grad:
        return loss
    found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    return Differentiated(loss.detach(), dict(zip(leaves, found, strict=True)))


def compare_gradients(got: Any, expected: Any, case: Case) -> str | None:
    """Say how the gradients differ, or why there are none; None where they agree."""
    if not isinstance(got, Differentiated):
        if _is_loss(got, case):
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


def _is_loss(value: Any, case: Case) -> bool:
    like = case.inputs["log_likelihood"]
    return (
        isinstance(value, Tensor)
        and value.dim() == 0
        and (value.dtype, value.device) == (like.dtype, like.device)
    )


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "log_likelihood": torch.tensor([-1.0, -3.0]),
        "log_probability": torch.tensor([-0.5, -2.0]),
        "baseline": torch.tensor(-1.5),
    }


def _drawn(
    *shape: int, baseline: tuple[int, ...] = (), double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        def logarithms(*sizes: int) -> Tensor:
            return -3 * torch.rand(sizes, generator=generator, dtype=dtype) - 0.1

        return {
            "log_likelihood": logarithms(*shape),
            "log_probability": logarithms(*shape),
            "baseline": logarithms(*baseline),
        }

    return make


def _without_baseline(generator: torch.Generator) -> Inputs:
    return {**_drawn(2, 3)(generator), "baseline": torch.tensor(0.0)}


def _baseline_met(generator: torch.Generator) -> Inputs:
    inputs = dict(_drawn(3)(generator))
    return inputs | {"baseline": inputs["log_likelihood"].clone()}


CASES = (
    Case(BY_HAND, _hand),
    Case(TWO_SENTENCES, _drawn(2, 3), seed=1),
    Case(_("a baseline of zero"), _without_baseline, seed=2),
    Case(_("one draw"), _drawn(1), seed=3),
    Case(_("a baseline for each sentence"), _drawn(3, 5, baseline=(3, 1)), seed=4),
    Case(_("a baseline for each token, in float64"), _drawn(5, 7, baseline=(5, 7), double=True), 5),
    Case(_("rewards that meet the baseline"), _baseline_met, seed=6),
)

REINFORCE_LOSS = Exercise(
    slug="reinforce-loss",
    title=_("The REINFORCE loss"),
    chapter="01b",
    difficulty=4,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Autograd differentiates what you return. Which expression has the derivative "
            "grad r + (r - b) grad log p(z), if (r - b) were a plain number?"
        ),
        _(
            "r + (r - b) log p(z) would have it. Yet (r - b) depends on the parameters too, and "
            "the product rule would differentiate it."
        ),
        _(
            "`.detach()` returns the same numbers as a constant: detach the bracket, reward and "
            "baseline alike, and leave the first term as it is."
        ),
        _("A loss is minus the objective: the mean over all draws, with a minus sign."),
    ),
    solution=reinforce_loss,
    alternatives=(
        with_two_means,
        with_the_value_of_the_objective,
        with_the_baseline_in_both_terms,
        with_a_loop,
    ),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=gradients_of_loss,
    compare=compare_gradients,
)
