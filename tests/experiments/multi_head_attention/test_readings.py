"""Chapter 03's number of hops: a tiny run and its claims."""

from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.multi_head_attention.readings import experiment as readings
from tests.experiments.records import record_of


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = readings.run(readings.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert set(tiny.runs[0]["metrics"]) == {"hops_1", "hops_3", "hops_6", "hops_6_penalty"}
    assert tiny.metric("hops_1.overlap") == (0.0, 0.0, 0.0)  # one hop overlaps with none
    assert [claim.id for claim in readings.claims(tiny)] == ["03.4c", "03.4d", "03.4e"]


def test_the_claims_compare_six_hops_with_fewer_and_with_the_penalty():
    named = {"hops_1": 0.3, "hops_3": 0.8, "hops_6": 0.9, "hops_6_penalty": 0.95}
    runs = [
        {name: {"all": value + 0.001 * seed} for name, value in named.items()} for seed in range(3)
    ]
    record = record_of("multi_head_attention_readings", runs, readings.PRESETS["recorded"])
    more, penalty, three = readings.claims(record)
    assert round(more.mean, 6) == 0.6 and more.verdict == Verdict.HOLDS
    assert round(penalty.mean, 6) == -0.05 and penalty.verdict == Verdict.FAILS
    assert round(three.mean, 6) == 0.1 and three.verdict == Verdict.HOLDS
