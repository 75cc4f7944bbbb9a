"""Knobs in a browser: what slider and list choose is what the figure shows and says."""

import pytest
from playwright.sync_api import Locator, expect

from bottomup.explorables import knobs
from tests.explorables.conftest import Open
from tests.explorables.demo import CHANCES, SEEN, SEEN_SENTENCES, chances
from tests.explorables.test_every_figure_in_browser import FIND_SMALL, listed
from tests.explorables.viewer import AS_JUPYTERLAB, figure
from tests.site.accessibility import serious_findings
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE, set_mode

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


def test_it_begins_at_the_defaults(open_page: Open):
    seen = figure(open_page(HTML["bars"]))
    assert rows(seen) == written(1.0, 2)
    assert seen.locator(".slider b").all_inner_texts() == ["1", "2"]


def test_arrow_keys_turn_a_knob_and_the_change_is_said(open_page: Open):
    page = open_page(HTML["bars"])
    seen = figure(page)
    seen.get_by_role("slider", name="temperature").focus()
    page.keyboard.press("End")
    assert rows(seen) == written(2.0, 2)
    seen.get_by_role("slider", name="k", exact=True).focus()
    page.keyboard.press("Home")
    assert rows(seen) == written(2.0, 1)
    assert seen.get_by_role("slider", name="k", exact=True).get_attribute("aria-valuetext") == "1"
    said = seen.locator("[aria-live=polite]")
    assert said.text_content() == "Largest: dog, 1.00."


def test_a_bar_is_as_wide_as_its_share_of_the_largest(open_page: Open):
    seen = figure(open_page(HTML["bars"]))
    shares = seen.locator(".stage td").evaluate_all(
        "all => all.map(one => +one.style.getPropertyValue('--share'))"
    )
    assert shares == [0.73, 0.27, 0]


def test_a_sentence_is_chosen_from_a_list(open_page: Open):
    seen = figure(open_page(HTML["shades"]))
    seen.get_by_label("sentence").select_option(SEEN_SENTENCES[1])
    words = SEEN_SENTENCES[1].split()
    assert seen.locator(".stage thead th").all_inner_texts() == words
    assert seen.locator(".stage tbody th").all_inner_texts() == words
    shades = seen.locator("td.shade")
    assert shades.count() == len(words) ** 2
    expect(shades.first).to_have_text("1.00")


def test_everything_is_reached_by_tab(open_page: Open):
    assert listed(open_page(HTML["bars"] + "<button>b</button>")) == ["range", "range"]


@pytest.mark.parametrize("name", HTML)
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_and_nothing_is_too_wide_or_too_small(open_page: Open, name, size):
    page = open_page(HTML[name], viewport=size)
    for mode in ("light", "dark"):
        set_mode(page, mode)
        assert serious_findings(page, contrast=True) == [], mode
    assert page.evaluate(FIND_OVERFLOW) == []
    assert figure(page).evaluate(FIND_SMALL) == []


def test_two_copies_work_each_for_itself(open_page: Open):
    page = open_page(HTML["bars"] + HTML["bars"])
    first, second = figure(page), figure(page, 1)
    second.get_by_role("slider", name="temperature").press("End")
    assert (rows(first), rows(second)) == (written(1.0, 2), written(2.0, 2))


def test_it_works_where_a_notebook_puts_scripts_in_again(open_page: Open):
    page = open_page("")
    page.evaluate(AS_JUPYTERLAB, HTML["bars"])
    page.wait_for_selector("[data-mounted]")
    assert rows(figure(page)) == written(1.0, 2)


def test_without_script_the_first_setting_is_a_table(open_page: Open):
    page = open_page(HTML["bars"], java_script_enabled=False)
    assert page.locator("td").all_inner_texts()[1:] == list(written(1.0, 2).values())
    assert "temperature 1, k 2" in page.locator("caption").inner_text()


def test_names_are_text_and_no_html(open_page: Open):
    bad = "<img src=x onerror=window.hit=1>"
    made = knobs(bad, lambda x: {bad: {bad: x, "{row}": x}}, x=[1, 2])
    page = open_page(made.recorded._repr_html_())
    assert figure(page).locator(".stage tbody th").inner_text() == bad
    assert page.evaluate("window.hit") is None
