"""The files of claims: those of the book have no fault, and a fault is told with its line."""

from pathlib import Path

import pytest

from tools import claims

GOOD = """defaults:
  kind: paper
  source: Nobody (1999), table 1
  section: Nowhere

claims:
  - id: 07.3a
    sentence: It grows.
    paper: "2"
    measured: growth in {steps} steps
    rule: above 0.5 in every seed
    values: plant.growth

  - id: 07.3b
    kind: repetition
    repeats: 07.3a
    sentence: "Elsewhere: {finding}"
    values: tree.growth
"""


def wrong(text: str) -> list[str]:
    return claims.wrong({Path("room/claims.yaml"): text})


def test_the_book_s_claims_have_no_fault() -> None:
    assert claims.wrong() == []
    assert len(claims.paths()) > 40


def test_an_entry_may_leave_the_rest_to_its_defaults_and_to_what_it_repeats() -> None:
    assert wrong(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    paper:", "    papers:", "7: Additional properties are not allowed ('papers' was"),
        ("kind: paper", "kind: papers", "2: 'papers' is not one of"),
        ("id: 07.3b", "id: 07.3a", "14: 07.3a stands at room/claims.yaml:7 too"),
        ("id: 07.3b", "id: seven", "14: 'seven' does not match"),
        ("    measured:", "    sentence:", "10: sentence stands twice"),
        ("above 0.5 in", "over 0.5 in", "7: 07.3a: rule: expected one of"),
        ("repeats: 07.3a", "repeats: 07.9z", "14: 07.3b: repeats 07.9z, which is no claim"),
        ("repeats: 07.3a", "repeats: 07.9", "16: 7.9 is not of type 'string'"),
        ("    repeats: 07.3a\n", "", "14: 07.3b: expected `repeats` for a repetition"),
        ('    paper: "2"\n', "", "7: 07.3a: expected also paper"),
        ("  section: Nowhere", "  section: [", "7: no YAML"),
        ("  - id: 07.3a\n    sentence", "  - sentence", "7: 'id' is a required property"),
        ('    paper: "2"', "    paper: 2", "9: 2 is not of type 'string'"),
    ],
)
def test_a_fault_is_told_with_its_line(old: str, new: str, said: str) -> None:
    found = wrong(GOOD.replace(old, new))
    assert any(each.startswith(f"room/claims.yaml:{said}") for each in found), found
