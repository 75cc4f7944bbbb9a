"""The ledger page: what its generator makes of claims and records."""

from dataclasses import replace
from pathlib import Path

import pytest
from docutils import nodes
from ledger import records, table
from sphinx import addnodes

from bottomup import results
from bottomup.experiments import EXPERIMENTS, Claim, EverySeedAbove, Record, Verdict
from bottomup.experiments.record import load_record


def claim(*values: float) -> Claim:
    return Claim(
        id="07.3b",
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


def test_a_row_shows_statement_source_both_values_rule_and_verdict():
    row = table.claim_row(claim(2.0, 3.0, 4.0), "07.html#how-it-grows", table.heads())
    shown = text_of(row)
    for part in (
        "07.3b It grows.", "Nobody (1999), table 1", "2.5 metres", "3.00 ± 1.00 over 3 seeds",
        "growth in metres", "Holds if above 1 in every seed.", "holds",
    ):  # fmt: skip
        assert part in shown
    section, record = row.findall(nodes.reference)
    assert section["refuri"] == "07.html#how-it-grows"
    assert (record["refid"], text_of(record)) == ("record-toy-tiny", "toy/tiny")
    assert row["ids"] == ["claim-07-3b"]


@pytest.mark.parametrize(
    "values, verdict",
    [((2, 3, 4), "holds"), ((0, 0, 0), "fails"), ((0, 3, 4), "undecided")],
)
def test_the_colour_of_a_verdict_follows_the_word(values: tuple[float, ...], verdict: str):
    node = table.verdict(claim(*values))
    assert node.astext() == verdict
    assert node["classes"] == ["ledger-verdict", f"ledger-{verdict}"]


def test_a_claim_without_a_chapter_has_no_link():
    row = table.claim_row(claim(2, 3, 4), None, table.heads())
    assert [text_of(link) for link in row.findall(nodes.reference)] == ["toy/tiny"]


def test_verdicts_are_counted():
    found = [claim(2, 3, 4), claim(2, 3, 4), claim(0, 0, 0)]
    assert table.summary(found) == "Claims: 3. Hold: 2, fail: 1, undecided: 0."


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
        again = EXPERIMENTS[record.experiment].claims(record)
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
