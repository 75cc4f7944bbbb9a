"""Chapter 11's experiment: a tiny run, and the beds."""

import math
from dataclasses import replace

import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.clinic import quantities
from bottomup.experiments.clinic.config import PRESETS
from bottomup.experiments.clinic.diseases import PIPELINES, taught_alike
from bottomup.experiments.clinic.signs import (
    LOW,
    NORMAL,
    READINGS,
    SIGNS,
    key,
    recorded,
    table,
)
from bottomup.experiments.clinic.ward import experiment as ward
from bottomup.experiments.clinic.ward.sealed import SEALS, TWIN, disease_in
from tests.experiments.records import alike
from tests.experiments.tiny import tiny_run

NAME = "clinic"
TINY = PRESETS["tiny"]


@pytest.fixture(scope="module")
def beds() -> Record:
    return tiny_run("clinic_ward")


def test_three_diseases_share_the_healthy_training(tiny: Record):
    for disease in ("cache not reordered", "dropout on in evaluation"):
        for reading in ("loss at the start", "loss at the end", "peak of the rate"):
            assert recorded(tiny, disease, reading) == recorded(tiny, "healthy", reading)


def test_the_table_keeps_what_trials_and_all_seeds_agree_on(tiny: Record):
    tiny = replace(tiny, seeds=(0, 1, 2), runs=tiny.runs * 3)
    signs = table(tiny)
    assert signs["mask after softmax"]["row sums"] == LOW
    assert signs["healthy"]["row sums"] == NORMAL
    for disease, shows in signs.items():
        for reading, outcome in shows.items():
            found = {READINGS[reading].outcome(v) for v in recorded(tiny, disease, reading)}
            agreed = len(found) == 1 and SIGNS[disease][reading] is not None
            assert outcome == (found.pop() if agreed else None)


def test_a_record_as_the_signs_say_has_none_otherwise_and_no_two_alike():
    def typical(reading: str, sign: int | None) -> float:
        band = READINGS[reading]
        return math.inf * sign if sign else min(band.most, max(band.least, 0.0))

    found = {
        key(disease): {key(reading): typical(reading, sign) for reading, sign in shows.items()}
        for disease, shows in SIGNS.items()
    }
    asked_wrongly = {key(name): found[key(name)] for name in taught_alike("healthy")[1:]}
    record = alike(NAME, {**found, "healthy": found["healthy"] | asked_wrongly}, TINY)
    assert quantities.otherwise(record) == quantities.alike(record) == (0, 0, 0)
    found["no_positions"].update(found["healthy"])
    assert quantities.otherwise(record) == (3, 3, 3)
    assert quantities.alike(record) == (2, 2, 2)


def test_a_bed_keeps_what_was_trained(beds: Record):
    for bed in ("twin", "bed_4"):
        patient = ward.admitted(beds, bed)
        network, chart = ward.train(TINY, PIPELINES[disease_in(bed)], ward.seed_of(bed, 0))
        assert patient.chart.loss == pytest.approx(chart.loss, rel=1e-3)
        assert patient.chart.first_weight == pytest.approx(chart.first_weight, abs=1e-6)
        for got, expected in zip(patient.network.parameters(), network.parameters(), strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-3, atol=1e-4)


def test_a_record_of_beds_names_no_disease(beds: Record):
    found = {disease_in(bed) for bed in SEALS}
    assert len(found) == len(SEALS) == 14
    assert disease_in(TWIN) == "healthy"
    said = f"{beds.runs} {list(beds.arrays)} {beds.config}".lower()
    assert not [name for name in PIPELINES if name in said or key(name) in said]
