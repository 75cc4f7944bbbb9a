"""Chapter 03's number of hops: a tiny run and its claims."""

from bottomup import experiments
from bottomup.experiments.multi_head_attention.readings import experiment as readings


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = readings.run(readings.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert set(tiny.runs[0]["metrics"]) == {"hops_1", "hops_3", "hops_6", "hops_6_penalty"}
    assert tiny.metric("hops_1.overlap") == (0.0, 0.0, 0.0)  # one hop overlaps with none
    assert [claim.id for claim in experiments.claims(tiny)] == ["03.4c", "03.4d", "03.4e"]
