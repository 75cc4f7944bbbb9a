"""Chapter 08's longer trainings: a tiny run, what differs between them, the claims by hand."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from bottomup.experiments import Claim, Record, Verdict
from bottomup.experiments import representation_analysis as analysis
from bottomup.experiments import representation_analysis_steps as steps
from bottomup.experiments.claim import EverySeedAbove, MeanAbove
from tests.experiments.made_up_layers import every_string, metrics, record

CPU = torch.device("cpu")
TINY = steps.PRESETS["tiny"]
RECORDED = steps.PRESETS["recorded"]
CLAIMS = ["08.8a", "08.8b", "08.8c"]


# ---- A tiny run


@pytest.fixture(scope="module")
def tiny() -> Record:
    return steps.run(TINY, [3], "cpu")


def test_a_tiny_run_gives_every_training_and_every_claim(tiny: Record):
    found = tiny.runs[0]["metrics"]
    assert list(found) == ["steps_3", "steps_5"]
    for table in found.values():
        assert list(table) == ["mlm", "untrained", "untrained_causal"]
    assert found["steps_3"]["mlm"]["loss"] != found["steps_5"]["mlm"]["loss"]
    claims = steps.EXPERIMENT.claims(tiny)
    assert [claim.id for claim in claims] == CLAIMS
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}  # one seed


def test_both_trainings_begin_with_one_network(tiny: Record):
    short, long = tiny.runs[0]["metrics"].values()
    for name in ("untrained", "untrained_causal"):
        assert short[name] == long[name]
    assert short["untrained"] != short["untrained_causal"]


# ---- Presets


def test_trainings_are_named_by_their_steps_and_grow():
    assert list(steps.PRESETS) == ["tiny", "laptop", "recorded", "full"]
    assert steps.variants(RECORDED) == ["steps_600", "steps_1800", "steps_3600", "steps_7200"]
    for config in steps.PRESETS.values():
        assert len(config.steps) >= 2
        assert list(config.steps) == sorted(set(config.steps))
        assert config.base.objectives == ("mlm",)
        assert min(config.steps) > config.base.warmup
    main = analysis.PRESETS["recorded"]
    assert main.steps in RECORDED.steps  # the main record's training is one of them
    base, here = asdict(main), asdict(RECORDED.base)
    assert [name for name in base if base[name] != here[name]] == ["objectives"]


def test_a_training_differs_from_the_base_by_its_steps_alone(tmp_path: Path, monkeypatch):
    seen: list[Any] = []

    def one_start(*given: Any) -> dict[str, Any]:
        seen.append(given)
        return {"mlm": {"loss": 2.5}}

    monkeypatch.setattr(steps, "one_start", one_start)
    path = tmp_path / "unit.pt"
    found = steps.measure(RECORDED, "steps_3600", 7, CPU, path)
    assert found.metrics == {"mlm": {"loss": 2.5}}
    ((config, *others),) = seen
    assert others == [7, CPU, path]
    base, here = asdict(RECORDED.base), asdict(config)
    assert {name: here[name] for name in here if here[name] != base[name]} == {"steps": 3_600}


# ---- Claims

READ, ORIGINAL = "mlm.exchanged.read.*.plug_in", "mlm.exchanged.original.*.plug_in"


def recovering(by: float) -> dict[str, Any]:
    """Numbers of a network that ends above its lowest layer by so much."""
    return {"mlm.information.*.plug_in": (5.2, 4.7, 4.9, 4.7 + by)}


def crossing(by: float) -> dict[str, Any]:
    """Numbers of a network whose original lies above the token read by so much at the top."""
    return {READ: (3.7, 3.1, 2.2, 1.5), ORIGINAL: (0.5, 0.8, 1.3, 1.5 + by)}


def claims(least: list[dict[str, Any]], most: list[dict[str, Any]]) -> dict[str, Claim]:
    """Claims on trainings of 17, 19 and 1,009 steps; the second one must not be read."""
    runs = [
        {
            "steps_17": metrics(short),
            "steps_19": metrics({**recovering(3), **crossing(-3)}),
            "steps_1009": metrics(long),
        }
        for short, long in zip(least, most, strict=True)
    ]
    made = record("representation_analysis_steps", runs, {"steps": [17, 19, 1009]})
    return {claim.id: claim for claim in steps.EXPERIMENT.claims(made)}


def test_claims_compare_the_longest_training_with_the_shortest():
    least = [{**recovering(by), **crossing(-1)} for by in (0.01, 0.02, 0.05)]
    most = [
        {**recovering(by), **crossing(over)} for by, over in ((0.11, 0.2), (0.13, 0.3), (0.17, 0.5))
    ]
    found = claims(least, most)
    assert found["08.8a"].values == pytest.approx((0.11, 0.13, 0.17))
    assert found["08.8b"].values == pytest.approx((0.2, 0.3, 0.5))
    assert found["08.8c"].values == pytest.approx((0.10, 0.11, 0.12))
    assert {claim.verdict for claim in found.values()} == {Verdict.HOLDS}


def test_claims_that_fail():
    least = [{**recovering(by), **crossing(1)} for by in (0.05, 0.07, 0.06)]
    most = [{**recovering(by), **crossing(-0.1)} for by in (0.01, 0.02, 0.03)]
    found = claims(least, most)
    assert found["08.8c"].values == pytest.approx((-0.04, -0.05, -0.03))
    assert {claim.verdict for claim in found.values()} == {Verdict.FAILS}


def test_rules_are_those_of_the_main_record():
    config = {"clusters": 11, "types": 13, "probed": 17}
    made = record("representation_analysis", [{"networks": metrics()}], config)
    main = {claim.id: claim.rule for claim in analysis.EXPERIMENT.claims(made)}
    found = claims([{}], [{}])
    assert found["08.8a"].rule == main["08.1d"] == MeanAbove(0.05)
    assert found["08.8b"].rule == main["08.2e"] == EverySeedAbove(0)
    assert found["08.8c"].rule == EverySeedAbove(0)


def test_what_the_claims_say():
    found = claims([{}], [{}])
    assert list(found) == CLAIMS
    assert {claim.section for claim in found.values()} == {"How far the findings carry"}
    assert found["08.8a"].sentence.startswith("Trained 1,009 steps, MLM recovers")
    assert found["08.8b"].sentence.startswith("Trained 1,009 steps, the curves")
    assert found["08.8c"].measured.startswith("recovery after 1,009 steps less that after 17, nats")
    assert not any("{" in every_string(claim) for claim in found.values())
