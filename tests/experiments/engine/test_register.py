"""The register of claims: its file, what a change is, and what it says of a claim."""

import json
from dataclasses import replace

import pytest

from bottomup.experiments import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine import register
from bottomup.experiments.engine.register import Change, Entry, State

CLAIM = Claim(
    id="07.3b",
    kind=Kind.PAPER,
    sentence="It grows.",
    source="Nobody (1999), table 1",
    paper_value="2",
    measured="growth in 3 years, 12.5 % of the plants",
    rule=EverySeedAbove(0.5),
    values=(1.0, 2.0, 3.0),
    record="toy/tiny",
    section="Nowhere",
)
FIRST = register.asked(CLAIM, (0, 1, 2), entered="aaaaaaa", verdict="fails", record="1111111")
NEXT = replace(FIRST, entered=None, seen="1111111", verdict=None)


def state(**changes: object) -> State:
    seeds = changes.pop("seeds", (0, 1, 2))
    return register.asked(replace(CLAIM, **changes), seeds).state  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": EverySeedAbove(0.4)},
        {"sentence": "It shrinks."},
        {"measured": "growth in 3 months, 12.5 % of the plants"},
        {"seeds": (0, 1, 2, 3)},
    ],
)
def test_rule_sentence_measure_and_seeds_make_another_state(changes: dict[str, object]):
    assert state(**changes) != FIRST.state
    assert state(**changes).digest != FIRST.state.digest


def test_numbers_in_what_is_measured_and_words_that_are_lost_make_none():
    assert state(measured="growth in 1,400 years, 3 % of the plants") == FIRST.state
    assert state(values=(0.0,), digits=5, section="Elsewhere") == FIRST.state
    lost = replace(FIRST, sentence=f"#{FIRST.state.sentence}", measured=f"#{FIRST.state.measure}")
    assert lost.state == FIRST.state


def test_seeds_are_written_as_spans():
    seeds = [(0, 1, 2), (0,), (0, 2), (3, 4)]
    assert list(map(register.spans, seeds)) == ["0-2", "0", "0,2", "3-4"]


def test_the_file_is_read_as_it_was_written():
    other = replace(FIRST, claim="07.1", seen=register.LOST, record=None, verdict=None, same=True)
    again = replace(FIRST, sentence="It shrinks.", verdict=None)
    written = register.write({"toy/tiny": [FIRST, again, other], "a/b": []}, "abc")
    assert register.read(written) == {"toy/tiny": [other, FIRST, again]}
    first, last = (json.loads(line) for line in written.splitlines()[0::3])
    assert first == {"freeze": "abc"}
    assert last == {"of": "toy/tiny", "claim": "07.3b", "sentence": "It shrinks.", "verdict": None,
                    "entered": "aaaaaaa"}  # fmt: skip


def test_a_line_says_what_the_one_before_it_does_not():
    again = replace(NEXT, sentence="It shrinks.", verdict="fails")
    line = json.loads(register.write({"toy/tiny": [FIRST, again]}, "abc").splitlines()[2])
    said = {"of": "toy/tiny", "claim": "07.3b", "sentence": "It shrinks.", "seen": "1111111"}
    assert line == said


def after(**changes: object) -> Entry:
    """The claim's next entry, with changes."""
    return replace(NEXT, **changes)


MEANT = replace(FIRST, rule="mean above 0.5 and above two standard errors")
SET = replace(FIRST, config="111111", values="aaaaaa")
SHRINKS = "It shrinks."


@pytest.mark.parametrize(
    "entries, changes, earlier",
    [
        ([FIRST, after(rule="above 0.4 in every seed")], [Change.RULE], 1),
        ([FIRST, after(measured="another growth")], [Change.MEASURE], 1),
        ([FIRST, after(seeds="0-4", sentence=SHRINKS)], [Change.SEEDS, Change.WORDS], 1),
        ([FIRST, after(sentence=SHRINKS, seen=None)], [], 1),
        # a measure in other words with the same numbers; it tells the verdict before another one
        ([FIRST, after(measured="another growth", same=True)], [Change.WORDS], 1),
        ([FIRST, after(measured="another", same=True, verdict="fails")], [Change.WORDS], 0),
        ([FIRST, replace(FIRST, verdict="holds", seen="1111111")], [], 1),
        # asked after a record was seen, or when nobody knows
        ([replace(FIRST, seen="1111111")], [Change.ASKED], 0),
        ([replace(FIRST, seen=register.LOST)], [Change.UNKNOWN], 0),
        # the interval that all means got is told apart from a chosen rule
        ([MEANT, after(rule="95 % interval of the mean above 0.5")], [Change.JUDGED], 1),
        ([MEANT, after(rule="95 % interval of the mean above 0.4")], [Change.RULE], 1),
        # another configuration counts where it gave other numbers
        ([SET, replace(SET, seen="1111111", config="222222", values="b")], [Change.SETTING], 1),
        ([SET, replace(SET, seen="1111111", config="222222")], [], 0),
        ([replace(SET, config=None), replace(SET, seen="1111111", values="b")], [], 0),
    ],
)
def test_what_changed_after_a_record_is_named(
    entries: list[Entry], changes: list[Change], earlier: int
):
    past = register.past_of(entries)
    assert list(past.changes) == changes
    assert past.earlier == tuple(entries[:earlier])


def test_another_kind_is_told_with_what_it_was():
    other = replace(FIRST, seen="1111111", same=True, kind="own")
    assert register.past_of([FIRST, other]) == register.Past((Change.KIND,), (), ("paper",))
    assert register.past_of([replace(FIRST, kind=None), other]) == register.Past((), ())


def test_a_record_keeps_the_states_in_force(monkeypatch: pytest.MonkeyPatch):
    lines = [
        FIRST,
        replace(FIRST, sentence="It shrinks."),
        replace(FIRST, claim="07.4"),
        replace(FIRST, claim="07.4", verdict="dropped"),
    ]
    monkeypatch.setattr(register, "registered", lambda: {"toy/tiny": lines})
    assert register.standing("toy/tiny") == {"07.3b": state(sentence="It shrinks.").digest}
    assert register.standing("toy/other") == {}
