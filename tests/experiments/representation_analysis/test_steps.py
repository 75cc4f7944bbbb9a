"""Chapter 08's longer trainings: a tiny run, what differs between them, the claims by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bottomup.experiments import Claim, Record, Verdict
from bottomup.experiments.engine.claim import EverySeedAbove
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis.measure import Networks
from bottomup.experiments.representation_analysis.steps import experiment as steps
from tests.experiments.records import record_of
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
    claims = steps.EXPERIMENT.claims(tiny)
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

CHANGE, SHARE = "mlm.change.all.*", "mlm.neighbours.*.share"
INFORMATION = "mlm.information.*.plug_in"
READ, ORIGINAL = "mlm.exchanged.read.*.plug_in", "mlm.exchanged.original.*.plug_in"

# Of the shortest training and of the longest; one between them must not be read.
SHORT: dict[str, Any] = {INFORMATION: (5.2, 4.9, 4.1, 5.0), SHARE: (1, 1, 1, 0.4)}
BETWEEN: dict[str, Any] = {
    INFORMATION: (5.2, 0.1, 0.2, 9.9),
    SHARE: (0, 0, 0, 9.9),
    CHANGE: (7, 0, 7),
    READ: (0, 0, 0, 7),
    ORIGINAL: (0, 0, 0, 9.9),
}
LONG: dict[str, Any] = {
    INFORMATION: (5.2, 4.7, 4.0, 5.1),
    SHARE: (1, 1, 1, 0.7),
    CHANGE: (0.19, 0.11, 0.18),
    READ: (3.7, 3.1, 2.2, 1.5),
    ORIGINAL: (0.5, 0.8, 1.3, 1.7),
}


def claims(short: dict[str, Any] = SHORT, long: dict[str, Any] = LONG) -> dict[str, Claim]:
    """Claims on trainings of 17, 19 and 1,009 steps."""
    runs = [
        {
            name: layers.metrics(changes, factor=factor)
            for name, changes in {
                "steps_1009": long,
                "steps_17": short,
                "steps_19": BETWEEN,
            }.items()
        }
        for factor in layers.FACTORS
    ]
    made = record_of("representation_analysis_steps", runs, {"steps": [1009, 17, 19]})
    return layers.by_id(steps.EXPERIMENT.claims(made))


@pytest.mark.parametrize(
    ("letter", "holds", "short", "long", "fails"),
    [
        ("a", 5.1 - 4.7, {}, {INFORMATION: (5.2, 4.9, 4.1, 4.91)}, 0.01),
        ("b", 1.7 - 1.5, {}, {READ: (3.7, 3.1, 2.2, 1.9)}, 1.7 - 1.9),
        ("c", 0.4 - 0.1, {INFORMATION: (5.2, 4.5, 4.9, 5.0)}, {}, 0.4 - 0.5),
        ("d", 0.7 - 0.4, {SHARE: (0, 0, 0, 0.8)}, {}, 0.7 - 0.8),
        ("e", 0.18 - 0.11, {}, {CHANGE: (0.19, 0.2, 0.18)}, 0.18 - 0.2),
    ],
)
def test_a_claim_holds_and_fails_by_hand(
    letter: str, holds: float, short: dict[str, Any], long: dict[str, Any], fails: float
):
    for found, value, verdict in (
        (claims(), holds, Verdict.HOLDS),
        (claims({**SHORT, **short}, {**LONG, **long}), fails, Verdict.FAILS),
    ):
        claim = found[f"08.8{letter}"]
        assert claim.values == pytest.approx(
            [factor * value for factor in layers.FACTORS], abs=1e-12
        )
        assert claim.verdict == verdict


def test_rules_are_those_of_the_main_record():
    found, main = claims(), layers.main_rules()
    for letter, name in {"a": "08.1d", "b": "08.2e", "d": "08.5a", "e": "08.4d"}.items():
        assert found[f"08.8{letter}"].rule == main[name]
    assert found["08.8c"].rule == EverySeedAbove(0)


def test_what_the_claims_say():
    found = claims()
    assert list(found) == CLAIMS
    assert {claim.section for claim in found.values()} == {"How far the findings carry"}
    layers.assert_readable(list(found.values()))
    for letter in "abe":
        assert found[f"08.8{letter}"].sentence.startswith("Trained 1,009 steps, ")
    assert found["08.8c"].measured.endswith(
        "after 1,009 steps less the same after 17, plug-in nats"
    )
    assert found["08.8d"].measured.endswith("after 1,009 steps less that after 17")
