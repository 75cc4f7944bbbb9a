"""Chapter 07's deep stacks: the two starts, a tiny run, and its claims by hand."""

import pytest
import torch

from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.sparse_transformers.depth import experiment as depth
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
    assert [claim.id for claim in depth.claims(tiny)] == ["07.6d", "07.6e"]


def test_the_claims_by_hand():
    bits = {"2_unscaled": 2.0, "2_scaled": 1.9, "32_unscaled": 2.25, "32_scaled": 2.0}
    metrics = {name: {"bits": value} for name, value in bits.items()}
    claims = depth.claims(record_of("x", [metrics] * 3, depth.PRESETS["recorded"]))
    assert [claim.mean for claim in claims] == pytest.approx([0.25, 0.15])
    assert [claim.verdict for claim in claims] == [Verdict.HOLDS] * 2
