"""Figures are sharp on any screen."""

from collections.abc import Callable

import pytest

from tests.site.pages import book_pages
from tests.site.visit import Visit

pytestmark = pytest.mark.xdist_group("visits")  # one process opens each page once

CHAPTERS = [page for page in book_pages() if page.startswith("chapters/")]


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_figure_has_two_pixels_for_each_of_the_page(
    visited: Callable[[str], Visit], page: str
) -> None:
    sizes = visited(page).figures
    assert len(sizes) >= 3
    assert [size for size in sizes if size[0] < 1.99 * size[1]] == []
