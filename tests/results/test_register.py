"""The register has every claim of the ledger as it is, and refuses one that changed in silence."""

from dataclasses import replace

import pytest

from bottomup import results
from bottomup.experiments import Claim, EverySeedAbove, Kind, Record
from bottomup.experiments.engine import register, said
from tools.register import FILE, SAID, announce, bring_up, missing, unmeasured, update

ENTRIES = register.read(FILE.read_text(encoding="utf-8"))
RECORDS = [results.load(name) for name in results.available()]
NAME = "attention_reversal/recorded"


def test_every_claim_stands_in_the_register_as_it_is():
    """Where this fails: python -m tools.register update."""
    assert missing(ENTRIES, RECORDS) == []


def test_the_file_is_as_it_is_written():
    assert register.write(ENTRIES) == FILE.read_text(encoding="utf-8")


def record() -> Record:
    return results.load("attention_reversal.json")


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"rule": EverySeedAbove(0.05)}, "rule 'above 0.1 in every seed', now 'above 0.05 in"),
        ({"sentence": "It falls by a lot."}, "sentence"),
        ({"measured": "something else"}, "measure"),
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
    assert lines[-1].seen == f"{base}="
    bring_up(lines, replace(claim, measured="something else", values=(0.5, 0.5, 0.6)), record())
    assert lines[-1].seen == base


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


def later(claim: Claim, registered: dict[str, str] | None) -> str:
    """What an update says was seen, of a claim with another margin."""
    lines = [*ENTRIES[NAME]]
    changed = replace(claim, rule=EverySeedAbove(0.2))
    bring_up(lines, changed, replace(record(), registered=registered))
    assert lines[-1].entered == "new"
    return lines[-1].seen


def test_a_line_names_the_record_that_was_there_already():
    (claim,) = results.claims(record())
    base = record().base_commit[:7]
    state = register.state(replace(claim, rule=EverySeedAbove(0.2)), record().seeds)
    assert later(claim, None) == f"{base}="
    assert later(claim, {"01.1c": "other"}) == f"{base}="
    assert later(claim, {"01.1c": state.digest}) == "-"  # the record was started with it


@pytest.mark.parametrize("each", RECORDS, ids=lambda each: each.name)
def test_a_record_started_with_states_that_the_register_has(each: Record):
    known = {(entry.claim, entry.state.digest) for entry in ENTRIES.get(each.name, ())}
    lacking = {number for number, _ in set((each.registered or {}).items()) - known}
    # 08.8a was reworded together with its record: its sentence names the steps of each.
    assert lacking <= {"08.8a"}


def test_a_new_experiment_enters_the_register_before_its_record():
    entries = {name: lines for name, lines in ENTRIES.items() if name != NAME}
    announced = announce(entries, unmeasured("attention_reversal", (0, 1, 2)))
    (claim,) = results.claims(record())
    (line,) = announced[NAME]
    assert line.state == register.state(claim, record().seeds)  # no number of a record is in it
    assert (line.seen, line.verdict, line.record) == ("-", "-", "-")
    bring_up(announced[NAME], claim, record())
    (after,) = announced[NAME]
    assert (after.seen, after.verdict) == ("-", "holds")
    with pytest.raises(ValueError, match="expected an experiment that is new"):
        announce(ENTRIES, record())


TEXTS = said.read(SAID.read_text(encoding="utf-8"))


def test_the_words_of_every_claim_and_of_what_it_was_are_kept():
    """Where this fails for a claim of now: python -m tools.register update."""
    claims = results.ledger()
    assert said.with_words_of(TEXTS, claims) == TEXTS
    earlier = [entry for claim in claims for entry in register.past(claim).earlier]
    needed = {(e.claim, text) for e in earlier for text in (e.state.sentence, e.state.measure)}
    assert {said.key(*each) for each in needed} <= set(TEXTS)


def test_each_text_stands_under_its_digest():
    assert said.write(TEXTS) == SAID.read_text(encoding="utf-8")
    for name, text in TEXTS.items():
        number, digest = name.split()
        assert name == said.key(number, digest)
        assert digest in (register.digest(text), register.digest_of_measure(text))


def test_measures_that_differ_in_numbers_alone_are_kept_apart():
    (claim,) = results.claims(record())
    one, other = (replace(claim, id=f"07.{n}", measured=f"at length {n}") for n in (1, 2))
    texts = said.with_words_of({}, [one, other])
    measure = register.digest_of_measure(one.measured)
    assert texts[said.key("07.2", measure)] == "at length 2"


def test_words_that_are_kept_stay():
    (claim,) = results.claims(record())
    other = replace(claim, sentence="It falls by a lot.")
    kept = said.with_words_of(said.with_words_of({}, [claim]), [other])
    assert {claim.sentence, other.sentence, claim.measured} == set(kept.values())
