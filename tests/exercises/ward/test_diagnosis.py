"""What evidence excludes, worked out on a small table, and how a diagnosis reads."""

from itertools import combinations

import pytest

from bottomup.exercises import progress
from bottomup.exercises.ward import diagnosis
from bottomup.exercises.ward.diagnosis import (
    ENOUGH,
    ENOUGH_FOR_NOTHING,
    Diagnosis,
    diagnose,
    recorded,
    weighed,
)
from bottomup.experiments.clinic.signs import HIGH, LOW, NORMAL, READINGS

# Two readings beside normal ones; the harmless bug shows nothing, the restless one is undecided.
SIGNS = {
    name: {reading: NORMAL for reading in READINGS} | shows
    for name, shows in {
        "healthy": {},
        "harmless": {},
        "leak": {"row sums": LOW, "asked twice": NORMAL},
        "restless": {"row sums": None, "asked twice": HIGH},
    }.items()
}


def said(disease: str, **values: float) -> Diagnosis:
    taken = {name.replace("_", " "): (value, 1.0) for name, value in values.items()}
    return weighed(7, disease, taken, SIGNS)


def test_a_reading_excludes_what_shows_something_else():
    found = said("leak", row_sums=0.4)
    assert found.findings[0].excludes == ("healthy", "harmless")
    assert found.left == ("leak", "restless")
    assert found.separating == {"restless": ("asked twice",)}
    assert not found.passed
    assert "possible, not shown" in found.heading
    assert "Also fits: restless. A reading that separates them: asked twice." in repr(found)


def test_a_diagnosis_that_alone_is_left_is_accepted():
    found = said("leak", row_sums=0.4, asked_twice=0.0)
    assert found.left == ("leak",)
    assert found.passed
    assert repr(found).splitlines()[0] == "Bed 7, leak: accepted"
    html = found._repr_html_()
    assert "bottomup-passed" in html and "Bed 7, leak: accepted" in html
    assert "row sums: 0.4, on the twin 1. Excludes healthy, harmless." in repr(found)


def test_an_unknown_outcome_excludes_nothing():
    assert "restless" in said("leak", row_sums=1.0).left
    assert "restless" in said("leak", row_sums=0.4).left


def test_a_diagnosis_against_the_evidence_is_excluded():
    found = said("healthy", asked_twice=0.3)
    assert not found.passed
    assert "excluded" in found.heading
    assert "does not fit: asked twice. Others that are left: 1." in repr(found)


def test_what_no_reading_separates_does_not_stand_in_the_way():
    found = said("healthy", row_sums=1.0, asked_twice=0.0)
    assert found.left == ("healthy", "harmless")
    assert found.passed
    assert "no reading of this ward separates them: harmless" in repr(found)


def test_many_diseases_are_counted():
    signs = {f"d{n}": dict(SIGNS["healthy"]) for n in range(8)} | {"leak": SIGNS["leak"]}
    found = weighed(1, "leak", {"row sums": (0.2, 1.0)}, signs)
    assert "Excludes 8 of the list." in repr(found)


def test_where_much_is_left_the_reading_that_excludes_most_is_named():
    signs = {f"d{n}": SIGNS["leak"] | {"weight on padding": HIGH} for n in range(6)}
    found = weighed(1, "healthy", {"asked twice": (0.0, 0.0)}, SIGNS | signs)
    assert "Also fit: 7 of the list. A reading that separates 7 of them: row sums." in repr(found)


@pytest.mark.parametrize(
    ("place", "disease", "evidence", "message"),
    [
        ("bed four", "leak", ["row sums"], 'place: expected a bed such as "bed 4"'),
        (15, "leak", ["row sums"], "number: expected a bed from 1 to 14, got 15"),
        ("bed 4", "leek", ["row sums"], "disease: expected one of 'leak'"),
        (4, "leak", ["rows"], "evidence: expected one of 'row sums'"),
        (4, "leak", [], "evidence: expected a list of readings"),
        (4, "leak", "row sums", "evidence: expected a list of readings"),
        (4, "leak", list(READINGS), "evidence: expected at most 3 readings for 'leak', got 19"),
        (4, "harmless", list(READINGS), "evidence: expected at most 6 readings for 'harmless'"),
    ],
)
def test_bad_arguments_are_named(monkeypatch, place, disease, evidence, message):
    monkeypatch.setattr(diagnosis, "recorded", lambda: SIGNS)
    with pytest.raises(ValueError, match=message):
        diagnose(place, disease, evidence=evidence)


class Lying:
    """What stands for a bed: each reading has one value."""

    def __init__(self, **values: float) -> None:
        self.values = {name.replace("_", " "): value for name, value in values.items()}

    def read(self, reading: str) -> float:
        return self.values[reading]


def test_progress_knows_the_beds_whose_diagnosis_was_accepted(monkeypatch, tmp_path):
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(diagnosis, "recorded", lambda: SIGNS)
    monkeypatch.setattr(diagnosis, "bed", lambda number: Lying(row_sums=0.4, asked_twice=0.0))
    monkeypatch.setattr(diagnosis, "twin", lambda: Lying(row_sums=1.0, asked_twice=0.0))
    assert not diagnose("bed 7", "leak", evidence=["row sums"]).passed
    assert progress().diagnosed == ()
    assert diagnose(7, "leak", evidence=["row sums", "asked twice"]).passed
    assert progress().diagnosed == ("bed 7",)
    assert progress().entries == {"bed 7": {"checks": 2, "passed": True}}


KNOWN_APART = [{LOW, NORMAL}, {NORMAL, HIGH}, {LOW, HIGH}]


def smallest(disease: str) -> int:
    """The fewest readings that exclude all other diseases which any reading can exclude."""
    signs = recorded()
    shows = signs[disease]
    apart = {
        reading: {
            other for other in signs if {shows[reading], signs[other][reading]} in KNOWN_APART
        }
        for reading in READINGS
    }
    wanted = set().union(*apart.values())
    return next(
        count
        for count in range(1, len(READINGS) + 1)
        for names in combinations(READINGS, count)
        if set().union(*(apart[name] for name in names)) == wanted
    )


def test_no_disease_needs_more_readings_than_are_taken():
    nothing = ("healthy", "positions twice")
    needed = {disease: smallest(disease) for disease in recorded()}
    assert max(count for name, count in needed.items() if name not in nothing) == ENOUGH
    assert [needed[name] for name in nothing] == [ENOUGH_FOR_NOTHING] * 2
    assert list(needed.values()).count(1) == 9  # as the chapter's hint says
