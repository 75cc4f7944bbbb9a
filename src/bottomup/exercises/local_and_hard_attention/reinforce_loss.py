"""Exercise: a loss whose gradient is the REINFORCE estimate (Xu et al., 2015, section 4.1).

Only the gradient is compared: the value of a surrogate loss is the reader's choice.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import Differentiated
from bottomup.i18n import _


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


# ---- Mistakes: terms, signs, and what a constant is to autograd

BY_HAND = _("two draws and one baseline")
TWO_SENTENCES = _("two sentences of three tokens")


def _with(objective: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """A wrong answer: minus the mean of another objective, given r, log p(z) and the bracket."""
    return lambda r, log_p, b: -objective(r, log_p, (r - b).detach()).mean()


def _scaled(floor: float, correction: int = 1, centred: bool = False) -> Callable[..., Tensor]:
    """The bracket over its standard deviation, as in recipes of reinforcement learning."""

    def of(r: Tensor, log_p: Tensor, bracket: Tensor) -> Tensor:
        shifted = bracket - bracket.mean() if centred else bracket
        return r + shifted / (bracket.std(correction=correction) + floor) * log_p

    return _with(of)


MISTAKES = (
    Mistake(
        "first-term-moves-the-baseline",
        lambda r, log_p, b: -((r - b) + (r - b).detach() * log_p).mean(),
        case=BY_HAND,
    ),
    Mistake(
        "baseline-with-gradient",
        lambda r, log_p, b: -(r + (r.detach() - b) * log_p).mean(),
        (lambda r, log_p, b: -(r - b + (r.detach() - b) * log_p).mean(),),
        case=BY_HAND,
    ),
    Mistake(
        "reward-with-gradient",
        lambda r, log_p, b: -(r + (r - b.detach()) * log_p).mean(),
        (
            lambda r, log_p, b: -(r + (r - b) * log_p).mean(),
            lambda r, log_p, b: -(r - b + (r - b) * log_p).mean(),
        ),
        case=BY_HAND,
    ),
    Mistake(
        "log-probability-detached",
        lambda r, log_p, b: -(r + (r - b) * log_p.detach()).mean(),
        (lambda r, log_p, b: -(r + (r - b.detach()) * log_p.detach()).mean(),),
        case=BY_HAND,
    ),
    Mistake(
        "product-alone",
        lambda r, log_p, b: -(r * log_p).mean(),
        (
            lambda r, log_p, b: -((r - b) * log_p).mean(),
            lambda r, log_p, b: -((r - b.detach()) * log_p).mean(),
        ),
        case=BY_HAND,
    ),
    Mistake(
        "means-multiplied",
        lambda r, log_p, b: -(r.mean() + (r - b).detach().mean() * log_p.mean()),
        case=BY_HAND,
    ),
    Mistake(
        "likelihood-term-dropped",
        _with(lambda r, log_p, bracket: bracket * log_p),
        (_with(lambda r, log_p, bracket: r.detach() + bracket * log_p),),
        case=BY_HAND,
    ),
    Mistake(
        "score-term-dropped",
        _with(lambda r, log_p, bracket: r + 0 * log_p),
        (
            lambda r, log_p, b: -r.mean(),
            _with(lambda r, log_p, bracket: r + bracket * log_p.detach()),
            lambda r, log_p, b: -(r + (r.detach() - b) * log_p.detach()).mean(),
        ),
        case=BY_HAND,
    ),
    Mistake(
        "sign-inverted", lambda r, log_p, b: (r + (r - b).detach() * log_p).mean(), case=BY_HAND
    ),
    Mistake(
        "likelihood-inverted",
        _with(lambda r, log_p, bracket: bracket * log_p - r),
        (lambda r, log_p, b: -((r - b).detach() * log_p).mean() + r.mean(),),
        case=BY_HAND,
    ),
    Mistake("bracket-inverted", _with(lambda r, log_p, bracket: r - bracket * log_p), case=BY_HAND),
    Mistake(
        "baseline-unused",
        lambda r, log_p, b: -(r + r.detach() * log_p).mean(),
        (lambda r, log_p, b: -(r + r.detach() * log_p - b).mean(),),
        case=BY_HAND,
    ),
    Mistake(
        "own-mean",
        lambda r, log_p, b: -(r + (r - r.mean()).detach() * log_p).mean(),
        (lambda r, log_p, b: -(r + (r - r.mean(-1, keepdim=True)).detach() * log_p).mean(),),
        case=BY_HAND,
    ),
    Mistake(
        "bracket-scaled",
        _scaled(0.0),
        tuple(
            _scaled(floor, correction, centred)
            for floor in (0.0, 1e-8, 1e-6, 1e-5)
            for correction in (1, 0)
            for centred in (False, True)
            if (floor, correction, centred) != (0.0, 1, False)
        ),
        case=TWO_SENTENCES,
    ),
    Mistake(
        "baseline-added", lambda r, log_p, b: -(r + (r + b).detach() * log_p).mean(), case=BY_HAND
    ),
    Mistake(
        "bracket-on-both-terms",
        _with(lambda r, log_p, bracket: bracket * (r + log_p)),
        case=BY_HAND,
    ),
    Mistake(
        "probability-for-its-logarithm",
        _with(lambda r, log_p, bracket: r + bracket * log_p.exp()),
        case=BY_HAND,
    ),
    Mistake(
        "weighted-by-probability",
        _with(lambda r, log_p, bracket: log_p.exp().detach() * (r + bracket * log_p)),
        (
            _with(lambda r, log_p, bracket: log_p.exp() * (r + bracket * log_p)),
            lambda r, log_p, b: -(log_p.exp() * (r + (r - b).detach() * log_p)).sum(),
            lambda r, log_p, b: -(log_p.exp().detach() * (r + (r - b).detach() * log_p)).sum(),
        ),
        case=BY_HAND,
    ),
    Mistake(
        "reward-is-the-likelihood",
        lambda r, log_p, b: -(r + (r.exp() - b).detach() * log_p).mean(),
        case=BY_HAND,
    ),
    Mistake(
        "summed",
        lambda r, log_p, b: -(r + (r - b).detach() * log_p).sum(),
        (
            lambda r, log_p, b: -(r + (r - b).detach() * log_p).sum(-1).mean(),
            lambda r, log_p, b: -(r + (r - b).detach() * log_p).mean(-1).sum(),
        ),
        case=TWO_SENTENCES,
    ),
)


# ---- Cases


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

ANSWERS = Answers(
    solution=reinforce_loss,
    alternatives=(
        with_two_means,
        with_the_value_of_the_objective,
        with_the_baseline_in_both_terms,
        with_a_loop,
    ),
    mistakes=MISTAKES,
    cases=CASES,
    run=gradients_of_loss,
    compare=compare_gradients,
)
