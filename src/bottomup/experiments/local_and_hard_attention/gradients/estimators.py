"""Chapter 01b: gradient estimators of hard attention, on a step small enough to enumerate.

One query reads one of a few source vectors, and a linear readout predicts one word from it:

``scores = q W_a S^T``, ``z ~ softmax(scores)``, ``log p(y | z) = log softmax(S_z W_o)[y]``

Every estimate is a gradient of minus the objective by all parameters at once: W_a, the source
vectors S (they are key and value, so both terms of the gradient reach them) and W_o. The functions
of the library do the work; here each draw gets parameters of its own, so that one call of autograd
gives the gradients of all draws apart.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from bottomup.attention import (
    dot_scores,
    expected_log_likelihood,
    gumbel_straight_through,
    masked_softmax,
    moving_baseline,
    one_hot_positions,
    position_log_probability,
    reinforce_loss,
    sample_positions,
)

Parameters = dict[str, Tensor]
LossOfDraws = Callable[[Parameters], Tensor]


@dataclass(frozen=True)
class Step:
    """One decoder step: what is given, and the parameters that learn.

    Attributes:
        query: q, [1, d_query].
        parameters: W_a [d_query, d_key], S [source, d_key], W_o [d_key, words].
        word: the right word y.
    """

    query: Tensor
    parameters: Parameters
    word: int

    @property
    def positions(self) -> int:
        """Number of source positions."""
        return self.parameters["S"].shape[0]

    def scores(self, parameters: Parameters) -> Tensor:
        """Return ``q W_a S^T`` for each draw, [draws, 1, source]: the general score."""
        return dot_scores(self.query @ parameters["W_a"], parameters["S"])

    def log_likelihood(self, parameters: Parameters, weights: Tensor) -> Tensor:
        """Return log p(y | what the weights read), [draws, query], in nats."""
        logits = weights @ parameters["S"] @ parameters["W_o"]
        return logits.log_softmax(dim=-1)[..., self.word]


def make_step(
    *, positions: int, d_query: int, d_key: int, words: int, generator: torch.Generator
) -> Step:
    """Draw a step whose scores and logits have about unit variance, as in an untrained model."""

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    parameters = {
        "W_a": normal(d_query, d_key) / (d_query * d_key) ** 0.5,
        "S": normal(positions, d_key),
        "W_o": normal(d_key, words) / d_key**0.5,
    }
    word = int(torch.randint(words, (), generator=generator))
    return Step(normal(1, d_query), parameters, word)


def gradients(step: Step, loss: LossOfDraws, draws: int) -> Tensor:
    """Return the gradient of each draw's loss by all parameters, [draws, parameters].

    `loss` gets parameters with a leading axis of draws and returns the mean of their losses.
    """
    own = {
        name: value.expand(draws, *value.shape).clone().requires_grad_()
        for name, value in step.parameters.items()
    }
    found = torch.autograd.grad(draws * loss(own), list(own.values()))
    return torch.cat([gradient.flatten(start_dim=1) for gradient in found], dim=1)


def exact_gradient(step: Step) -> Tensor:
    """Return the gradient of minus the objective, by enumeration, [parameters]."""
    everywhere = torch.eye(step.positions, dtype=torch.float64)  # one query for each position

    def loss(parameters: Parameters) -> Tensor:
        weights = masked_softmax(step.scores(parameters))
        log_likelihood = step.log_likelihood(parameters, everywhere)[:, None]
        return -expected_log_likelihood(weights, log_likelihood).mean()

    return gradients(step, loss, 1)[0]


def reinforce(step: Step, positions: Tensor, baseline: float | Tensor = 0.0) -> Tensor:
    """Return REINFORCE's gradient for each of the drawn positions [draws, 1]."""

    def loss(parameters: Parameters) -> Tensor:
        weights = masked_softmax(step.scores(parameters))
        chosen = one_hot_positions(positions, step.positions, dtype=torch.float64)
        log_likelihood = step.log_likelihood(parameters, chosen)
        log_probability = position_log_probability(weights, positions)
        return reinforce_loss(log_likelihood, log_probability, baseline)

    return gradients(step, loss, len(positions))


