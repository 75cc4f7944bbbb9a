"""Chapter 01b's alignment by score and span: the translators of the main record, and its claims."""

import pytest

from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.local_and_hard_attention import experiment as main
from bottomup.experiments.local_and_hard_attention.alignment import experiment as alignment
from tests.experiments.records import record_of


@pytest.mark.parametrize("preset", ["recorded", "full"])
def test_they_are_four_translators_of_the_main_record(preset: str):
    ours, theirs = alignment.PRESETS[preset], main.PRESETS[preset]
    assert set(ours.variants) < set(theirs.variants)
    assert (ours.steps, ours.half_width) == (theirs.steps, theirs.half_width)
    assert not any(main.Kind.parse(name).input_feeding for name in ours.variants)


@pytest.mark.parametrize("preset", alignment.PRESETS)
def test_a_preset_is_told_from_the_others_by_its_choices(preset: str):
    experiment = alignment.EXPERIMENT
    assert experiment.name_of(experiment.preset(preset)) == preset


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = alignment.run(alignment.PRESETS["tiny"], (0, 1, 2), "cpu")
    for name in alignment.VARIANTS:
        assert all(0 <= value <= 1 for value in tiny.metric(f"{name}.aer"))
    assert [claim.id for claim in alignment.claims(tiny)] == ["01b.5e", "01b.5f", "01b.5g"]


def test_the_claims_by_hand():
    errors = {"location": 0.6, "general": 0.41, "general-local_m": 0.45, "general-local_p": 0.5}
    metrics = {f"translate-{name}": {"aer": value} for name, value in errors.items()}
    claims = alignment.claims(record_of("x", [metrics] * 3, alignment.PRESETS["recorded"]))
    assert [claim.mean for claim in claims] == pytest.approx([0.15, 0.1, 0.04])
    assert [claim.verdict for claim in claims] == [
        Verdict.HOLDS, Verdict.HOLDS, Verdict.FAILS
    ]  # fmt: skip
