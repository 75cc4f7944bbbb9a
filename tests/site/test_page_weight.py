"""What a reader downloads to see a page, with an empty cache and a server that compresses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.site.pages import book_pages
from tests.site.visit import Visit, transfer_size

# Bytes of a page as it opens: pictures further down come when a reader scrolls to them.
LIMIT = 500_000
LIMIT_WITH_EXPLORABLES = 900_000


@pytest.mark.parametrize("name", book_pages())
def test_page_stays_light(built: Path, visited: Callable[[str], Visit], name: str) -> None:
    seen = visited(name)
    interactive = "data-explorable" in built.joinpath(f"{name}.html").read_text("utf-8")
    heaviest = sorted(seen.transferred.items(), key=lambda item: -item[1])[:5]
    assert seen.opened <= (LIMIT_WITH_EXPLORABLES if interactive else LIMIT), heaviest


@pytest.mark.parametrize("name", ["book/notation", "book/how_to_use"])
def test_weight_counts_every_request_and_only_formulae_need_mathjax(
    visited: Callable[[str], Visit], name: str
) -> None:
    seen = visited(name)
    addresses = " ".join(seen.transferred)
    for part in (f"{name}.html", "pydata-sphinx-theme.css", ".woff2"):
        assert part in addresses
    assert ("mathjax/core.js" in addresses) == (name == "book/notation") == (seen.formulae > 0)


def test_transfer_size_compresses_text_but_not_fonts() -> None:
    body = b"a" * 1000
    assert transfer_size("http://host/page.html", body) < 50
    assert transfer_size("http://host/font.woff2?v=1", body) == 1000