def straight_through(
    step: Step, draws: int, *, temperature: float, generator: torch.Generator
) -> Tensor:
    """Return Gumbel straight-through's gradient for each draw."""

    def loss(parameters: Parameters) -> Tensor:
        weights = gumbel_straight_through(
            step.scores(parameters), temperature=temperature, generator=generator
        )
        return -step.log_likelihood(parameters, weights).mean()

    return gradients(step, loss, draws)


def draw(step: Step, draws: int, *, generator: torch.Generator) -> Tensor:
    """Draw positions from the step's distribution, [draws, 1]."""
    weights = distribution(step).expand(draws, 1, -1)
    return sample_positions(weights, generator=generator)


def distribution(step: Step) -> Tensor:
    """Return p(z), [1, source]."""
    return masked_softmax(step.scores(step.parameters))


def rewards(step: Step) -> Tensor:
    """Return log p(y | z = j) for each position j, [source]."""
    everywhere = torch.eye(step.positions, dtype=torch.float64)
    return step.log_likelihood(step.parameters, everywhere)


def best_baseline(step: Step) -> float:
    """Return the constant baseline with the least variance of the gradient, all parameters summed.

    With a baseline b the gradient of position z is ``g_z + b s_z``, s_z = grad log p(z), and its
    mean does not depend on b. So ``E|g + b s|^2`` is least at ``b = -E[g · s] / E[s · s]``.
    """
    every = torch.arange(step.positions)[:, None]
    without = reinforce(step, every)
    score = reinforce(step, every, 1.0) - without
    probability = distribution(step)[0]
    together = probability @ (without * score).sum(dim=1)
    return -float(together / (probability @ score.square().sum(dim=1)))


def moving_baselines(drawn_rewards: Tensor, *, decay: float) -> Tensor:
    """Return the baseline that each draw meets, one draw a step, starting from 0, [draws, 1]."""
    value = torch.zeros((), dtype=drawn_rewards.dtype)
    met = []
    for reward in drawn_rewards:
        met.append(value)
        value = moving_baseline(value, reward, decay=decay)
    return torch.stack(met)[:, None]


@dataclass(frozen=True)
class Errors:
    """How far estimates lie from the exact gradient g; squared lengths over all parameters.

    Attributes:
        exact: ``|g|^2``.
        missed: ``|m - g|^2``, m the mean of the estimates. It holds the squared bias and chance.
        variance: of one estimate, the sum over parameters.
        chance: ``variance / draws``, what `missed` is on average where there is no bias.
    """

    exact: float
    missed: float
    variance: float
    chance: float


def errors(estimates: Tensor, exact: Tensor) -> Errors:
    """Compare estimates [draws, parameters] with the exact gradient [parameters]."""
    variance = float(estimates.var(dim=0).sum())
    missed = float((estimates.mean(dim=0) - exact).square().sum())
    return Errors(float(exact.square().sum()), missed, variance, variance / len(estimates))


def summarize(found: list[Errors]) -> dict[str, float]:
    """Return squared bias and variance over several steps, by the gradient's squared length.

    - ``bias``: mean of `missed` less `chance`, which is the squared bias on average; it can come
      out below zero. Divided by the mean squared length of the exact gradients.
    - ``bias_error``: mean of `chance`, divided alike: the Monte-Carlo error of ``bias``.
    - ``variance``: mean variance of one estimate, divided alike.
    - ``missed_by_chance``: mean over steps of `missed` / `chance`; 1 on average without a bias.
    """
    count = len(found)
    length = sum(one.exact for one in found) / count
    chance = sum(one.chance for one in found) / count
    missed = sum(one.missed for one in found) / count
    return {
        "bias": (missed - chance) / length,
        "bias_error": chance / length,
        "variance": sum(one.variance for one in found) / count / length,
        "missed_by_chance": sum(one.missed / one.chance for one in found) / count,
    }
