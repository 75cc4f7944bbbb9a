"""The page on the first notes: claims with their verdicts, and entries with note and original."""

import re

import pytest

from bottomup import results
from tests.results.claim_references import NUMBER, claims_of, names_in
from tools.notebooks.paths import ROOT

PAGE = ROOT.joinpath("book/first_notes.md").read_text(encoding="utf-8")
CLAIMS = {claim.id: claim for claim in results.ledger()}
LIST, *CHAPTERS = PAGE.partition("\n## What the notes leave open")[0].split("\n## ")
NOTES = re.findall(r"^(\w+)\n: <span lang=\"ko\">", LIST, re.M)
# A term, and what stands behind the colon of its definition.
ENTRIES = [entry for chapter in CHAPTERS for entry in re.findall(r"^(.+)\n: (.+)$", chapter, re.M)]
ORIGINAL = re.compile(r"(\w+)(, summed up)?: <q lang=\"ko\">(.*[가-힣].*)</q>")
WITH_VERDICT = re.findall(rf"\b({NUMBER}[a-z]?) (holds|fails|undecided)\b", PAGE)


def test_every_claim_that_the_page_names_is_in_the_ledger():
    assert [name for name in names_in(PAGE) if not claims_of(name, CLAIMS)] == []


@pytest.mark.parametrize("name, verdict", WITH_VERDICT)
def test_a_verdict_on_the_page_is_that_of_the_ledger(name: str, verdict: str):
    assert CLAIMS[name].verdict == verdict


def test_the_page_states_verdicts_of_claims():
    assert ("05.5d", "fails") in WITH_VERDICT and ("07.8e", "undecided") in WITH_VERDICT


def test_the_page_has_the_four_notes_and_entries_of_each():
    assert len(NOTES) == 4
    assert {said.partition(":")[0].partition(",")[0] for _, said in ENTRIES} == set(NOTES)
    assert len(ENTRIES) > 30


@pytest.mark.parametrize("term, said", ENTRIES, ids=lambda text: text[:40])
def test_an_entry_has_a_translation_its_note_and_the_words_of_the_note(term: str, said: str):
    found = ORIGINAL.fullmatch(said)
    assert found is not None and found[1] in NOTES
    is_quoted = '"' in term
    assert is_quoted == (found[2] is None)
    assert re.search("[A-Za-z]{3}", term) and not re.search("[가-힣]", term)


def test_every_entry_is_answered_below_the_words_of_the_note():
    answered = re.findall(r"</q>\n\n {2}\S", PAGE)
    assert len(answered) == len(ENTRIES)
