"""Figures are sharp on any screen."""

from collections.abc import Callable

import pytest

from tests.site.pages import chapter_pages
from tests.site.visit import Visit


@pytest.mark.parametrize("name", chapter_pages())
def test_a_figure_has_two_pixels_for_each_of_the_page(
    visited: Callable[[str], Visit], name: str
) -> None:
    sizes = visited(name).figures
    assert sizes
    assert [size for size in sizes if size[0] < 1.99 * size[1]] == []
