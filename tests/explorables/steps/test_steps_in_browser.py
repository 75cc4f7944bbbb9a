"""A drawing in steps in a browser: slider, keys and buttons show one picture and its sentence."""

import pytest
from playwright.sync_api import Locator

from tests.explorables.conftest import Open
from tests.explorables.demo import GROWING, STEPS, STEPS_SAY
from tests.explorables.test_every_figure_in_browser import FIND_SMALL
from tests.explorables.viewer import figure
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import FIND_OVERFLOW, PHONE

pytestmark = pytest.mark.slow


def shown(seen: Locator) -> tuple[str | None, str, str | None]:
    """The name of the only picture, the sentence, and what the slider says."""
    (name,) = seen.locator(".stage svg").evaluate_all("all => all.map(one => one.ariaLabel)")
    said = seen.locator(".summary").inner_text()
    return name, said, seen.locator("input[type=range]").get_attribute("aria-valuetext")


def test_keys_and_buttons_lead_through_the_steps_and_stop_at_the_ends(open_page: Open):
    page = open_page(STEPS._repr_html_())
    seen = figure(page)
    seen.locator("input[type=range]").focus()
    assert shown(seen) == ("A cache that grows. One key more at each step.", STEPS_SAY[0], "1 of 3")
    places = []
    for press in ("ArrowRight", "ArrowRight", "ArrowRight", "Home"):
        page.keyboard.press(press)
        places.append(STEPS_SAY.index(shown(seen)[1]))
    for button in ("step before", "step after", "step after", "step before"):
        seen.get_by_role("button", name=button).click()
        places.append(STEPS_SAY.index(shown(seen)[1]))
    assert places == [1, 2, 2, 0, 0, 1, 2, 1]
    assert shown(seen)[0] == "A cache that grows, 2"


def test_a_picture_stands_in_the_figures_colours(open_page: Open):
    seen = figure(open_page(STEPS._repr_html_()))
    fills = seen.locator(".stage rect.lit").evaluate_all(
        "all => all.map(one => getComputedStyle(one).stroke)"
    )
    assert set(fills) == {"rgb(0, 114, 178)"}


@pytest.mark.parametrize("made", [STEPS, GROWING], ids=["in steps", "side by side"])
def test_axe_finds_nothing_and_nothing_is_too_wide_or_too_small(open_page: Open, made):
    page = open_page(made._repr_html_(), viewport=PHONE)
    assert page.evaluate(FIND_OVERFLOW) == []
    if made is STEPS:
        found = figure(page).evaluate(FIND_SMALL)
        assert {name.split(":")[0] for name in found} <= {"tspan.small"}  # subscripts
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
