"""Figures are sharp on any screen, and loaded when a reader comes near."""

import pytest
from playwright.sync_api import Browser

from tests.site.pages import book_pages
from tests.site.visit import DESKTOP

CHAPTERS = [page for page in book_pages() if page.startswith("chapters/")]


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_figure_has_two_pixels_for_each_of_the_page(
    browser: Browser, site: str, page: str
) -> None:
    with browser.new_context(viewport=DESKTOP) as context:
        tab = context.new_page()
        tab.goto(f"{site}/{page}.html")
        for image in tab.locator(".cell_output > img").all():
            image.scroll_into_view_if_needed()
        tab.wait_for_load_state("networkidle")
        sizes = tab.locator(".cell_output > img").evaluate_all(
            "images => images.map(i => [i.naturalWidth, i.clientWidth])"
        )
    assert len(sizes) >= 3
    assert [size for size in sizes if size[0] < 1.99 * size[1]] == []
