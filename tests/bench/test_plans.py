"""What every experiment would cost is summed over its variants, and bounded where it is stopped."""

import time

import pytest

from bench.plans import at_most, planned
from bottomup.experiments.engine import registry


def test_a_block_that_takes_too_long_is_stopped_and_a_short_one_is_not():
    with at_most(30.0):
        pass
    with pytest.raises(TimeoutError, match="0 s are over"), at_most(0.05):
        compute(10.0)
    compute(0.1)  # the timer is off again


def compute(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_a_preset_is_summed_over_its_variants():
    experiment = registry.experiment("decoder_of_today")
    plan = planned(experiment, "tiny", 60.0)
    assert plan["variants"] == len(experiment.variants(experiment.preset("tiny")))
    assert 0 < plan["trainings"] <= plan["variants"]
    assert plan["bytes"] > 16 * plan["parameters"] > 0
    assert plan["stopped"] == 0
    assert all(0 < low < high for low, high in plan["gpu_hours"].values())


def test_what_is_stopped_is_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bench.plans.LEAST", 0.01)
    plan = planned(registry.experiment("decoder_of_today"), "laptop", 0.01)
    assert 0 < plan["stopped"] <= plan["variants"]  # one that trains nothing may end in time
