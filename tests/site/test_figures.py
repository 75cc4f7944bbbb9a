"""Figures are sharp on any screen, and as large as they were drawn."""

from pathlib import Path

import pytest
from offline_site.figures import width
from PIL import Image
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
        tab.goto(f"{site}/{page}.html", wait_until="networkidle")
        sizes = tab.locator(".cell_output > img").evaluate_all(
            "images => images.map(i => [i.naturalWidth, i.clientWidth])"
        )
    assert len(sizes) >= 3
    assert [size for size in sizes if size[0] < 1.99 * size[1]] == []


@pytest.mark.parametrize("resolution, pixels", [(220, 350), (110, 700), (None, None)])
def test_the_width_follows_from_the_resolution(
    tmp_path: Path, resolution: int | None, pixels: int | None
) -> None:
    path = tmp_path / "figure.png"
    kept = {"dpi": (resolution, resolution)} if resolution else {}
    Image.new("RGB", (700, 400)).save(path, **kept)
    assert width(path) == pixels
