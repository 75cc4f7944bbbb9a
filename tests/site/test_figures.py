"""Figures are sharp on any screen."""

from collections.abc import Callable

import nbformat
import pytest

from tests.site.pages import chapter_pages
from tests.site.visit import Visit
from tools.notebooks.paths import ROOT


@pytest.mark.parametrize("name", chapter_pages())
def test_a_figure_has_two_pixels_for_each_of_the_page(
    visited: Callable[[str], Visit], name: str
) -> None:
    sizes = visited(name).figures
    assert bool(sizes) == has_figures(name)  # a chapter of drawings alone has none
    assert [size for size in sizes if size[0] < 1.99 * size[1]] == []


def has_figures(name: str) -> bool:
    """Whether a chapter stores a picture made of pixels."""
    cells = nbformat.read(ROOT / f"{name}.ipynb", as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return any("image/png" in output.get("data", ()) for output in outputs)
