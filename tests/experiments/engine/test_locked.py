"""The freeze: the claims as they stand, the settings it names, and what two columns say."""

import dataclasses

import pytest

from bottomup import results
from bottomup.experiments import Kind, Verdict, experiment
from bottomup.experiments.engine import locked, register
from bottomup.experiments.engine.locked import Column
from tools.register import FILE

HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


@pytest.fixture(scope="module")
def asked() -> dict[str, list]:
    """Return the claims of each record in the freeze, as the code has them."""
    return {name: results.claims(results.load(f"{name}.json")) for name in locked.frozen()}


def test_rules_and_sentences_are_the_frozen_ones(asked) -> None:
    for name, record in locked.frozen().items():
        now = {claim.id: claim for claim in asked[name]}
        for number, frozen in record.claims.items():
            claim = now[number]
            there = (str(claim.kind), type(claim.rule).__name__, claim.margin, claim.sentence)
            assert there == tuple(frozen[k] for k in ("kind", "rule", "margin", "sentence"))


def test_every_statement_of_a_paper_is_asked_again() -> None:
    """Chapter 12 came after the freeze, with rules that its register shows before its record."""
    papers = {claim.id for claim in results.ledger() if claim.kind is Kind.PAPER}
    later = {number for number in papers if number.startswith("12.")}
    frozen = [
        number
        for record in locked.frozen().values()
        for number, claim in record.claims.items()
        if claim["kind"] == Kind.PAPER
    ]
    assert sorted(frozen) == sorted(papers - later)
    assert (len(frozen), len(later)) == (123, 4)


def test_no_seed_is_one_of_the_first_record() -> None:
    for name, record in locked.frozen().items():
        first = results.load(f"{name}.json")
        assert record.seeds == tuple(range(100, 100 + len(record.seeds)))
        assert len(record.seeds) >= len(first.seeds)
        assert not {*record.seeds} & {*first.seeds}


def test_the_second_column_differs_in_the_fields_it_names() -> None:
    for name, record in locked.frozen().items():
        recorded = experiment(name).preset("recorded")
        same = record.config(Column.SAME, recorded)
        assert same == recorded
        if not record.changes:
            assert all(claim["kind"] == Kind.REPETITION for claim in record.claims.values())
            with pytest.raises(ValueError, match="column: expected one of 'same', got 'varied'"):
                record.config(Column.VARIED, recorded)
            continue
        before, after = dataclasses.asdict(same), dataclasses.asdict(
            record.config(Column.VARIED, recorded)
        )  # fmt: skip
        assert flat(after) == flat(before) | record.changes
        factors = {value / flat(before)[path] for path, value in record.changes.items()}
        assert factors == {0.5} if record.kind == "rate" else factors <= {1.5, 5 / 3}


def flat(config: dict, path: str = "") -> dict:
    """Return the fields of a configuration, names joined by dots."""
    found = {}
    for name, value in config.items():
        found |= flat(value, f"{path}{name}.") if isinstance(value, dict) else {path + name: value}
    return found


def test_the_register_holds_the_digest() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert locked.digest() in text
    assert locked.digest() in register.write(register.read(text), locked.digest())


def test_the_freeze_is_the_one_that_was_made() -> None:
    expected = "f646b4ca79a746556add2d48fce00cda7657ecb3289baf5547ee2c7c761455ab"
    assert locked.digest() == expected


@pytest.mark.parametrize(
    ("same", "varied", "expected"),
    [
        (HOLDS, HOLDS, HOLDS),
        (HOLDS, FAILS, FAILS),
        (UNDECIDED, FAILS, FAILS),
        (FAILS, HOLDS, FAILS),
        (HOLDS, UNDECIDED, UNDECIDED),
        (UNDECIDED, UNDECIDED, UNDECIDED),
    ],
)
def test_a_claim_is_confirmed_where_both_columns_hold(same, varied, expected) -> None:
    assert locked.together(same, varied) is expected


def test_an_effect_is_the_distance_to_the_margin_on_the_claim_s_side(asked) -> None:
    for claim in (claim for claims in asked.values() for claim in claims):
        if claim.verdict is not UNDECIDED:
            assert (locked.effect(claim) > 0) == (claim.verdict is HOLDS)
