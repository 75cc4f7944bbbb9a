"""Every number of a claim that a chapter's prose names is a link to its row, which is there."""

import re
from html import unescape
from pathlib import Path

import pytest

from tests.site.links import read_page
from tests.site.pages import ROOT, book_pages
from tools.records import prose_of

PAGES = [name for name in book_pages() if name.startswith("chapters/")] + ["book/first_notes"]
NUMBER = r"0\d[a-z]?\.\d+[a-z]?"
LINK = re.compile(r'<a class="[^"]*claim-link[^"]*" href="([^"]*)" title="([^"]*)">([^<]*)</a>')
# In the sources: comments name records, code and links keep what they say.
NO_PROSE = re.compile(
    r"<!--.*?-->|```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|\[[^\]]*\]\([^)]*\)|^#.*?$",
    re.DOTALL | re.MULTILINE,
)


def written(name: str) -> list[str]:
    """The numbers in the prose of a page's source, in their order."""
    notebook = ROOT / f"{name}.ipynb"
    source = prose_of(notebook if notebook.exists() else ROOT / f"{name}.md")
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
        if re.fullmatch(NUMBER, text):  # and not the letter in "07.6a, b"
            assert anchor.removeprefix("claim-").startswith(text.replace(".", "-"))
        assert re.search(r"\((holds|fails|undecided)\)$", unescape(tooltip))


def test_most_chapters_name_claims() -> None:
    counts = {name: len(written(name)) for name in PAGES}
    assert sum(counts.values()) > 200, counts
