"""The register of claims: its file, what a change is, and what it says of a claim."""

import json
from dataclasses import replace

import pytest

from bottomup.experiments import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine import register
from bottomup.experiments.engine.register import Change, State

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


def test_numbers_in_what_is_measured_make_none():
    assert state(measured="growth in 1,400 years, 3 % of the plants") == FIRST.state
    assert state(values=(0.0,), digits=5, section="Elsewhere") == FIRST.state


@pytest.mark.parametrize(
    "seeds, written", [((0, 1, 2), "0-2"), ((0,), "0"), ((0, 2), "0,2"), ((3, 4), "3-4")]
)
def test_seeds_are_written_as_spans(seeds: tuple[int, ...], written: str):
    assert register.spans(seeds) == written


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


def test_a_text_whose_words_are_lost_has_a_digest():
    lost = replace(FIRST, sentence=f"#{FIRST.state.sentence}", measured=f"#{FIRST.state.measure}")
    assert lost.state == FIRST.state


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({"rule": "above 0.4 in every seed"}, [Change.RULE]),
        ({"measured": "another growth"}, [Change.MEASURE]),
        ({"seeds": "0-4", "sentence": "It shrinks."}, [Change.SEEDS, Change.WORDS]),
    ],
)
def test_what_changed_after_a_record_is_named(changed: dict[str, str], expected: list[Change]):
    after = replace(NEXT, **changed)
    assert list(register.past_of([FIRST, after]).changes) == expected
    assert register.past_of([FIRST, replace(after, seen=None)]).changes == ()


def test_a_measure_in_other_words_with_the_same_numbers_is_reworded():
    after = replace(NEXT, measured="another growth", same=True)
    assert register.past_of([FIRST, after]) == register.Past((Change.WORDS,), (FIRST,))
    assert register.past_of([FIRST, replace(after, verdict="fails")]).earlier == ()


def test_a_claim_that_came_after_a_record_was_asked_after_seeing():
    late = replace(FIRST, seen="1111111")
    reworded = replace(NEXT, sentence="It shrinks.", seen="2222222")
    assert register.past_of([late, reworded]).changes == (Change.ASKED, Change.WORDS)
    assert register.past_of([replace(late, seen=register.LOST)]).changes == (Change.UNKNOWN,)


def test_the_interval_that_all_means_got_is_told_apart_from_a_chosen_rule():
    old = replace(FIRST, rule="mean above 0.5 and above two standard errors")
    same = replace(NEXT, rule="95 % interval of the mean above 0.5")
    lower = replace(NEXT, rule="95 % interval of the mean above 0.4")
    assert register.past_of([old, same]).changes == (Change.JUDGED,)
    assert register.past_of([old, lower]).changes == (Change.RULE,)


def test_an_earlier_state_is_told_where_rule_measure_or_verdict_were_others():
    again = replace(FIRST, verdict="holds", seen="1111111")
    assert register.past_of([FIRST, again]).earlier == (FIRST,)
    reworded = replace(FIRST, sentence="It shrinks.")
    assert register.past_of([FIRST, reworded]).earlier == ()


def test_another_configuration_counts_where_it_gave_other_numbers():
    first = replace(FIRST, config="111111", values="aaaaaa")
    other = replace(first, seen="1111111", config="222222", values="bbbbbb")
    assert register.past_of([first, other]) == register.Past((Change.SETTING,), (first,))
    assert register.past_of([first, replace(other, values="aaaaaa")]).changes == ()
    assert register.past_of([replace(first, config=None), other]).changes == ()


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
