"""What a reader downloads to see a page, with an empty cache and a server that compresses."""

from collections.abc import Callable

import pytest

from tests.site.pages import book_pages
from tests.site.visit import Visit, transfer_size

LIMIT = 450_000  # bytes over all requests of a page, without the figures of a chapter
FIGURES = "/_images/"


@pytest.mark.parametrize("page", book_pages())
def test_page_without_its_figures_stays_light(
    visited: Callable[[str], Visit], page: str, record_property: Callable[[str, int], None]
) -> None:
    seen = visited(page)
    weight = seen.weight(without=FIGURES)
    record_property("bytes", weight)
    heaviest = sorted(seen.transferred.items(), key=lambda item: -item[1])[:5]
    assert weight <= LIMIT, heaviest


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
