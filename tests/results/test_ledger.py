"""The ledger page: what its generator makes of claims and records."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import ledger
import pytest
from docutils import nodes
from docutils.utils import new_document
from ledger import controls, counts, kinds, records, table
from sphinx import addnodes

from bottomup import results
from bottomup.experiments import Claim, EverySeedAbove, Kind, Record, Verdict
from bottomup.experiments.engine import register
from bottomup.experiments.engine.record import load_record
from bottomup.experiments.engine.register import Entry
from bottomup.experiments.engine.said import with_words_of


def claim(*values: float, number: str = "07.3b", kind: Kind = Kind.PAPER) -> Claim:
    return Claim(
        id=number,
        kind=kind,
        sentence="It grows.",
        source="Nobody (1999), table 1",
        paper_value="2.5 metres",
        measured="growth in metres",
        rule=EverySeedAbove(1.0),
        values=values,
        record="toy/tiny",
        section="How it grows",
    )


def text_of(node: nodes.Node) -> str:
    return node.astext()


def is_text(node: nodes.Node) -> bool:
    return isinstance(node, nodes.paragraph | nodes.inline)


def test_a_row_shows_statement_source_both_values_rule_and_verdict():
    row = table.claim_row(claim(2.0, 3.0, 4.0), "07.html#how-it-grows")
    shown = text_of(row)
    for part in (
        "07.3b It grows.", "Nobody (1999), table 1", "2.5 metres", "3.00 ± 1.00 over 3 seeds",
        "growth in metres", "Holds if above 1 in every seed. By chance so in 12.5 % of cases",
        "holds",
    ):  # fmt: skip
        assert part in shown
    record, section = row.findall(nodes.reference)
    assert section["refuri"] == "07.html#how-it-grows"
    assert (record["refid"], text_of(record)) == ("record-toy-tiny", "toy/tiny")
    assert row["ids"] == ["claim-07-3b"]


@pytest.mark.parametrize(
    "values, verdict",
    [((2, 3, 4), "holds"), ((0, 0, 0), "fails"), ((0, 3, 4), "undecided")],
)
def test_the_colour_of_a_verdict_follows_the_word(values: tuple[float, ...], verdict: str):
    node = table.verdict_mark(claim(*values).verdict)
    assert node.astext() == verdict
    assert node["classes"] == ["ledger-verdict", f"ledger-{verdict}"]


def test_a_claim_without_a_chapter_has_no_link():
    row = table.claim_row(claim(2, 3, 4), None)
    assert [text_of(link) for link in row.findall(nodes.reference)] == ["toy/tiny"]


def test_a_row_leads_to_the_code_of_its_claims():
    row = table.claim_row(replace(claim(2, 3, 4), record="decoding_search/tiny"), None, "web/main")
    (link,) = [each for each in row.findall(nodes.reference) if text_of(each) == "claims.py"]
    path = "src/bottomup/experiments/decoding/search/claims.py"
    assert link["refuri"] == f"web/main/{path}"
    assert Path(results.__file__).parents[3].joinpath(path).is_file()


def test_a_row_carries_what_it_is_chosen_and_sorted_by():
    row = table.claim_row(claim(0, 0, 0, number="01b.2a"), None)
    assert row["classes"] == ["chapter-01b", "kind-paper", "verdict-fails", "set-before"]
    marked = {
        name: [text_of(part) for part in row.findall(is_text) if name in part["classes"]]
        for name in ("ledger-words", "ledger-paper")
    }
    assert marked == {
        "ledger-words": ["01b.2a It grows.", "growth in metres", "Nobody (1999), table 1"],
        "ledger-paper": ["Nobody (1999), table 1"],
    }


def test_claim_paper_and_verdict_are_the_columns_to_sort_by():
    (head,) = table.claims_table([]).findall(nodes.row)
    assert [(text_of(cell), cell["classes"]) for cell in head] == [
        ("Claim", ["ledger-by-claim"]),
        ("Paper", ["ledger-by-paper"]),
        ("Verdict", ["ledger-by-verdict"]),
    ]


MIXED = [
    claim(2, 3, 4, number="07.1a"),
    claim(2, 3, 4, number="07.1b"),
    claim(0, 0, 0, number="07.2"),
    claim(0, 3, 4, number="01b.1"),
    claim(0, 0, 0, number="01b.2", kind=Kind.OWN),
    claim(3, 3, 3, number="01b.3", kind=Kind.IDENTITY),
    replace(claim(2, 3, 4, number="01b.4"), kind=Kind.REPETITION, repeats="07.2"),
]


def test_counts_stand_by_kind_and_verdict():
    shown = counts.counts_table(MIXED)
    rows = [[text_of(cell) for cell in row] for row in shown.findall(nodes.row)]
    assert [[first, *numbers] for first, _bar, *numbers in rows] == [
        ["Kind", "holds", "fails", "undecided", "all"],
        ["Statements of papers", "2", "1", "1", "4"],
        ["Questions of our own", "0", "1", "0", "1"],
        ["The same asked again", "1", "0", "0", "1"],
        ["Identities: cannot fail", "1", "0", "0", "1"],
    ]
    widths = [re.findall("width: ([0-9.]+)%", bar) for _name, bar, *_numbers in rows[1:]]
    assert widths == [["100.0"], ["25.0"], ["25.0"], ["25.0"]]


def test_a_bar_is_as_long_as_its_counts_and_says_nothing_aloud():
    drawn = text_of(counts.bar(Counter({Verdict.HOLDS: 2, Verdict.UNDECIDED: 1}), 12))
    assert 'aria-hidden="true" style="width: 25.0%"' in drawn
    assert re.findall(r"ledger-part ledger-(\w+)\" style=\"flex-grow: (\d)", drawn) == [
        ("holds", "2"),
        ("undecided", "1"),
    ]


def test_the_counts_are_said_in_a_sentence():
    said = text_of(counts.summary(MIXED))
    assert said == "Of 4 statements of papers, 2 hold, 1 fail and 1 are undecided."


def test_statements_stand_by_when_they_were_set(monkeypatch: pytest.MonkeyPatch):
    asked, unknown = (
        [Entry(number, FIRST, seen=seen)] for number, seen in (("07.1b", "1234567"), ("07.1c", "?"))
    )
    monkeypatch.setattr(register, "registered", lambda: {"toy/tiny": [*asked, *unknown]})
    trial = replace(claim(2, 3, 4, number="07.1d"), known="a trial")
    fails = replace(claim(0, 0, 0, number="07.1e"), known="a trial")
    of_ours = replace(trial, kind=Kind.OWN)
    held = [claim(2, 3, 4, number=f"07.1{letter}") for letter in "abc"]
    shown = counts.papers_table([*held, trial, fails, of_ours])
    rows = [[text_of(cell) for cell in row] for row in shown.findall(nodes.row)]
    assert [[first, *numbers] for first, _bar, *numbers in rows[1:]] == [
        ["before, no trial noted", "1", "0", "0", "1"],
        ["asked after a record †", "1", "0", "0", "1"],
        ["changed after a record †", "0", "0", "0", "0"],
        ["after trials †", "1", "1", "0", "2"],
        ["not known", "1", "0", "0", "1"],
    ]
    links = [link["refuri"] for link in shown.findall(nodes.reference)]
    assert links[:2] == [
        "?kind=paper&set=before&verdict=holds#claims",
        "?kind=paper&set=before#claims",
    ]


@pytest.mark.parametrize(
    ("before", "time"), [("holds", kinds.Time.BEFORE), ("fails", kinds.Time.CHANGED)]
)
def test_another_interval_changes_a_claim_where_it_turned_the_verdict(
    monkeypatch: pytest.MonkeyPatch, before: str, time: kinds.Time
):
    earlier = Entry("07.1a", FIRST, verdict=before)
    past = register.Past((register.Change.JUDGED,), (earlier,))
    monkeypatch.setattr(kinds, "past", lambda each: past)
    assert kinds.time_of(claim(2, 3, 4)) is time


def test_a_count_leads_to_its_claims_where_there_are_any():
    row = counts.count_row("of papers", {"kind": Kind.PAPER}, counts.findings(MIXED), 4)
    assert [(text_of(link), link["refuri"]) for link in row.findall(nodes.reference)] == [
        ("2", "?kind=paper&verdict=holds#claims"),
        ("1", "?kind=paper&verdict=fails#claims"),
        ("1", "?kind=paper&verdict=undecided#claims"),
        ("4", "?kind=paper#claims"),
    ]


@pytest.mark.parametrize(
    "kind, source, shown",
    [
        (Kind.PAPER, "Nobody (1999)", "Nobody (1999)"),
        (Kind.OWN, "Nobody (1999)", "beside Nobody (1999)"),
        (Kind.OWN, "no paper: a control", "no paper: a control"),
        (Kind.IDENTITY, "Nobody (1999)", "identity: Nobody (1999)"),
    ],
)
def test_the_column_of_papers_says_what_a_claim_is(kind: Kind, source: str, shown: str):
    assert kinds.source_words(replace(claim(1.0), kind=kind, source=source)) == shown


def test_a_repetition_leads_to_the_claim_that_it_asks_again():
    again = replace(claim(2, 3, 4), kind=Kind.REPETITION, repeats="01.1a")
    row = table.claim_row(again, None)
    link, _record = row.findall(nodes.reference)
    assert (text_of(link), link["refid"]) == ("asks 01.1a again", "claim-01-1a")
    assert "Nobody (1999), table 1" in text_of(row)


FIRST = replace(register.state(claim(2.0, 3.0, 4.0), (0, 1, 2)), rule="above 5 in every seed")
MARKS = [
    ([Entry("07.3b", FIRST)], "set-before", ""),
    ([Entry("07.3b", FIRST, seen="1234567")], "set-asked", "Asked after a record had been seen."),
    ([Entry("07.3b", FIRST, seen="?")], "set-unknown", "Nothing shows whether"),
    (
        [
            Entry("07.3b", FIRST, verdict="fails", record="1234567"),
            Entry("07.3b", replace(FIRST, rule="above 1 in every seed"), seen="1234567"),
        ],
        "set-changed",
        "Its rule was changed after a record. Before, by “above 5 in every seed”: fails (record of "
        "1234567).",
    ),
    (
        [Entry("07.3b", FIRST), Entry("07.3b", replace(FIRST, sentence="cccccc"), seen="1234567")],
        "set-before",
        "Reworded after a record.",
    ),
    (
        [
            Entry("07.3b", FIRST, "a", "-", "holds", "1234567", "aaaaaa", "cccccc", "own"),
            Entry("07.3b", FIRST, "b", "1234567", "holds", "7654321", "bbbbbb", "dddddd", "paper"),
        ],
        "set-changed",
        "The configuration was changed after a record, and with it the numbers. Counted otherwise "
        "before: Questions of our own. Before, by “above 5 in every seed”: holds (record of "
        "1234567).",
    ),
]


@pytest.mark.parametrize("entries, time, told", MARKS)
def test_a_row_tells_when_its_rule_was_set(
    entries: list[Entry], time: str, told: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(register, "registered", lambda: {"toy/tiny": entries})
    row = table.claim_row(claim(2.0, 3.0, 4.0), None)
    assert row["classes"][-1] == time
    assert told in text_of(row)
    assert ("†" in text_of(row)) == (time in ("set-asked", "set-changed"))


def test_a_changed_claim_shows_what_it_said_before(monkeypatch: pytest.MonkeyPatch):
    was = replace(claim(2, 3, 4), sentence="It shrinks.", measured="loss of 3 metres")
    first = register.state(was, (0, 1, 2))
    entries = [
        Entry("07.3b", first, verdict="fails", record="1234567"),
        Entry("07.3b", register.state(claim(2, 3, 4), (0, 1, 2)), seen="1234567"),
    ]
    monkeypatch.setattr(register, "registered", lambda: {"toy/tiny": entries})
    monkeypatch.setattr(kinds, "said", lambda: with_words_of({}, [was]))
    row = table.claim_row(claim(2, 3, 4), None)
    assert row["classes"][-1] == "set-changed"
    assert (
        "What is measured was changed after a record. Reworded after a record. Before, “It "
        "shrinks.” with “loss of 3 metres”, by “above 1 in every seed”: fails (record of 1234567)."
    ) in text_of(row)


def test_what_an_author_knew_from_trials_is_told():
    row = table.claim_row(replace(claim(2, 3, 4), known="ten trials"), None)
    assert row["classes"][-1] == "set-trials"
    assert "Known when it was set: ten trials." in text_of(row) and "†" in text_of(row)


def test_the_remarks_count_what_was_set_late_and_what_chance_gives():
    late = [replace(each, known="a trial") for each in MIXED[:2]]
    said = text_of(counts.remarks([*late, *MIXED[2:]]))
    assert said.startswith("† marks 2 of all 7 claims")
    many = [claim(2, 3, 4, number=f"07.{number}") for number in range(1, 81)]
    assert "chance alone would let 10 of the 80 hold" in text_of(counts.remarks(many))


def test_the_form_offers_the_chapters_of_the_claims_and_every_verdict():
    form = text_of(controls.controls(MIXED))
    assert (
        '<label>Chapter<select name="chapter"><option value="">all</option>'
        '<option value="01b">01b</option><option value="07">07</option></select></label>'
    ) in form
    assert (
        '<label>Verdict<select name="verdict"><option value="">all</option>'
        '<option value="holds">holds</option><option value="fails">fails</option>'
        '<option value="undecided">undecided</option></select></label>'
    ) in form
    assert '<option value="identity">Identities: cannot fail</option>' in form
    assert '<label>Rule set<select name="set"><option value="">all</option>' in form
    assert form.splitlines()[0].endswith(" hidden>")
    assert 'aria-live="polite" data-text="{shown} of {all} claims shown."' in form


def test_words_of_a_list_are_escaped():
    assert '<option value="&lt;b&gt;">a &amp; b</option>' in controls.select(
        "x", "X", {"<b>": "a & b"}
    )


@pytest.mark.parametrize("classes, loaded", [(["ledger"], ["ledger.js"]), (["other"], [])])
def test_the_script_is_loaded_beside_the_table_alone(classes: list[str], loaded: list[str]):
    scripts: list[str] = []
    app = SimpleNamespace(add_js_file=lambda name, loading_method: scripts.append(name))
    page = new_document("page")
    page += nodes.table("", classes=classes)
    ledger.add_script(app, "page", "page.html", {}, page)
    ledger.add_script(app, "genindex", "genindex.html", {}, None)
    assert scripts == loaded


def test_the_table_shows_every_claim_of_the_committed_records():
    claims = results.ledger()
    shown = table.claims_table([(claim, "#") for claim in claims])
    rows = [row for body in shown.findall(nodes.tbody) for row in body.children]
    assert len(rows) == len(claims)
    for row, each in zip(rows, claims, strict=True):
        words = text_of(row)
        assert each.id in words and each.value_over_runs in words
        assert words.endswith(each.verdict)


def test_claims_computed_again_from_the_file_are_those_of_the_ledger():
    folder, claims = Path(results.__file__).parent, results.ledger()
    for name in results.available():
        record = load_record(folder / name)
        again = results.claims(record)
        assert again == [claim for claim in claims if claim.record == record.name]
        assert {each.verdict for each in again} <= set(Verdict)


@pytest.mark.parametrize("name", results.available())
def test_a_record_is_listed_with_command_and_files(name: str):
    record = results.load(name)
    item = records.entry("book/ledger", name, record)
    shown = text_of(item)
    assert record.name in shown and record.command in shown
    (term,) = item.findall(nodes.term)
    assert term["ids"] == [table.record_link(record.name)["refid"]]
    files = [link["reftarget"] for link in item.findall(addnodes.download_reference)]
    stems = [name] + ([name.replace(".json", ".npz")] if record.arrays else [])
    assert files == [f"/src/bottomup/results/{stem}" for stem in stems]


def test_a_record_of_changed_code_says_so():
    record: Record = results.load("attention.json")
    assert "not committed yet" in records.origin(replace(record, dirty=True))
    assert "Made from commit" in records.origin(replace(record, dirty=False))


def test_an_earlier_rule_and_the_place_in_a_paper_are_told_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch,
):
    earlier = {
        entry.state.rule for each in results.ledger() for entry in register.past(each).earlier
    }
    assert len(earlier) > 3
    assert {kinds.rule_words(rule) for rule in earlier} == earlier
    monkeypatch.setattr(kinds, "_", lambda text: f"ko: {text}")
    assert all(kinds.rule_words(rule).startswith("ko: ") for rule in earlier)
    told = kinds.places("Vaswani et al. (2017), table 3, rows A, and section 6.2")
    assert told == "Vaswani et al. (2017), ko: table 3, ko: rows A, and ko: section 6.2"
