"""Chapter 01b's alignment by score and span: the translators of the main record."""

import pytest

from bottomup import experiments
from bottomup.experiments.local_and_hard_attention import experiment as main
from bottomup.experiments.local_and_hard_attention.alignment import experiment as alignment


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
    assert [claim.id for claim in experiments.claims(tiny)] == ["01b.5e", "01b.5f", "01b.5g"]
