"""Below an exercise, folded: wrong answers as tabs that keys move, and the solution."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bottomup.exercises import catalog
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE, set_mode

CHAPTER = "chapters/02_self_attention"
EXERCISES = [exercise for exercise in catalog().values() if exercise.chapter == "02"]
TESTS = [exercise for exercise in EXERCISES if exercise.test_minutes]


@pytest.fixture
def page(page: Page, site: str) -> Page:
    page.goto(f"{site}/{CHAPTER}.html")
    return page


def first(page: Page) -> Locator:
    """The first block, with its wrong answers unfolded."""
    return opened(page.locator(".wrong-answers").first)


def opened(block: Locator) -> Locator:
    """Unfold the wrong answers of a block."""
    fold = block.locator("details").first
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    return block


def shows(block: Locator, *names: bool) -> None:
    for index, shown in enumerate(names):
        expect(block.locator(".wrong-answer").nth(index)).to_be_visible(visible=shown)


def test_every_exercise_of_a_chapter_has_its_block(page: Page):
    blocks = page.locator(".cell + .wrong-answers:not(.tests)")
    expect(blocks).to_have_count(len(EXERCISES))
    for block in blocks.all():
        shows(block, False, False)
        opened(block)
        shows(block, True, False)
        expect(block.locator(".bottomup-failed:visible")).to_have_count(1)


def test_below_a_stub_of_a_test_two_of_ours_are_folded(page: Page):
    blocks = page.locator(".cell + .wrong-answers.tests")
    expect(blocks).to_have_count(len(TESTS))
    block = blocks.first
    shows(block, False, False)
    block.locator("summary").click()
    shows(block, True, False)
    expect(block.get_by_role("group", name="What a test catches")).to_be_visible()
    expect(block.locator(".bottomup-failed:visible")).to_have_count(2)  # report and survivor
    block.locator("label").nth(1).click()
    shows(block, False, True)
    expect(block.locator(".bottomup-passed:visible")).to_have_count(1)


def test_keys_show_the_other_answer_in_its_own_block_alone_and_the_solution(page: Page):
    block, second = first(page), opened(page.locator(".wrong-answers").nth(1))
    buttons = block.get_by_role("radio")
    buttons.first.focus()
    page.keyboard.press("ArrowRight")
    expect(buttons.nth(1)).to_be_checked()
    shows(block, False, True)
    shows(second, True, False)
    name = "What the check says to a wrong answer"
    expect(block.get_by_role("group", name=name)).to_be_visible()
    code = block.locator("details").nth(1).locator("pre")
    expect(code).to_be_hidden()
    block.locator("summary").nth(1).focus()
    page.keyboard.press("Enter")
    expect(code).to_be_visible()
    lines = page.locator(".wrong-answers:not(.tests) summary").all_inner_texts()
    assert set(lines) == {"Two wrong answers, with reports", "Solution"}  # no mistake's name
    links = block.locator(".run-exercise a")
    expect(links).to_have_text(["JupyterLab", "Colab", "Binder", "how"])
    for index in range(3):
        assert f"{CHAPTER.rpartition('/')[2]}.ipynb" in str(links.nth(index).get_attribute("href"))


def test_the_other_answer_and_the_solution_stand_out_and_fit_a_phone(page: Page):
    for block in page.locator(".wrong-answers").all():
        for fold in block.locator("summary").all():
            fold.click()
        block.locator("label").nth(1).click()
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
    page.set_viewport_size(PHONE)
    for mode in ("dark", "light"):
        set_mode(page, mode)
        assert page.evaluate(FIND_OVERFLOW) == [], mode


def test_without_scripts_the_tabs_work(window: Callable[..., Page], site: str):
    page = window(java_script_enabled=False)
    page.goto(f"{site}/{CHAPTER}.html")
    block = first(page)
    block.locator("label").nth(1).click()
    shows(block, False, True)


def test_the_link_to_jupyterlab_names_its_cell_again_when_the_chapter_is_open(
    browser: Browser, site: str
):
    context = browser.new_context(viewport=DESKTOP)  # whose time does not pass by itself
    page = context.new_page()
    page.goto(f"{site}/{CHAPTER}.html")
    page.clock.install()
    page.context.route("http://localhost:8888/**", lambda route: route.fulfill(
        content_type="text/html", body="<script>onpopstate = () => document.title += '!'</script>"
    ))  # fmt: skip
    link = first(page).get_by_role("link", name="JupyterLab")
    with page.expect_popup() as opened:
        link.click()
    lab = opened.value
    lab.wait_for_load_state()
    expect(lab).to_have_title("")
    page.clock.run_for(5_000)
    expect(lab).to_have_title("!")
    assert lab.url == link.get_attribute("href")
    link.click()  # in the same tab, which only moves to the cell
    expect(lab).to_have_title("!!")
    context.close()
