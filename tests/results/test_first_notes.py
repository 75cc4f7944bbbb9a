"""The page on the first notes names claims of the ledger, with the verdicts they have."""

import re

import pytest

from bottomup import results
from tests.results.claim_references import NUMBER, claims_of, names_in
from tools.notebooks.paths import ROOT

PAGE = ROOT.joinpath("book/first_notes.md").read_text(encoding="utf-8")
CLAIMS = {claim.id: claim for claim in results.ledger()}
WITH_VERDICT = re.findall(rf"\b({NUMBER}[a-z]?) (holds|fails|undecided)\b", PAGE)


def test_every_claim_that_the_page_names_is_in_the_ledger():
    assert [name for name in names_in(PAGE) if not claims_of(name, CLAIMS)] == []


@pytest.mark.parametrize("name, verdict", WITH_VERDICT)
def test_a_verdict_on_the_page_is_that_of_the_ledger(name: str, verdict: str):
    assert CLAIMS[name].verdict == verdict


def test_the_page_states_verdicts_of_claims():
    assert ("05.5d", "fails") in WITH_VERDICT and ("07.8e", "undecided") in WITH_VERDICT
