"""What a run will cost is put together from rehearsed trainings."""

import io
import math
import sys
import time
from dataclasses import replace

import pytest

from bottomup.experiments.engine import registry
from bottomup.experiments.engine.command import main
from bottomup.experiments.engine.plan import Cost, plan, table
from bottomup.experiments.engine.units import Outcome
from bottomup.training.rehearsal import Rehearsal
from tests.experiments.toy import TOY, ToyConfig
from tests.training.test_rehearsal import train

LONG = Rehearsal(
    steps=7200, parameters=1000, flops=10**12, operations=100, kept=4000, seconds=0.5, overhead=2.0
)


def test_a_cost_on_a_core_and_on_a_card_by_hand():
    cost = Cost("a", [LONG, LONG], rest=60.0)
    assert cost.seconds == 2 * 7200 * 0.5 + 60
    assert cost.memory == 16 * 1000 + 4000
    low, high = Cost("a", [LONG], rest=0.0).on_gpu(10e12)
    assert (low, high) == pytest.approx((7200 * 0.1, 7200 * 0.5))
    low, high = Cost("a", [LONG], rest=0.0).on_gpu(1e18)
    assert (low, high) == pytest.approx((7200 * 100 * 5e-6, 7200 * 100 * 20e-6))


def test_every_variant_of_an_experiment_is_rehearsed():
    experiment = registry.experiment("decoder_of_today")
    config = experiment.preset("tiny")
    costs = list(plan(experiment, config, "cpu"))
    assert [cost.variant for cost in costs] == list(experiment.variants(config))[::-1]
    assert all(cost.trainings[0].flops > 0 for cost in costs if cost.trainings)


def test_what_needs_a_trained_network_is_said_to_have_stopped():
    experiment = registry.experiment("circuits")
    costs = list(plan(experiment, experiment.preset("tiny"), "cpu"))
    assert any(cost.stopped for cost in costs)
    assert all(cost.trainings for cost in costs if cost.stopped)


def slow(config, variant, trial):
    """Train, and then decode for half a minute; but for ``fast``, which is over at once."""
    if variant == "trained":
        train(700)
    for _ in range(0 if variant == "fast" else 3000):
        time.sleep(0.01)
    return Outcome({})


def test_what_takes_longer_than_the_limit_is_counted_as_far_as_it_came():
    experiment = replace(TOY, measure=slow)
    config = ToyConfig(variants=("late", "untrained", "trained", "fast"))
    fast, trained, untrained, late = plan(experiment, config, "cpu", limit=2.0)
    assert [each.is_cut for each in (fast, trained, untrained, late)] == [False, True, True, True]
    assert untrained.trainings == () and untrained.rest >= 0
    assert late == Cost("late", (), rest=0.0, is_cut=True)
    assert [each.steps for each in trained.trainings] == [700]
    assert trained.seconds == trained.trainings[0].whole  # what follows may be shorter than here
    assert (fast.trainings, fast.stopped) == ((), "")


def test_what_was_not_counted_to_its_end_is_a_lower_bound():
    cut, stopped = Cost("a", [LONG], rest=0.0, is_cut=True), Cost("b", [], rest=1.0, stopped="why")
    lines = list(table([cut, stopped, Cost("c", [LONG], rest=0.0)], 2))
    assert lines[2].startswith("| a | ≥ 1 | ≥ 1,000 | 1e+03 | ≥ 0 | ≥ 7,200 | ≥ 1 | ≥ ")
    assert lines[3].startswith("| b | ≥ 0 | ≥ 0 | 0 | ≥ 0 | ≥ 0 | ≥ 0.00028 | ≥ ")
    assert lines[4].startswith("| c | 1 | 1,000 | 1e+03 | 0 | 7,200 | 1 | ")
    assert "b: what follows its trainings stopped here (why)" in lines[-2]
    assert lines[-1] == "\n2 seeds: ≥ 4 hours of one core here"


def test_a_person_who_presses_ctrl_c_is_obeyed():
    def interrupted(config, variant, trial):
        raise KeyboardInterrupt

    for limit in (math.inf, 60.0):
        with pytest.raises(KeyboardInterrupt):
            list(plan(replace(TOY, measure=interrupted), ToyConfig(), "cpu", limit=limit))


def test_a_console_without_the_sign_shows_its_number(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["plan", "decoder_of_today", "--preset", "tiny", "--limit", "0"]) == 0
    stream.flush()
    assert b"3 seeds: \\u2265 0 hours" in stream.buffer.getvalue()
