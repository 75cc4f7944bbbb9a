"""The chapters and the ledger name the same claims."""

from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from bottomup import results
from tests.results.claim_references import claims_of, names_in_code, names_shown
from tools.notebooks.paths import all_chapters, find_notebooks


@cache
def ids() -> list[str]:
    return [claim.id for claim in results.ledger()]


@cache
def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


@cache
def shown_in(chapter: str) -> set[str]:
    """The claims that a chapter shows, by the chapter's number."""
    (path,) = find_notebooks([chapter])
    return {found for name in names_shown(read(path)) for found in claims_of(name, ids())}


def test_a_claim_of_the_ledger_is_named_in_its_chapter():
    assert [claim.id for claim in results.ledger() if claim.id not in shown_in(claim.chapter)] == []


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_claim_that_a_chapter_names_is_in_the_ledger(path: Path):
    names = names_shown(read(path)) + names_in_code(read(path))
    assert [name for name in names if not claims_of(name, ids())] == []
