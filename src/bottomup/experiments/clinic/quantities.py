"""Chapter 11: names and quantities in the claims on the diseases."""

from itertools import combinations
from math import log
from typing import Any

from bottomup.data.sequences import FIRST_SYMBOL
from bottomup.experiments.clinic.diseases import HEALTHY, PIPELINES, taught_alike
from bottomup.experiments.clinic.readings import CLOSE, FEW
from bottomup.experiments.clinic.signs import READINGS, SIGNS, recorded
from bottomup.experiments.engine.record import Record

Values = tuple[float, ...]
SIGNED = [
    (disease, reading, sign)
    for disease, shows in SIGNS.items()
    for reading, sign in shows.items()
    if sign is not None
]
PAIRS = [
    (one, other)
    for one, other in combinations(SIGNS, 2)
    if {one, other} != {HEALTHY, "positions twice"}
]


def names(record: Record) -> dict[str, Any]:
    """Return what the readings are compared with, and how many have a sign.

    ``shared`` of them are the healthy network's own numbers, under another disease.
    """
    asked_wrongly = set(taught_alike(HEALTHY)) - {HEALTHY}
    shared = (
        recorded(record, disease, reading) == recorded(record, HEALTHY, reading)
        for disease, reading, _sign in SIGNED
        if disease in asked_wrongly
    )
    return {
        "bands": READINGS,
        "guess": log(FIRST_SYMBOL + record.config["symbols"]),
        "alone": FEW,
        "close": CLOSE,
        "epoch": PIPELINES["schedule stepped per epoch"].steps_of_rate,
        "signed": len(SIGNED),
        "unsigned": sum(map(len, SIGNS.values())) - len(SIGNED),
        "shared": sum(shared),
        "pairs": len(PAIRS),
    }


def otherwise(record: Record) -> Values:
    """Return the number of readings that came out otherwise than their sign says."""
    wrong = (
        [outcome != sign for outcome in _outcomes(record, disease, reading)]
        for disease, reading, sign in SIGNED
    )
    return tuple(map(float, map(sum, zip(*wrong, strict=True))))


def alike(record: Record) -> Values:
    """Return the number of pairs of diseases that no reading with a sign tells apart."""
    return tuple(
        float(sum(_are_alike(record, one, other, seed) for one, other in PAIRS))
        for seed in range(len(record.seeds))
    )


def _are_alike(record: Record, one: str, other: str, seed: int) -> bool:
    return all(
        _outcomes(record, one, reading)[seed] == _outcomes(record, other, reading)[seed]
        for reading in READINGS
        if None not in (SIGNS[one][reading], SIGNS[other][reading])
    )


def _outcomes(record: Record, disease: str, reading: str) -> list[int]:
    return [READINGS[reading].outcome(value) for value in recorded(record, disease, reading)]
