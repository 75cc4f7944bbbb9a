"""What a chapter tells in sight is what the ledger says, and the proof has its own place."""

from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bottomup import results
from tests.chapters.findings import (
    MARK,
    MEASURED,
    Finding,
    findings,
    in_sight,
    paragraphs,
    printed,
    problem,
)
from tests.results.claim_references import names_in
from tools.notebooks.paths import all_chapters, chapter_number


@cache
def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


@cache
def verdicts() -> dict[str, str]:
    return {claim.id: claim.verdict for claim in results.ledger()}


LESSONS = [path for path in all_chapters() if in_sight(read(path))]
chapter = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


@chapter
def test_a_finding_is_told_as_its_claim_came_out(path: Path):
    told = [each for paragraph in paragraphs(read(path)) for each in findings(paragraph)]
    claims = [claim for claim in verdicts() if claim.startswith(f"{chapter_number(path)}.")]
    assert bool(told) == bool(claims)
    assert [wrong for each in told if (wrong := problem(each, verdicts()[each.claim]))] == []


@chapter
def test_a_measured_number_leads_to_its_proof(path: Path):
    measured = [each for each in paragraphs(read(path)) if MEASURED.search(each)]
    assert [each[:70] for each in measured if MARK not in each] == []


@chapter
def test_no_spread_and_no_number_of_a_claim_is_in_sight(path: Path):
    shown = [*paragraphs(read(path)), *printed(read(path))]
    assert [text[:70] for text in shown if "±" in text or names_in(text)] == []


PARAGRAPH = (
    "With 16 they learned it. <!-- finding: 02.3d -->With 1,024<!-- record: a/b c.mean d --> we "
    "cannot say. <!-- finding: 02.3c -->[※](#here)"
)


def test_a_finding_is_what_stands_before_its_comment():
    assert findings(PARAGRAPH) == [
        Finding("02.3d", "With 16 they learned it."),
        Finding("02.3c", "With 1,024 we cannot say."),
    ]
    assert findings("No finding.<!-- record: a/b c.mean d -->") == []


@pytest.mark.parametrize(
    "told, verdict, right",
    [
        ("The two differ.", "holds", True),
        ("The two differ.", "undecided", False),
        ("The two differ.", "fails", False),
        ("We cannot say whether they differ.", "undecided", True),
        ("We cannot say whether they differ.", "fails", False),
        ("We cannot say whether they differ.", "holds", False),
        ("They did not differ.", "fails", True),
        ("They did not differ.", "undecided", False),
    ],
)
def test_words_and_verdict(told: str, verdict: str, right: bool):
    assert (problem(Finding("02.1", told), verdict) is None) == right


def test_what_is_in_sight_of_a_chapter():
    folded = "<details><summary>a</summary>\n\n0.1 ± 0.2\n\n</details>"
    shown = new_code_cell("1", outputs=[new_output("stream", text="seen")])
    hidden = new_code_cell("2", outputs=[new_output("stream", text="not seen")])
    hidden.metadata["tags"] = ["hide-output"]
    cells = [new_markdown_cell(f"one\n\n{folded}\n\ntwo\n- three"), shown, hidden]
    appendix = new_markdown_cell("## How we know\n\n0.1 ± 0.2")
    notebook = new_notebook(cells=[*cells, appendix, new_markdown_cell("after")])
    assert [text for text in paragraphs(notebook) if text] == ["one", "two", "- three"]
    assert list(printed(notebook)) == ["seen"]
    assert in_sight(new_notebook(cells=cells)) == []
