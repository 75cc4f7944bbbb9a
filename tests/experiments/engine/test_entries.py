"""Entries of claims, filled from a record: texts, values, defaults, and what a repetition takes."""

from types import ModuleType

import pytest

from bottomup.experiments import EverySeedAbove, EverySeedBelow, Kind, MeanAbove, Record
from bottomup.experiments.engine import entries
from bottomup.experiments.engine.claim import RULES, ResampledAbove, rule
from bottomup.experiments.engine.entries import Filled
from tests.experiments.records import record_of

MAIN = {
    "id": "07.3a",
    "kind": "paper",
    "sentence": "It grows in {steps} steps.",
    "source": "Nobody (1999), table 1",
    "paper": "not stated",
    "measured": "from {lengths[1]}: {mean[plant.growth]:.1f}, at most {max[plant.growth]:g}",
    "rule": "above 0.5 in every seed",
    "values": "plant.growth",
    "section": "Nowhere",
}
AGAIN = {"id": "07.4", "kind": "repetition", "repeats": "07.3a", "sentence": "There: {finding}"}


def record() -> Record:
    runs = [{"plant": {"growth": g, "old": 2.0}, "tree": {"growth": -g}} for g in (3.0, 5.0, 13.0)]
    return record_of("toy", runs, {"steps": 7, "lengths": [2, 11]})


def quantities(**functions: object) -> ModuleType:
    module = ModuleType("quantities")
    module.__dict__.update(functions)
    return module


def claims(*found: dict, module: ModuleType | None = None) -> list:
    filled = Filled(record(), module)
    return [filled.claim({**MAIN, **entry}) for entry in found]


def test_texts_are_filled_from_configuration_and_metrics() -> None:
    (claim,) = claims(MAIN)
    assert claim.sentence == "It grows in 7 steps."
    assert claim.measured == "from 11: 7.0, at most 13"
    (other,) = claims({"measured": "a well-known {mean[tree.growth]:.1f}"})
    assert other.measured == "a well-known −7.0"  # a minus sign, and a hyphen stays
    assert (claim.id, claim.kind, claim.paper_value) == ("07.3a", Kind.PAPER, "not stated")
    assert (claim.rule, claim.values) == (EverySeedAbove(0.5), (3.0, 5.0, 13.0))
    assert (claim.record, claim.digits, claim.known) == ("toy/recorded", 2, "")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("plant.growth - plant.old", (1.0, 3.0, 11.0)),
        ("plant.growth / plant.old", (1.5, 2.5, 6.5)),
        ("twice(plant, growth)", (6.0, 10.0, 26.0)),
        ("one - plant.old", (-1.0, -1.0, -1.0)),
        ("1 - plant.growth", (-2.0, -4.0, -12.0)),
        ("min(plant.growth, plant.old, tree.growth)", (-3.0, -5.0, -13.0)),
        ("max(plant.old, one)", (2.0, 2.0, 2.0)),
        ("abs(plant.old - plant.growth)", (1.0, 3.0, 11.0)),
        ("{best}.growth", (3.0, 5.0, 13.0)),
        ("best.growth", (3.0, 5.0, 13.0)),
    ],
)
def test_values_are_paths_quantities_and_what_lies_between_two(text: str, values: tuple) -> None:
    def twice(record: Record, kind: str, name: str) -> tuple[float, ...]:
        return tuple(2 * value for value in record.metric(f"{kind}.{name}"))

    module = quantities(
        twice=twice, one=lambda record: (1.0,) * 3, names=lambda record: {"best": "plant"}
    )
    (claim,) = claims({"values": text, "room": text}, module=module)
    assert claim.values == claim.room == values


def test_a_quantity_or_a_rule_that_is_not_there_is_named() -> None:
    with pytest.raises(LookupError, match=r"values: expected a path .* of toy, got 'thrice\(a\)'"):
        claims({"values": "thrice(a)"})
    with pytest.raises(LookupError, match="no 'weed' on the path"):
        claims({"values": "weed.growth"})
    with pytest.raises(ValueError, match="rule: expected one of .*, got 'mostly above 2'"):
        rule("mostly above 2")


def test_a_repetition_tells_what_it_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "entry", {"07.3a": MAIN}.__getitem__)
    (claim,) = claims(AGAIN)
    assert claim.sentence == "There: It grows in 7 steps."
    assert (claim.repeats, claim.rule) == ("07.3a", EverySeedAbove(0.5))


def test_a_claim_is_left_out_where_what_it_needs_was_not_measured() -> None:
    filled = Filled(record(), None)
    assert filled.has(["plant.growth", "tree"])
    assert not filled.has(["plant.growth", "weed.growth"])


@pytest.mark.parametrize(
    "each", [EverySeedAbove(-0.25), EverySeedBelow(1 / 3), MeanAbove(5), ResampledAbove(0)]
)
def test_a_rule_is_read_from_what_it_says(each: object) -> None:
    text = each.text.replace("0.333333", repr(1 / 3))  # type: ignore[attr-defined]
    assert rule(text) == each
    assert len(RULES) == 4
