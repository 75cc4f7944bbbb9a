"""Knobs in a browser: what slider and list choose is what the figure shows and says."""

import pytest
from playwright.sync_api import Locator, expect

from bottomup.explorables import knobs
from tests.explorables.conftest import Open
from tests.explorables.demo import CHANCES, SEEN, SEEN_SENTENCES, chances
from tests.explorables.test_every_figure_in_browser import FIND_SMALL
from tests.explorables.viewer import css, figure
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import FIND_OVERFLOW, PHONE

pytestmark = pytest.mark.slow

HTML = {
    name: made.recorded._repr_html_() for name, made in {"bars": CHANCES, "shades": SEEN}.items()
}


def rows(seen: Locator) -> dict[str, str]:
    names = seen.locator(".stage tbody th").all_inner_texts()
    return dict(zip(names, seen.locator(".stage tbody td").all_inner_texts(), strict=True))


def written(temperature: float, k: int) -> dict[str, str]:
    shares = chances(temperature, k)
    return {name: "cut" if share is None else f"{share:.2f}" for name, share in shares.items()}


def test_arrow_keys_turn_a_knob_of_one_copy_and_the_change_is_said(open_page: Open):
    page = open_page(HTML["bars"] + HTML["bars"])
    other, seen = figure(page), figure(page, 1)
    seen.get_by_role("slider", name="temperature").focus()
    page.keyboard.press("End")
    assert rows(seen) == written(2.0, 2)
    seen.get_by_role("slider", name="k", exact=True).focus()
    page.keyboard.press("Home")
    assert rows(seen) == written(2.0, 1)
    assert seen.get_by_role("slider", name="k", exact=True).get_attribute("aria-valuetext") == "1"
    assert seen.locator("[aria-live=polite]").text_content() == "Largest: dog, 1.00."
    assert rows(other) == written(1.0, 2)  # where it begins
    assert other.locator(".slider b").all_inner_texts() == ["1", "2"]
    assert css(other.locator(".stage td"), "--share") == [0.73, 0.27, 0]


def test_a_sentence_is_chosen_from_a_list(open_page: Open):
    seen = figure(open_page(HTML["shades"]))
    seen.get_by_label("sentence").select_option(SEEN_SENTENCES[1])
    words = SEEN_SENTENCES[1].split()
    assert seen.locator(".stage thead th").all_inner_texts() == words
    assert seen.locator(".stage tbody th").all_inner_texts() == words
    shades = seen.locator("td.shade")
    assert shades.count() == len(words) ** 2
    expect(shades.first).to_have_text("1.00")


@pytest.mark.parametrize("name", HTML)
def test_axe_finds_nothing_and_nothing_is_too_wide_or_too_small(open_page: Open, name):
    page = open_page(HTML[name], viewport=PHONE)
    assert page.evaluate(FIND_OVERFLOW) == []
    assert figure(page).evaluate(FIND_SMALL) == []
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}


def test_names_are_text_and_no_html(open_page: Open):
    bad = "<img src=x onerror=window.hit=1>"
    made = knobs(bad, lambda x: {bad: {bad: x, "{row}": x}}, x=[1, 2])
    page = open_page(made.recorded._repr_html_())
    assert figure(page).locator(".stage tbody th").inner_text() == bad
    assert page.evaluate("window.hit") is None
