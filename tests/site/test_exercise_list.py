"""The boxes of the page of exercises: they count, they last, and the page does without them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from bottomup.exercises import catalog

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


def test_a_tick_counts_and_outlasts_a_reload(page: Page):
    expect(page.get_by_role("checkbox")).to_have_count(len(EXERCISES) + len(TESTS))
    for stored in ("not JSON", '{"a": 1}', '["no-such-exercise"]'):  # which do no harm
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [KEY, stored])
        page.reload()
        says(page, 0, 0)
    box(page, FIRST.title).focus()
    page.keyboard.press("Space")
    expect(box(page, FIRST.title)).to_be_checked()
    box(page, SECOND.title).check()
    says(page, 2, FIRST.minutes + SECOND.minutes)
    page.reload()
    expect(box(page, FIRST.title)).to_be_checked()
    says(page, 2, FIRST.minutes + SECOND.minutes)
    box(page, FIRST.title).uncheck()
    page.reload()
    expect(box(page, FIRST.title)).not_to_be_checked()
    says(page, 1, SECOND.minutes)
    assert FIRST in TESTS
    box(page, "The test of 0.1").check()
    says(page, 1, SECOND.minutes + FIRST.test_minutes, tests=1)  # counted apart


def test_a_tick_shows_in_another_tab(page: Page, site: str):
    other = page.context.new_page()
    other.goto(f"{site}/book/exercises.html")
    box(other, FIRST.title).check()
    expect(box(page, FIRST.title)).to_be_checked()
    says(page, 1, FIRST.minutes)


def test_without_scripts_the_page_is_a_list_of_links(window: Callable[..., Page], site: str):
    page = window(java_script_enabled=False)
    page.goto(f"{site}/book/exercises.html")
    expect(page.locator("ul.exercise-list > li a")).to_have_count(len(EXERCISES) + len(TESTS))
    expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(page.locator(".exercise-ticked")).to_be_hidden()
    page.get_by_role("link", name=FIRST.title).click()
    expect(page.get_by_role("heading", name=FIRST.title)).to_be_visible()
