"""The boxes of the page of exercises: they count, they last, and the page does without them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bottomup.exercises import catalog
from tests.site.visit import DESKTOP

EXERCISES = list(catalog().values())
TESTS = [exercise for exercise in EXERCISES if exercise.test_minutes]
MINUTES = sum(exercise.minutes + exercise.test_minutes for exercise in EXERCISES)
FIRST, SECOND = EXERCISES[0], EXERCISES[4]
KEY = "bottomup.exercises"


@pytest.fixture
def page(page: Page, site: str) -> Page:
    page.goto(f"{site}/book/exercises.html")
    return page


def box(page: Page, title: str) -> Locator:
    return page.get_by_role("checkbox", name=title.replace("'", "’"))  # typeset by Sphinx


def says(page: Page, count: int, minutes: int, tests: int = 0) -> None:
    expected = (
        f"{count} of {len(EXERCISES)} exercises, {tests} of {len(TESTS)} tests, "
        f"{minutes} of {MINUTES} minutes"
    )
    expect(page.get_by_role("status")).to_contain_text(expected)


def test_every_exercise_has_a_box_named_by_its_title(page: Page):
    expect(page.get_by_role("checkbox")).to_have_count(len(EXERCISES) + len(TESTS))
    for exercise in EXERCISES:
        expect(box(page, exercise.title)).to_have_count(1)


def test_a_tick_counts_and_outlasts_a_reload(page: Page):
    says(page, 0, 0)
    box(page, FIRST.title).check()
    box(page, SECOND.title).check()
    says(page, 2, FIRST.minutes + SECOND.minutes)
    page.reload()
    expect(box(page, FIRST.title)).to_be_checked()
    says(page, 2, FIRST.minutes + SECOND.minutes)
    box(page, FIRST.title).uncheck()
    page.reload()
    expect(box(page, FIRST.title)).not_to_be_checked()
    says(page, 1, SECOND.minutes)


def test_a_test_is_counted_apart(page: Page):
    assert FIRST in TESTS
    box(page, "The test of 0.1").check()
    says(page, 0, FIRST.test_minutes, tests=1)
    box(page, FIRST.title).check()
    says(page, 1, FIRST.minutes + FIRST.test_minutes, tests=1)


def test_a_box_is_reached_and_ticked_by_keyboard(page: Page):
    box(page, FIRST.title).focus()
    page.keyboard.press("Space")
    expect(box(page, FIRST.title)).to_be_checked()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name=FIRST.title)).to_be_focused()


def test_a_tick_shows_in_another_tab(page: Page, site: str):
    other = page.context.new_page()
    other.goto(f"{site}/book/exercises.html")
    box(other, FIRST.title).check()
    expect(box(page, FIRST.title)).to_be_checked()
    says(page, 1, FIRST.minutes)


@pytest.mark.parametrize("stored", ["not JSON", '{"a": 1}', '["no-such-exercise"]'])
def test_what_stands_in_the_storage_by_accident_does_no_harm(page: Page, stored: str):
    page.evaluate("([key, value]) => localStorage.setItem(key, value)", [KEY, stored])
    page.reload()
    says(page, 0, 0)
    box(page, FIRST.title).check()
    says(page, 1, FIRST.minutes)


def test_a_browser_that_keeps_nothing_still_counts(browser: Browser, site: str):
    refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    with browser.new_context(viewport=DESKTOP) as context:
        context.add_init_script(refuse)
        page = context.new_page()
        page.goto(f"{site}/book/exercises.html")
        box(page, FIRST.title).check()
        says(page, 1, FIRST.minutes)


def test_without_scripts_the_page_is_a_list_of_links(window: Callable[..., Page], site: str):
    page = window(java_script_enabled=False)
    page.goto(f"{site}/book/exercises.html")
    expect(page.locator("ul.exercise-list > li a")).to_have_count(len(EXERCISES) + len(TESTS))
    expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(page.locator(".exercise-ticked")).to_be_hidden()
    page.get_by_role("link", name=FIRST.title).click()
    expect(page.get_by_role("heading", name=FIRST.title)).to_be_visible()
