"""Every page of the book, opened in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.site.links import broken_links
from tests.site.pages import book_pages
from tests.site.visit import Visit

pytestmark = pytest.mark.xdist_group("visits")  # one process opens each page once

PAGES = [*book_pages(), "search", "genindex", "py-modindex"]


@pytest.mark.parametrize("page", PAGES)
def test_page_opens_without_a_problem(visited: Callable[[str], Visit], page: str) -> None:
    assert visited(page).problems == {}


@pytest.mark.parametrize("page", PAGES)
def test_page_has_a_title_of_its_own(visited: Callable[[str], Visit], page: str) -> None:
    others = {visited(other).title for other in PAGES if other != page}
    assert visited(page).title.strip() != ""
    assert visited(page).title not in others


@pytest.mark.parametrize("page", PAGES)
def test_formulae_of_the_page_are_drawn(
    visited: Callable[[str], Visit], built: Path, page: str
) -> None:
    html = built.joinpath(f"{page}.html").read_text("utf-8")
    written = html.count('class="math ') + html.count('class="amsmath math ')
    assert visited(page).formulae == written


def test_notation_is_a_page_with_formulae(visited: Callable[[str], Visit]) -> None:
    assert visited("book/notation").formulae > 20


def test_no_link_anchor_or_image_of_the_site_is_broken(built: Path) -> None:
    assert broken_links(built) == []


def test_front_door_leads_to_the_landing_page(built: Path) -> None:
    assert "book/index.html" in built.joinpath("index.html").read_text("utf-8")
