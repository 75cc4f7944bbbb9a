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
from ledger import controls, counts, records, table
from sphinx import addnodes

from bottomup import results
from bottomup.experiments import Claim, EverySeedAbove, Record, Verdict
from bottomup.experiments.engine.record import load_record


def claim(*values: float, number: str = "07.3b") -> Claim:
    return Claim(
        id=number,
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
        "growth in metres", "Holds if above 1 in every seed.", "holds",
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


def test_a_row_carries_what_it_is_chosen_and_sorted_by():
    row = table.claim_row(claim(0, 0, 0, number="01b.2a"), None)
    assert row["classes"] == ["chapter-01b", "verdict-fails"]
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
    claim(0, 0, 0, number="01b.2"),
]


def test_counts_stand_by_chapter_and_verdict():
    names = {"01b": nodes.Text("01b Hard"), "07": nodes.Text("07 Sparse")}
    shown = counts.counts_table(MIXED, names)
    hard = text_of(counts.bar(Counter({Verdict.FAILS: 1, Verdict.UNDECIDED: 1}), 3))
    sparse = text_of(counts.bar(Counter({Verdict.HOLDS: 2, Verdict.FAILS: 1}), 3))
    assert [[text_of(cell) for cell in row] for row in shown.findall(nodes.row)] == [
        ["Chapter", "Findings", "holds", "fails", "undecided", "all"],
        ["01b Hard", hard, "0", "1", "1", "2"],
        ["07 Sparse", sparse, "2", "1", "0", "3"],
        ["All chapters", "", "2", "2", "1", "5"],
    ]


def test_a_bar_is_as_long_as_its_counts_and_says_nothing_aloud():
    drawn = text_of(counts.bar(Counter({Verdict.HOLDS: 2, Verdict.UNDECIDED: 1}), 12))
    assert 'aria-hidden="true" style="width: 25.0%"' in drawn
    assert re.findall(r"ledger-part ledger-(\w+)\" style=\"flex-grow: (\d)", drawn) == [
        ("holds", "2"),
        ("undecided", "1"),
    ]


def test_the_counts_are_said_in_a_sentence():
    said = text_of(counts.summary(MIXED))
    assert said == "Of 5 findings, 2 hold, 2 fail and 1 are undecided."


def test_a_count_leads_to_its_claims_where_there_are_any():
    row = counts.count_row(nodes.Text("07"), MIXED, "07")
    assert [(text_of(link), link["refuri"]) for link in row.findall(nodes.reference)] == [
        ("2", "?chapter=07&verdict=holds#claims"),
        ("1", "?chapter=07&verdict=fails#claims"),
        ("3", "?chapter=07#claims"),
    ]
    book = counts.count_row(nodes.Text("All chapters"), MIXED)
    assert [link["refuri"] for link in book.findall(nodes.reference)] == [
        "?verdict=holds#claims",
        "?verdict=fails#claims",
        "?verdict=undecided#claims",
    ]


def test_a_chapter_is_named_by_number_and_title():
    page = "chapters/07_sparse_transformers"
    name = counts.chapter_name("book/ledger", "07", page, "07 Sparse Transformers")
    (title,) = name.findall(addnodes.pending_xref)
    assert text_of(name) == text_of(title) == "07 Sparse Transformers"
    assert title["refexplicit"]
    assert text_of(counts.chapter_name("book/ledger", "07", page, None)).startswith("07 ")
    assert (title["reftype"], title["refdoc"]) == ("doc", "book/ledger")
    assert title["reftarget"] == "/chapters/07_sparse_transformers"


def test_a_chapter_without_a_page_is_named_by_its_number():
    name = counts.chapter_name("book/ledger", "07", None, None)
    assert text_of(name) == "07" and list(name.findall(addnodes.pending_xref)) == []


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
        assert each.id in words and each.value in words and words.endswith(each.verdict)


def test_claims_computed_again_from_the_file_are_those_of_the_ledger():
    folder = Path(results.__file__).parent
    for name in results.available():
        record = load_record(folder / name)
        again = results.claims(record)
        shown = [claim for claim in results.ledger() if claim.record == record.name]
        assert sorted(again, key=lambda each: each.id) == shown
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
