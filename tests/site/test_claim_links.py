"""Every number of a claim that a chapter's prose names is a link to its row, which is there."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import nbformat
import pytest

from tests.site.links import read_page
from tests.site.pages import ROOT, book_pages

PAGES = [name for name in book_pages() if name.startswith("chapters/")] + ["book/first_notes"]
NUMBER = r"(?:0\d[a-z]?\.\d+[a-z]?|1\d[a-z]?\.\d+[a-m])"
LINK = re.compile(r'<a class="[^"]*claim-link[^"]*" href="([^"]*)" title="([^"]*)">([^<]*)</a>')
STANDINGS = "confirmed|not confirmed|undecided|to be run again|(held|failed) (once|in its rerun)"
# In the sources: comments name records, code and links keep what they say.
NO_PROSE = re.compile(
    r"<!--.*?-->|```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|\[[^\]]*\]\([^)]*\)|^#.*?$",
    re.DOTALL | re.MULTILINE,
)


def texts(notebook: Path) -> Iterator[str]:
    """Yield the prose of a notebook, and the tables that its cells print as Markdown."""
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield cell.source
        else:
            yield from (each.get("data", {}).get("text/markdown", "") for each in cell.outputs)


def written(name: str) -> list[str]:
    """The numbers in the prose of a page's source, in their order."""
    notebook, page = ROOT / f"{name}.ipynb", ROOT / f"{name}.md"
    source = "\n\n".join(texts(notebook)) if notebook.exists() else page.read_text("utf-8")
    return re.findall(rf"(?<![\w./-]){NUMBER}(?![\w])", NO_PROSE.sub(" ", source))


@pytest.mark.parametrize("name", PAGES)
def test_every_claim_in_prose_leads_to_its_row(built: Path, name: str) -> None:
    links = LINK.findall(built.joinpath(f"{name}.html").read_text("utf-8"))
    assert [text for *_, text in links if re.fullmatch(NUMBER, text)] == written(name)
    anchors = read_page(built / "book/ledger.html").anchors
    for address, tooltip, text in links:
        page, _, anchor = address.partition("#")
        assert built.joinpath(name).parent.joinpath(page).resolve() == built / "book/ledger.html"
        assert anchor in anchors
        # a letter stands alone in "07.6a, b", and identities share a line
        if re.fullmatch(NUMBER, text) and anchor != "identities":
            assert anchor.removeprefix("claim-").startswith(text.replace(".", "-"))
        assert re.search(rf"\(({STANDINGS})\)$", unescape(tooltip))


def test_most_chapters_name_claims() -> None:
    counts = {name: len(written(name)) for name in PAGES}
    assert sum(counts.values()) > 200, counts
