"""The estimators on small decoder steps: enumeration as oracle, by hand, bias, variance."""

import math

import pytest
import torch

from bottomup.experiments.local_and_hard_attention.gradients import estimators
from bottomup.experiments.local_and_hard_attention.gradients.estimators import Errors, Step


def make_step(seed=1):
    generator = torch.Generator().manual_seed(seed)
    return estimators.make_step(positions=5, d_query=3, d_key=2, words=7, generator=generator)


def test_a_step_has_the_sizes_it_was_asked_for():
    step = make_step()
    shapes = {name: tuple(value.shape) for name, value in step.parameters.items()}
    assert shapes == {"W_a": (3, 2), "S": (5, 2), "W_o": (2, 7)}
    assert step.positions == 5 and 0 <= step.word < 7
    assert estimators.distribution(step).sum().item() == pytest.approx(1)
    rewards = estimators.rewards(step)
    logits = step.parameters["S"][3] @ step.parameters["W_o"]
    assert rewards[3].item() == pytest.approx(logits.log_softmax(0)[step.word].item())


def test_the_exact_gradient_is_the_slope_of_the_objective():
    step, nudge = make_step(), 1e-6
    exact = estimators.exact_gradient(step)

    def objective(parameters):
        nudged = Step(step.query, parameters, step.word)
        return float(estimators.distribution(nudged)[0] @ estimators.rewards(nudged))

    offset = 0
    for name, value in step.parameters.items():
        for index in (0, value.numel() - 1):
            up, down = value.clone(), value.clone()
            up.view(-1)[index] += nudge
            down.view(-1)[index] -= nudge
            rise = objective(step.parameters | {name: up}) - objective(
                step.parameters | {name: down}
            )
            assert exact[offset + index].item() == pytest.approx(-rise / (2 * nudge), abs=1e-7)
        offset += value.numel()
    assert offset == len(exact)


@pytest.mark.parametrize("baseline", [0.0, -7.0, "best"])
def test_reinforce_over_all_positions_is_the_exact_gradient(baseline):
    step = make_step()
    b = estimators.best_baseline(step) if baseline == "best" else baseline
    each = estimators.reinforce(step, torch.arange(5)[:, None], b)
    mean = estimators.distribution(step)[0] @ each
    torch.testing.assert_close(mean, estimators.exact_gradient(step), rtol=1e-12, atol=1e-13)


def variance(step, baseline):
    """The exact variance of REINFORCE, summed over parameters."""
    each = estimators.reinforce(step, torch.arange(5)[:, None], baseline)
    missed = (each - estimators.exact_gradient(step)).square().sum(dim=1)
    return float(estimators.distribution(step)[0] @ missed)


def test_the_best_baseline_has_the_least_variance():
    step = make_step()
    best = estimators.best_baseline(step)
    assert variance(step, best) < variance(step, 0.0)
    for other in (best - 0.1, best + 0.1):
        assert variance(step, best) < variance(step, other)


def test_straight_through_misses_the_exact_gradient_in_the_score_and_not_in_the_readout():
    """Given the position, the readout's gradient is right; the way back to the score is not."""
    step, draws = make_step(), 20_000
    generator = torch.Generator().manual_seed(3)
    found = estimators.straight_through(step, draws, temperature=1.0, generator=generator)
    distance = (found.mean(dim=0) - estimators.exact_gradient(step)).abs()
    error = found.std(dim=0) / math.sqrt(draws)
    score, readout = slice(0, 6), slice(-14, None)  # W_a [3, 2] comes first, W_o [2, 7] last
    assert (distance[score] > 10 * error[score]).any()
    assert (distance[readout] < 5 * error[readout]).all()


def test_the_moving_baseline_knows_only_earlier_draws():
    # 0; .1 · (-2) = -.2; .9 · (-.2) + .1 · (-4) = -.58
    met = estimators.moving_baselines(torch.tensor([-2.0, -4.0, -9.0]), decay=0.9)
    assert met.shape == (3, 1)
    assert met.flatten().tolist() == pytest.approx([0, -0.2, -0.58])


def test_errors_by_hand():
    # estimates 1 and 3 on one parameter, 0 and 0 on another; exact (1, 0): mean (2, 0)
    estimates = torch.tensor([[1.0, 0.0], [3.0, 0.0]])
    found = estimators.errors(estimates, torch.tensor([1.0, 0.0]))
    assert found == Errors(exact=1.0, missed=1.0, variance=2.0, chance=1.0)


def test_the_summary_by_hand():
    found = [
        Errors(exact=1.0, missed=5.0, variance=20.0, chance=1.0),
        Errors(exact=3.0, missed=3.0, variance=60.0, chance=3.0),
    ]
    summary = estimators.summarize(found)
    # means: exact 2, missed 4, variance 40, chance 2
    assert summary == {
        "bias": 1.0,
        "bias_error": 1.0,
        "variance": 20.0,
        "missed_by_chance": 3.0,
    }
