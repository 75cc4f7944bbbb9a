import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from bottomup.training import VectorBatch, fit, inverse_square_root, linear, noam
from tests.drawn import global_seed

RELATIVE = [inverse_square_root, linear]


def test_noam_peaks_at_seven_ten_thousandths_for_the_base_model():
    rate = noam(512, 4000)
    assert rate(3999) == pytest.approx(1 / math.sqrt(512 * 4000), rel=1e-12)
    assert round(rate(3999), 6) == 0.000699
    assert max(range(20_000), key=rate) == 3999


def test_noam_by_hand():
    # d_model = 4 halves everything; warm-up 4: n / 8 up to n = 4, then 1 / sqrt(n).
    rate = noam(4, 4)
    expected = [1 / 16, 2 / 16, 3 / 16, 4 / 16, 0.5 / math.sqrt(5)]
    assert [rate(step) for step in range(5)] == pytest.approx(expected)
    assert rate(15) == pytest.approx(1 / 8)
    assert noam(4, 4, factor=3)(15) == pytest.approx(3 / 8)


def test_the_first_step_of_noam_is_defined_and_small():
    assert noam(512, 4000)(0) == pytest.approx(512**-0.5 * 4000**-1.5)
    assert round(noam(512, 4000)(0), 8) == 0.00000017


@given(d_model=st.integers(1, 2000), warmup=st.integers(1, 5000), step=st.integers(0, 10**6))
def test_noam_is_the_papers_formula(d_model, warmup, step):
    n = step + 1
    paper = d_model**-0.5 * min(n**-0.5, n * warmup**-1.5)
    assert noam(d_model, warmup)(step) == pytest.approx(paper, rel=1e-9)


@given(d_model=st.integers(1, 2000), warmup=st.integers(1, 5000), step=st.integers(0, 10**6))
def test_noam_is_the_inverse_square_root_times_its_peak(d_model, warmup, step):
    rate, relative = noam(d_model, warmup), inverse_square_root(warmup)
    assert rate(step) == pytest.approx(relative(step) * rate(warmup - 1), rel=1e-9)


def test_inverse_square_root_by_hand():
    factor = inverse_square_root(4)
    expected = [0.25, 0.5, 0.75, 1.0, math.sqrt(0.8)]
    assert [factor(step) for step in range(5)] == pytest.approx(expected)
    assert factor(15) == pytest.approx(0.5)  # four times the warm-up
    assert factor(63) == pytest.approx(0.25)


def test_linear_by_hand():
    assert [linear(4)(step) for step in (0, 1, 2, 3, 4, 10**9)] == [0.25, 0.5, 0.75, 1, 1, 1]


@pytest.mark.parametrize("schedule", RELATIVE)
def test_a_warm_up_of_one_step_starts_at_the_peak(schedule):
    assert schedule(1)(0) == 1.0


@pytest.mark.parametrize("schedule", [*RELATIVE, lambda warmup: noam(64, warmup)])
@pytest.mark.parametrize("warmup", [1, 2, 7, 100])
def test_the_peak_is_at_warm_up_and_no_step_jumps(schedule, warmup):
    factor = schedule(warmup)
    values = [factor(step) for step in range(5 * warmup)]
    assert max(values) == pytest.approx(values[warmup - 1], rel=1e-12)
    rise = values[0]  # the first step rises from zero
    assert all(0 < value <= values[warmup - 1] * (1 + 1e-12) for value in values)
    assert all(abs(later - earlier) <= rise * (1 + 1e-9) for earlier, later in pairwise(values))


# ---- In training


def steady_gradient(model: nn.Module, batch: VectorBatch) -> Tensor:
    return model(batch.x).sum()


@pytest.mark.parametrize(
    "schedule, rate",
    [(noam(16, 3), 1.0), (inverse_square_root(3), 0.25), (linear(3), 0.25)],
    ids=["noam", "inverse_square_root", "linear"],
)
def test_fit_learns_at_the_scheduled_rate(schedule, rate):
    with global_seed(0):
        model = nn.Linear(2, 1)
    start = model.bias.item()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    history = fit(
        model,
        lambda step: VectorBatch(torch.ones(1, 2)),
        steps=7,
        loss=steady_gradient,
        optimizer=optimizer,
        schedule=schedule,
        max_norm=None,
    )
    expected = [rate * schedule(step) for step in range(7)]
    assert history.learning_rate == pytest.approx(expected)
    assert start - model.bias.item() == pytest.approx(sum(expected), rel=1e-5)  # its gradient is 1


# ---- Bad input


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: noam(0, 5), ValueError, "d_model: expected an integer of at least 1, got 0"),
        (lambda: noam(5.0, 5), TypeError, "d_model: expected an integer, got 5.0"),
        (lambda: noam(5, 0), ValueError, "warmup: expected an integer of at least 1, got 0"),
        (lambda: noam(5, 5, factor=0), ValueError, "factor: expected a number > 0 and < inf"),
        (lambda: noam(5, 5, factor=math.inf), ValueError, "factor: .* got inf"),
        (lambda: noam(5, 5, factor="1"), TypeError, "factor: expected a number, got '1'"),
        (lambda: inverse_square_root(0), ValueError, "warmup: .* at least 1, got 0"),
        (lambda: inverse_square_root(0.5), TypeError, "warmup: expected an integer, got 0.5"),
        (lambda: linear(0), ValueError, "warmup: .* at least 1, got 0"),
        (lambda: linear(None), TypeError, "warmup: expected an integer, got None"),
        (lambda: noam(5, 5)(-1), ValueError, "step: expected an integer of at least 0, got -1"),
        (lambda: inverse_square_root(5)(-1), ValueError, "step: .* at least 0, got -1"),
        (lambda: linear(5)(1.5), TypeError, "step: expected an integer, got 1.5"),
    ],
)
def test_bad_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
