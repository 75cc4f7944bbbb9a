"""The figure of segments in a browser: what lights up is what the package says."""

import pytest
from playwright.sync_api import Locator

from bottomup.explorables import segments
from bottomup.models import longest_reach
from tests.explorables.conftest import Open
from tests.explorables.viewer import figure, summary

pytestmark = pytest.mark.slow

HTML = segments()._repr_html_()


def lit(seen: Locator) -> list[list[int]]:
    """The positions that are lit, from the tokens up."""
    rows = seen.locator(".level").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.state')].flatMap((state, place) =>"
        " state.matches('.own, .kept') ? [place] : []))"
    )
    return rows[::-1]


def choose(seen: Locator, name: str, value: int) -> None:
    group = seen.locator("fieldset").filter(has_text=name)
    group.locator("label").filter(has_text=str(value)).click()


def test_it_starts_at_the_last_position(open_page: Open):
    seen = figure(open_page(HTML))
    assert lit(seen) == [list(range(20, 32)), list(range(24, 32)), [31]]
    assert summary(seen).startswith("Position 31 knows of 11 positions before it.")


def test_choices_light_up_what_they_reach(open_page: Open):
    seen = figure(open_page(HTML))
    choose(seen, "Segment", 8)
    choose(seen, "Memory", 6)
    choose(seen, "Layers", 3)
    reach = longest_reach(layers=3, segment=8, memory=6)
    assert lit(seen)[0] == list(range(31 - reach, 32))
    assert f"knows of {reach} positions" in summary(seen)


def test_the_position_moves_by_the_keyboard(open_page: Open):
    seen = figure(open_page(HTML))
    seen.get_by_role("slider").focus()
    seen.page.keyboard.press("Home")
    assert lit(seen) == [[0], [0], [0]]
    assert summary(seen).startswith("Position 0 knows of no position before it. There the text")
    seen.page.keyboard.press("ArrowRight")
    assert lit(seen)[0] == [0, 1]
