"""The register has every claim of the ledger as it is, and refuses one that changed in silence."""

from dataclasses import replace

import pytest

from bottomup import results
from bottomup.experiments import Claim, EverySeedAbove, Kind, Record
from bottomup.experiments.engine import locked, register
from tools.register import FILE, announce, bring_up, missing, unmeasured, update

ENTRIES = register.read(FILE.read_text(encoding="utf-8"))
RECORDS = [results.load(name) for name in results.available()]
NAME = "attention_reversal/recorded"


def test_every_claim_stands_in_the_register_as_it_is():
    """Where this fails: python -m tools.register update."""
    assert missing(ENTRIES, RECORDS) == []


def test_the_file_is_as_it_is_written():
    assert register.write(ENTRIES, locked.digest()) == FILE.read_text(encoding="utf-8")


def test_records_started_with_states_that_the_register_has():
    lacking = {
        number
        for each in RECORDS
        for number in {*(each.registered or {}).items()}
        - {(entry.claim, entry.state.digest) for entry in ENTRIES.get(each.name, ())}
    }
    # 08.8a was reworded together with its record: its sentence names the steps of each.
    assert {number for number, _ in lacking} <= {"08.8a"}


def record() -> Record:
    return results.load("attention_reversal.json")


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"rule": EverySeedAbove(0.05)}, "rule 'above 0.1 in every seed', now 'above 0.05 in"),
        ({"sentence": "It falls by a lot."}, "sentence"),
        ({"values": (0.0, 0.0, 0.0)}, "verdict 'holds', now 'fails'"),
        ({"kind": Kind.PAPER}, "kind 'own', now 'paper'"),
    ],
)
def test_a_claim_that_changed_without_a_line_is_refused(
    changes: dict[str, object], said: str, monkeypatch: pytest.MonkeyPatch
):
    (claim,) = results.claims(record())
    changed = replace(claim, **changes)  # type: ignore[arg-type]
    monkeypatch.setattr(results, "claims", lambda _: [changed])
    (found,) = missing(ENTRIES, [record()])
    assert found.startswith(f"{NAME}: 01.1c has the ") and said in found
    assert missing(update(ENTRIES, [record()]), [record()]) == []


def test_other_seeds_and_a_claim_that_is_gone_are_refused(monkeypatch: pytest.MonkeyPatch):
    three = record()
    more = replace(three, seeds=(*three.seeds, 3), runs=(*three.runs, three.runs[0]))
    assert "seeds '0-2', now '0-3'" in missing(ENTRIES, [more])[0]
    monkeypatch.setattr(results, "claims", lambda _: [])
    assert "now 'dropped'" in missing(ENTRIES, [three])[0]


def test_other_words_for_the_same_numbers_say_so():
    (claim,) = results.claims(record())
    lines = [*ENTRIES[NAME]]
    bring_up(lines, replace(claim, measured="in other words"), record())
    base = record().base_commit[:7]
    assert (lines[-1].seen, lines[-1].same) == (base, True)
    bring_up(lines, replace(claim, measured="something else", values=(0.5, 0.5, 0.6)), record())
    assert (lines[-1].seen, lines[-1].same) == (base, False)


def test_another_configuration_is_a_line_where_its_numbers_are_others():
    (claim,) = results.claims(record())
    before = [*ENTRIES[NAME]]
    wider = replace(record(), config={**record().config, "d_model": 97}, base_commit="abcdef12")
    for values, added in ((claim.values, 0), ((0.5, 0.5, 0.6), 1)):
        lines = [*before]
        bring_up(lines, replace(claim, values=values), wider)
        assert len(lines) - len(before) == added
        assert lines[-1].record == "abcdef1"
        assert lines[-1].seen == (before[-1].record if added else before[-1].seen)


def later(claim: Claim, registered: dict[str, str] | None) -> str | None:
    """What an update says was seen, of a claim with another margin."""
    lines = [*ENTRIES[NAME]]
    changed = replace(claim, rule=EverySeedAbove(0.2))
    bring_up(lines, changed, replace(record(), registered=registered))
    assert lines[-1].entered is None
    return lines[-1].seen


def test_a_line_names_the_record_that_was_there_already():
    (claim,) = results.claims(record())
    base = record().base_commit[:7]
    state = register.asked(replace(claim, rule=EverySeedAbove(0.2)), record().seeds).state
    assert later(claim, None) == base
    assert later(claim, {"01.1c": "other"}) == base
    assert later(claim, {"01.1c": state.digest}) is None  # the record was started with it


def test_a_new_experiment_enters_the_register_before_its_record():
    entries = {name: lines for name, lines in ENTRIES.items() if name != NAME}
    announced = announce(entries, unmeasured("attention_reversal", (0, 1, 2)))
    (claim,) = results.claims(record())
    (line,) = announced[NAME]
    assert line.state == register.asked(claim, record().seeds).state
    assert (line.seen, line.verdict, line.record) == (None, None, None)
    bring_up(announced[NAME], claim, record())
    (after,) = announced[NAME]
    assert (after.seen, after.verdict) == (None, "holds")
    with pytest.raises(ValueError, match="expected an experiment that is new"):
        announce(ENTRIES, record())


def test_the_words_of_what_a_claim_was_are_kept():
    for claim in results.ledger():
        for entry in register.past(claim).earlier:
            assert not entry.sentence.startswith("#") and not entry.measured.startswith("#")
