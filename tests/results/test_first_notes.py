"""From the notes to the book: each row leads to a section; claims, verdicts and words quoted."""

import json
import re
from functools import cache

import pytest
from docutils.nodes import make_id

from bottomup import results
from tests.results.claim_references import NUMBER, claims_of, names_in
from tools.notebooks.paths import ROOT

PAGE = ROOT.joinpath("book/first_notes.md").read_text(encoding="utf-8")
CLAIMS = {claim.id: claim for claim in results.ledger()}
ROWS = re.findall(r"^\| (.+) \| (\*\*.+) \|$", PAGE, re.M)  # the note, and the book
AGREEMENT = re.compile(r"\*\*(Right|Right, with a detail|Half right|Different|Answered|.+)\.\*\* ")
QUOTED = re.compile(r"<q lang=\"ko\">.*[가-힣].*</q> \".*[A-Za-z]{3}.*\"")
LINK = re.compile(r"\]\(\.\./(chapters/\w+\.ipynb)#([\w-]+)\)")
WITH_VERDICT = re.findall(rf"\b({NUMBER}[a-z]?) (holds|fails|undecided)\b", PAGE)


def agreement(book: str) -> str:
    found = AGREEMENT.match(book)
    assert found is not None
    return found[1]


@cache
def anchors(chapter: str) -> set[str]:
    cells = json.loads(ROOT.joinpath(chapter).read_text("utf-8"))["cells"]
    text = "\n\n".join("".join(each["source"]) for each in cells if each["cell_type"] == "markdown")
    return {make_id(heading) for heading in re.findall(r"^#+ (.+)$", text, re.M)}


def test_every_claim_that_the_page_names_is_in_the_ledger():
    assert [name for name in names_in(PAGE) if not claims_of(name, CLAIMS)] == []
    assert [name for name, verdict in WITH_VERDICT if CLAIMS[name].verdict != verdict] == []


def test_the_page_has_the_four_notes_and_two_rows_in_three_need_no_correction():
    assert len(re.findall(r"^<span lang=\"ko\">", PAGE, re.M)) == 4
    assert ("05.5d", "fails") in WITH_VERDICT and ("07.8e", "undecided") in WITH_VERDICT
    kinds = [agreement(book) for _, book in ROWS]
    right = sum(kind.startswith("Right") for kind in kinds)
    wrong = sum(kind in ("Half right", "Different") for kind in kinds)
    assert len(ROWS) > 100 and 0.6 < right / (right + wrong) < 0.7


@pytest.mark.parametrize("note, book", ROWS, ids=lambda text: text[:40])
def test_a_row_leads_to_sections_and_what_is_not_right_is_quoted_and_answered(note, book):
    links = LINK.findall(book)
    assert links or "](origins.md)" in book
    assert [link for link in links if link[1] not in anchors(link[0])] == []
    if agreement(book) in ("Half right", "Different"):
        assert QUOTED.match(note)
        assert len(re.sub(r"\[.*?\]\(.*?\)", "", book).split()) > 6
    else:
        assert not note.startswith("<q") or agreement(book) == "Answered"
