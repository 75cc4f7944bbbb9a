"""Chapter 08's longer trainings: a tiny run, what differs between them, the claims by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from bottomup import experiments
from bottomup.experiments import Record, Verdict
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis.measure import Networks
from bottomup.experiments.representation_analysis.steps import experiment as steps
from tests.experiments.records import alike
from tests.experiments.representation_analysis import made_up_layers as layers
from tests.experiments.representation_analysis.tiny_layers import CPU, asked

TINY = steps.PRESETS["tiny"]
RECORDED = steps.PRESETS["recorded"]
CLAIMS = [f"08.8{letter}" for letter in "abcde"]


# ---- A tiny run


@pytest.fixture(scope="module")
def tiny() -> Record:
    return steps.run(TINY, [3], "cpu")


def test_a_tiny_run_gives_every_training_and_every_claim(tiny: Record):
    found = tiny.runs[0]["metrics"]
    assert list(found) == ["steps_3", "steps_5"]
    assert [list(table) for table in found.values()] == [["mlm"], ["mlm"]]
    assert found["steps_3"]["mlm"]["loss"] != found["steps_5"]["mlm"]["loss"]
    claims = experiments.claims(tiny)
    assert [claim.id for claim in claims] == CLAIMS
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}  # one seed


# ---- Presets


def test_trainings_are_named_by_their_steps_and_grow():
    assert list(steps.PRESETS) == ["tiny", "laptop", "recorded", "full"]
    assert steps.variants(RECORDED) == ["steps_600", "steps_5400"]
    for config in steps.PRESETS.values():
        assert len(config.steps) >= 2
        assert list(config.steps) == sorted(set(config.steps))
        assert config.base.objectives == ("mlm",)
        assert min(config.steps) > config.base.warmup
    main = analysis.PRESETS["recorded"]
    assert min(RECORDED.steps) < main.steps < max(RECORDED.steps)
    # the networks and measures of the main record, of one start
    assert RECORDED.base == replace(main, objectives=("mlm",), starts=1)


def test_a_training_differs_from_the_base_by_its_steps_alone(tmp_path: Path, monkeypatch):
    seen = asked(monkeypatch, steps, "measure_trained", {"mlm": {"loss": 2.5}})
    path = tmp_path / "unit.pt"
    found = steps.measure(RECORDED, "steps_5400", 7, CPU, path)
    assert found.metrics == {"mlm": {"loss": 2.5}}
    assert seen == [Networks(replace(RECORDED.base, steps=5_400), 7, CPU, path)]
    assert list(tmp_path.iterdir()) == []


# ---- Claims


def test_claims_compare_the_longest_training_with_the_shortest():
    trainings = {  # one between them must not be read
        "steps_1009": {"mlm.information.*.plug_in": (5.2, 4.7, 4.0, 5.1)},
        "steps_17": {
            "mlm.information.*.plug_in": (5.2, 4.9, 4.1, 5.0),
            "mlm.neighbours.*.share": (1, 1, 1, 0.4),
            "mlm.change.all.*": (7, 0, 7),
        },
        "steps_19": {"mlm.information.*.plug_in": (5.2, 0.1, 0.2, 9.9)},
    }
    runs = {name: layers.metrics(changes) for name, changes in trainings.items()}
    config = {"base": layers.CONFIG, "steps": [1009, 17, 19]}
    found = layers.claims(alike(steps.NAME, runs, config))
    values = dict(zip(CLAIMS, (5.1 - 4.7, 1.9 - 1.1, 0.4 - 0.1, 0.95 - 0.4, 0.07), strict=True))
    for number, value in values.items():
        assert found[number].values == pytest.approx([value] * 3)
    assert found["08.8e"].sentence.startswith("Trained 1,009 steps, ")
    assert found["08.8d"].measured.endswith("after 1,009 steps less that after 17")
