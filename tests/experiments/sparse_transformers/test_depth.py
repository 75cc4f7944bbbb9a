"""Chapter 07's deep stacks: the two starts, a tiny run, and what a start gains."""

import pytest
import torch

from bottomup import experiments
from bottomup.experiments.sparse_transformers.depth import experiment as depth
from bottomup.experiments.sparse_transformers.depth import quantities
from tests.experiments.records import record_of


def test_the_starts_differ_in_the_maps_that_write_to_the_stream_alone():
    task, layers = depth.TINY, 3
    plain, scaled = (
        dict(depth.untrained(task, 17, 5, layers, scaled=each).named_parameters())
        for each in (False, True)
    )
    different = {name for name in plain if not torch.equal(plain[name], scaled[name])}
    assert len(different) == 2 * layers
    for name in different:
        torch.testing.assert_close(scaled[name], plain[name] / (2 * layers) ** 0.5)


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = depth.run(depth.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert list(tiny.runs[0]["metrics"]) == ["1_unscaled", "1_scaled", "3_unscaled", "3_scaled"]
    for name in tiny.runs[0]["metrics"]:
        assert all(0 < value < 10 for value in tiny.metric(f"{name}.bits"))
    assert [claim.id for claim in experiments.claims(tiny)] == ["07.6d", "07.6e"]


def test_the_scaled_start_gains_what_it_saves():
    metrics = {"32_unscaled": {"bits": 2.25}, "32_scaled": {"bits": 2.0}}
    assert quantities.gain(record_of("x", [metrics], {}), "32") == pytest.approx((0.25,))
