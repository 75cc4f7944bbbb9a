"""What a reader downloads to see a page, with an empty cache and a server that compresses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.site.pages import book_pages
from tests.site.visit import Visit, transfer_size

pytestmark = pytest.mark.xdist_group("visits")  # one process opens each page once

# Bytes of a page as it opens: pictures further down come when a reader scrolls to them.
LIMIT = 500_000
LIMIT_WITH_EXPLORABLES = 900_000


@pytest.mark.parametrize("page", book_pages())
def test_page_stays_light(built: Path, visited: Callable[[str], Visit], page: str) -> None:
    seen = visited(page)
    interactive = "data-explorable" in built.joinpath(f"{page}.html").read_text("utf-8")
    heaviest = sorted(seen.transferred.items(), key=lambda item: -item[1])[:5]
    assert seen.opened <= (LIMIT_WITH_EXPLORABLES if interactive else LIMIT), heaviest


def test_weight_counts_every_request_of_a_page(visited: Callable[[str], Visit]) -> None:
    addresses = " ".join(visited("book/notation").transferred)
    for part in ("notation.html", "pydata-sphinx-theme.css", "mathjax/core.js", ".woff2", ".woff"):
        assert part in addresses


def test_page_without_formulae_does_not_load_mathjax(visited: Callable[[str], Visit]) -> None:
    seen = visited("book/how_to_use")
    assert seen.formulae == 0
    assert not any("mathjax" in address for address in seen.transferred)


def test_transfer_size_compresses_text_but_not_fonts() -> None:
    body = b"a" * 1000
    assert transfer_size("http://host/page.html", body) < 50
    assert transfer_size("http://host/font.woff2?v=1", body) == 1000
