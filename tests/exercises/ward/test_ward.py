"""The committed beds: each shows what the record says of its disease, and can be diagnosed."""

from itertools import combinations

import pytest

from bottomup.exercises.ward import bed, twin
from bottomup.exercises.ward.diagnosis import ENOUGH, ENOUGH_FOR_NOTHING, recorded, weighed
from bottomup.experiments.clinic.diseases import HEALTHY
from bottomup.experiments.clinic.signs import READINGS
from bottomup.experiments.clinic.ward.sealed import SEALS, disease_in

pytestmark = pytest.mark.slow

DISEASES = {number: disease_in(name) for number, name in enumerate(SEALS, start=1)}


@pytest.fixture(scope="module")
def chart() -> dict[int, dict[str, float]]:
    """Every reading of every bed, and of the twin as bed 0."""
    beds = {0: twin(), **{number: bed(number) for number in DISEASES}}
    return {number: {name: each.read(name) for name in READINGS} for number, each in beds.items()}


def test_no_reading_of_a_bed_speaks_against_its_disease(chart):
    signs = recorded()
    against = {
        (number, name): value
        for number, disease in {0: HEALTHY, **DISEASES}.items()
        for name, value in chart[number].items()
        if signs[disease][name] not in (None, READINGS[name].outcome(value))
    }
    assert against == {}


def test_all_readings_together_leave_the_disease_alone(chart):
    for number, disease in DISEASES.items():
        taken = {name: (value, chart[0][name]) for name, value in chart[number].items()}
        found = weighed(number, disease, taken, recorded())
        assert found.passed
        expected = (
            {HEALTHY, "positions twice"} if disease in (HEALTHY, "positions twice") else {disease}
        )
        assert set(found.left) == expected


def test_no_other_diagnosis_is_accepted_on_any_evidence(chart):
    for number, disease in DISEASES.items():
        same = {HEALTHY, "positions twice"}
        for other in recorded():
            if other != disease and not {other, disease} <= same:
                taken = {name: (value, chart[0][name]) for name, value in chart[number].items()}
                assert not weighed(number, other, taken, recorded()).passed


@pytest.mark.parametrize("number", DISEASES)
def test_few_readings_are_enough(number: int, chart):
    disease, signs = DISEASES[number], recorded()
    count = ENOUGH if any(signs[disease].values()) else ENOUGH_FOR_NOTHING
    assert any(
        weighed(number, disease, {name: (chart[number][name], 1.0) for name in names}, signs).passed
        for names in combinations(READINGS, count)
    )
