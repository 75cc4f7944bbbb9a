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
from bottomup.experiments import Claim, EverySeedAbove, Kind, Record
from bottomup.experiments.engine import locked, register
from bottomup.experiments.engine.locked import Column
from bottomup.experiments.engine.register import Entry
from bottomup.results.again import Again, Standing, seconds_of_seed
from tools.notebooks.paths import ROOT


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
        "growth in metres", "Holds if above 1 in every seed. If the true value lay exactly on the",
        "hold by chance in 12.5 % of cases",
        "over 3 seeds: holds",
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
    assert node.astext() == kinds.standing_words()[verdict]
    assert node["classes"] == ["ledger-verdict", f"ledger-{verdict}"]


def test_a_row_leads_to_the_entry_of_its_claim():
    row = table.claim_row(replace(claim(2, 3, 4), record="decoding_search/tiny"), None, "web/main")
    (link,) = [each for each in row.findall(nodes.reference) if text_of(each) == "claims.yaml"]
    path = "src/bottomup/experiments/decoding/search/claims.yaml"
    assert link["refuri"] == f"web/main/{path}"
    assert Path(results.__file__).parents[3].joinpath(path).is_file()


def test_a_table_carries_what_its_rows_are_chosen_and_sorted_by():
    (head,) = table.claims_table([]).findall(nodes.row)
    assert [(text_of(cell), cell["classes"]) for cell in head] == [
        ("Claim", ["ledger-by-claim"]),
        ("Paper", ["ledger-by-paper"]),
        ("Verdict", ["ledger-by-verdict"]),
    ]
    row = table.claim_row(claim(0, 0, 0, number="01b.2a"), None)
    assert row["classes"] == ["chapter-01b", "kind-paper", "verdict-fails"]
    marked = {
        name: [text_of(part) for part in row.findall(is_text) if name in part["classes"]]
        for name in ("ledger-words", "ledger-paper")
    }
    assert marked == {
        "ledger-words": ["01b.2a It grows.", "growth in metres", "Nobody (1999), table 1"],
        "ledger-paper": ["Nobody (1999), table 1"],
    }


MIXED = [
    claim(2, 3, 4, number="07.1a"),
    claim(2, 3, 4, number="07.1b"),
    claim(0, 0, 0, number="07.2"),
    claim(0, 3, 4, number="01b.1"),
    claim(0, 0, 0, number="01b.2", kind=Kind.OWN),
    claim(3, 3, 3, number="01b.3", kind=Kind.IDENTITY),
    replace(claim(2, 3, 4, number="01b.4"), kind=Kind.REPETITION, repeats="07.2"),
]


def stand(monkeypatch: pytest.MonkeyPatch, **columns: tuple[float, ...] | None) -> Again:
    """Let the locked run have found these values of a claim with 3, 4 and 5, and 1 as margin."""
    first = claim(3, 4, 5)
    there = {
        Column(name): None if values is None else replace(first, values=values)
        for name, values in columns.items()
    }
    found = Again(first, there)
    monkeypatch.setattr(kinds, "again", lambda _: found)
    monkeypatch.setattr(table, "again", lambda _: found)
    return found


HOLDS, FAILS, UNDECIDED = (2.0, 2.0, 2.0), (0.5, 0.5, 0.5), (0.5, 2.0, 2.0)


