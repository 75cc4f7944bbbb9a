"""The fast path on a chapter's page: marks, and a button that folds the rest and shows it again."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import FIND_OVERFLOW, PHONE, set_mode

CHAPTER = "chapters/02_self_attention"
ANOTHER = "chapters/03_multi_head_attention"
ON, OFF, PART = "#masks", "#temperature", "#exercise-2-2-the-causal-mask"


@pytest.fixture
def page(page: Page, site: str) -> Page:
    page.goto(f"{site}/{CHAPTER}.html")
    return page


def switch(page: Page) -> Locator:
    return page.locator("button.fast-path-switch")


def fold(page: Page) -> None:
    switch(page).click()
    expect(switch(page)).to_have_text("Show all")


def text(page: Page, section: str) -> Locator:
    """The first paragraph of a section."""
    return page.locator(f"section{section} p").first


def shows(page: Page, section: str, visible: bool) -> None:
    expect(text(page, section)).to_be_visible(visible=visible)


def test_marks_stand_beside_headings_and_the_line_leads_to_its_sections(page: Page) -> None:
    ids = "all => all.map(e => e.closest('section').id)"
    beside = page.locator(":is(h2, h3) > .fast-path-mark").evaluate_all(ids)
    assert {"masks", "order", "sinusoids"} <= set(beside)
    assert not {"temperature", "three-conventions", "summary"} & set(beside)
    named = page.locator(".bd-sidebar-secondary a:has(.fast-path-mark)")
    hashes = named.evaluate_all("all => all.map(link => link.hash.slice(1))")
    assert hashes == beside
    expect(page.get_by_role("img", name="on the fast path").first).to_be_visible()
    line = page.locator("h1 + p.fast-path")
    line.get_by_role("link", name="8", exact=True).click()
    assert page.url.endswith(ON)
    line.get_by_role("link", name="Fast path").click()
    expect(page.locator("#one-evening h3")).to_be_in_viewport()


def test_the_rest_is_folded_and_shown_by_key(page: Page) -> None:
    switch(page).focus()
    page.keyboard.press("Enter")
    shows(page, ON, True)
    for section in (OFF, PART, "#summary"):
        shows(page, section, False)
        expect(page.locator(f"section{section} > :is(h2, h3)")).to_be_visible()
    page.keyboard.press("Enter")
    expect(switch(page)).to_have_text("Fold the rest")
    for section in (ON, OFF, PART):
        shows(page, section, True)
    expect(page.locator(".fast-path-opener:visible")).to_have_count(0)


def test_a_folded_section_opens_and_closes_by_its_own_button(page: Page) -> None:
    fold(page)
    opener = page.get_by_role("button", name="Show: 11. Temperature")
    opener.focus()
    page.keyboard.press("Enter")
    shows(page, OFF, True)
    shows(page, PART, False)
    closer = page.get_by_role("button", name="Hide: 11. Temperature")
    expect(closer).to_be_focused()
    expect(closer).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    shows(page, OFF, False)


def test_a_link_into_a_folded_section_opens_it_also_a_second_time(page: Page) -> None:
    fold(page)
    link = page.locator(f".bd-sidebar-secondary a[href='{OFF}']")
    for _ in range(2):
        link.click()
        shows(page, OFF, True)
        expect(page.locator(f"section{OFF} > h2")).to_be_in_viewport()
        page.get_by_role("button", name="Hide: 11. Temperature").click()
        shows(page, OFF, False)


def test_the_choice_is_remembered_and_an_address_opens_its_section(page: Page, site: str) -> None:
    fold(page)
    page.goto(f"{site}/{ANOTHER}.html")
    shows(page, "#how-many-heads", False)
    page.goto(f"{site}/{CHAPTER}.html{PART}")
    shows(page, PART, True)
    expect(page.locator(f"section{PART} > h3")).to_be_in_viewport()
    shows(page, OFF, False)
    switch(page).click()
    page.reload()
    shows(page, OFF, True)


def test_a_result_of_the_search_is_not_folded(page: Page, site: str) -> None:
    fold(page)
    page.goto(f"{site}/search.html?q=antecedent")
    page.locator("#search-results a[href*='02_self_attention']").first.click()
    page.wait_for_url(f"**/{CHAPTER}.html*")
    expect(page.locator("#what-does-a-trained-network-look-at .highlighted").first).to_be_visible()
    expect(switch(page)).to_have_text("Fold the rest")
    page.reload()
    expect(switch(page)).to_have_text("Show all")


def test_a_folded_page_is_found_in_printed_whole_accessible_and_fits_a_phone(page: Page) -> None:
    fold(page)
    rest = page.locator(f"section{OFF} > .fast-path-rest")
    assert rest.get_attribute("hidden") == "until-found"
    rest.evaluate("e => e.dispatchEvent(new Event('beforematch'))")  # by the browser's search
    shows(page, OFF, True)
    page.emulate_media(media="print")
    for section in (ON, OFF, PART):
        shows(page, section, True)
    buttons = page.locator("button:is(.fast-path-switch, .fast-path-opener)")
    expect(buttons.locator("visible=true")).to_have_count(0)
    page.emulate_media(media="screen")
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
    page.set_viewport_size(PHONE)
    for mode in ("dark", "light"):
        set_mode(page, mode)
        assert page.evaluate(FIND_OVERFLOW) == [], mode


def test_the_list_of_sections_closes_when_one_is_chosen(
    window: Callable[..., Page], site: str
) -> None:
    page = window(viewport=PHONE, has_touch=True)
    page.goto(f"{site}/{CHAPTER}.html")
    page.locator("button.secondary-toggle:visible").tap()
    listed = page.locator("#pst-secondary-sidebar-modal")
    expect(listed).to_be_visible()
    listed.locator(f"a[href='{OFF}']").tap()
    expect(listed).to_be_hidden()
    expect(page.locator(f"section{OFF} > h2")).to_be_in_viewport()