@pytest.mark.parametrize(
    ("same", "varied", "standing", "word"),
    [
        (HOLDS, HOLDS, Standing.CONFIRMED, "confirmed"),
        (HOLDS, FAILS, Standing.NOT_CONFIRMED, "not confirmed"),
        (UNDECIDED, HOLDS, Standing.UNDECIDED, "undecided"),
        (FAILS, None, Standing.OPEN, "to be run again"),
    ],
)
def test_a_row_shows_how_a_claim_stands_after_the_locked_run(
    same: tuple[float, ...], varied: tuple[float, ...] | None, standing: Standing, word: str,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    assert stand(monkeypatch, same=same, varied=varied).standing is standing
    row = table.claim_row(claim(3, 4, 5), None)
    assert row["classes"][-1] == f"verdict-{standing}"
    assert text_of(row).endswith(word)


def test_a_row_tells_what_became_of_the_effect(monkeypatch: pytest.MonkeyPatch):
    found = stand(monkeypatch, same=HOLDS, varied=None)
    assert found.shrinkage == pytest.approx(2 / 3)
    assert table.told_again(found) == [
        "same setting: 2.00 ± 0.00 over 3 seeds: holds",
        "varied setting: still to be run",
        "shrinkage of the distance from the margin, same setting: 67 %",
    ]
    assert Again(claim(0, 0, 0), {Column.SAME: claim(2, 2, 2)}).shrinkage is None


def test_a_repetition_has_the_verdict_of_its_one_run():
    again = replace(claim(3, 4, 5), kind=Kind.REPETITION, repeats="01.1a")
    assert Again(again, {Column.SAME: replace(again, values=HOLDS)}).standing is Standing.HELD
    assert Again(again, {Column.SAME: replace(again, values=FAILS)}).standing is Standing.FAILED
    assert Again(again, {Column.SAME: None}).standing is Standing.OPEN


def test_the_headline_counts_statements_of_papers_alone(monkeypatch: pytest.MonkeyPatch):
    found = [Standing.CONFIRMED, Standing.CONFIRMED, Standing.NOT_CONFIRMED, Standing.UNDECIDED]
    standing = {each.id: value for each, value in zip(MIXED, found, strict=False)}
    monkeypatch.setattr(counts, "standing_of", lambda each: standing.get(each.id, "holds"))
    assert text_of(counts.summary(MIXED)) == (
        "We ran 4 statements of papers again, under rules fixed before the reruns: 2 held in both, "
        "1 failed in at least one, 1 came out undecided."
    )
    standing["07.1a"] = Standing.OPEN
    assert "3 are done: 1 held in both reruns, 1 failed in" in text_of(counts.summary(MIXED))
    told = text_of(counts.before(MIXED))
    assert "2 of them had held, 1 had failed and 1 were undecided." in told
    line = counts.identities(MIXED)
    assert text_of(line).startswith("1 more claims follow from a definition")
    assert line["ids"] == ["identities"]


def test_a_bar_has_a_part_for_each_standing_and_says_nothing_aloud():
    drawn = text_of(counts.bar(Counter({Standing.CONFIRMED: 2, Standing.OPEN: 1})))
    assert 'aria-hidden="true"' in drawn
    assert re.findall(r"ledger-part ledger-([\w-]+)\" style=\"flex-grow: (\d)", drawn) == [
        ("confirmed", "2"),
        ("to-run", "1"),
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


FIRST = replace(
    register.asked(claim(2.0, 3.0, 4.0), (0, 1, 2)), rule="above 5 in every seed", kind=None
)
HISTORIES = [
    ([replace(FIRST, seen="1234567")], "Added after a record had been seen."),
    ([replace(FIRST, seen=register.LOST)], "It is not known whether"),
    (
        [
            replace(FIRST, verdict="fails", record="1234567"),
            replace(FIRST, rule="above 1 in every seed", seen="1234567"),
        ],
        "Its rule was changed after a record had been seen. Before, by “above 5 in every seed”: "
        "fails (record of 1234567).",
    ),
    (
        [FIRST, replace(FIRST, sentence="It shrinks.", seen="1234567")],
        "Reworded after a record had been seen.",
    ),
    (
        [
            replace(FIRST, verdict="fails", record="1234567"),
            replace(
                FIRST, sentence="It shrinks.", measured="loss of 3 metres", seen="1234567"
            ),
        ],
        "What is measured was changed after a record had been seen. Reworded after a record had "
        "been seen. Before, “It grows.” with “growth in metres”, by “above 5 in every seed”: fails "
        "(record of 1234567).",
    ),
    (
        [
            replace(
                FIRST, verdict="holds", record="1234567", values="aaaaaa", config="c", kind="own"
            ),
            replace(
                FIRST, verdict="holds", record="7654321", values="bbbbbb", config="d", kind="paper",
                seen="1234567",
            ),
        ],
        "The configuration was changed after a record had been seen, and with it the numbers. "
        "Previously counted as: Questions of our own. Before, by “above 5 in every seed”: holds "
        "(record of 1234567).",
    ),
]  # fmt: skip


@pytest.mark.parametrize("entries, told", HISTORIES)
def test_a_row_tells_what_its_claim_was_before(
    entries: list[Entry], told: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(register, "registered", lambda: {"toy/tiny": entries})
    assert told in text_of(table.claim_row(claim(2.0, 3.0, 4.0), None))
    row = table.claim_row(replace(claim(2.0, 3.0, 4.0), known="ten trials"), None)
    assert "Known when it was set: ten trials." in text_of(row)


def test_the_form_offers_the_chapters_of_the_claims_and_every_verdict():
    form = text_of(controls.controls(MIXED))
    assert (
        '<label>Chapter<select name="chapter"><option value="">all</option>'
        '<option value="01b">01b</option><option value="07">07</option></select></label>'
    ) in form
    assert (
        '<label>Verdict<select name="verdict"><option value="">all</option>'
        '<option value="confirmed">confirmed</option>'
        '<option value="not-confirmed">not confirmed</option>'
        '<option value="undecided">undecided</option>'
        '<option value="to-run">to be run again</option>'
        '<option value="held">held in its rerun</option>'
        '<option value="failed">failed in its rerun</option>'
        '<option value="holds">held once</option><option value="fails">failed once</option>'
        "</select></label>"
    ) in form
    assert "identity" not in form
    escaped = controls.select("x", "X", {"<b>": "a & b"})
    assert '<option value="&lt;b&gt;">a &amp; b</option>' in escaped
    assert form.splitlines()[0].endswith(" hidden>")
    assert 'aria-live="polite" data-text="{shown} of {all} claims shown."' in form


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
        assert words.endswith(kinds.standing_words()[kinds.standing_of(each)])


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
    earlier = {entry.rule for each in results.ledger() for entry in register.past(each).earlier}
    assert len(earlier) > 3
    assert {kinds.rule_words(rule) for rule in earlier} == earlier
    monkeypatch.setattr(kinds, "_", lambda text: f"ko: {text}")
    assert all(kinds.rule_words(rule).startswith("ko: ") for rule in earlier)
    told = kinds.places("Vaswani et al. (2017), table 3, rows A, and section 6.2")
    assert told == "Vaswani et al. (2017), ko: table 3, ko: ko: rows A, and ko: section 6.2"


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        ("Bahdanau et al. (2015), figure 2 and table 1", "Bahdanau et al. (2015), 그림 2와 표 1"),
        ("Sutskever (2014), section 3.2 and table 1", "Sutskever (2014), 3.2절과 표 1"),
        ("Haviv et al. (2022), abstract and section 5", "Haviv et al. (2022), 초록과 5절"),
        ("Lin et al. (2017), section 2.2, equation 8", "Lin et al. (2017), 2.2절, 식 8"),
        ("Stahlberg and Byrne (2019), table 1", "Stahlberg and Byrne (2019), 표 1"),
    ],
)
def test_the_places_in_a_paper_are_korean(
    english: str, korean: str, monkeypatch: pytest.MonkeyPatch
):
    assert kinds.places(english) == english
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", "ko")
    assert kinds.places(english) == korean


def test_the_records_named_to_be_confirmed_take_what_the_page_says():
    asked = sorted(seconds_of_seed(name) for name, each in locked.frozen().items() if each.changes)
    assert 180 < records.SEEDS * asked[records.CHEAPEST - 1] <= 240
    page = ROOT.joinpath("book/confirm.md").read_text("utf-8")
    assert "at most four minutes for three seeds" in page
