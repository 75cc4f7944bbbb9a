"""What the first pages do in a browser, and a size that they name."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

FILES = "_static/answer_here/sizes.json"


def test_the_first_check_loads_what_the_page_says(built: Path):
    """6 to 7 MB, as *How to use this book* has it."""
    sizes = json.loads(built.joinpath(FILES).read_text("utf-8"))
    if "first" not in sizes:
        pytest.skip("the files of the worker were not made: no package registry answered")
    loads = [sizes["first"] + chapter for chapter in sizes["chapter"].values()]
    assert min(loads) >= 5.5e6 and max(loads) < 7.5e6


def test_the_answer_takes_the_place_of_the_question_marks(page: Page, site: str):
    page.goto(f"{site}/book/index.html")
    twins = page.locator(".twins")
    expect(twins.locator("figure:visible")).to_have_count(1)
    asked = twins.locator("figure").first
    expect(asked).to_contain_text("?")
    twins.locator("summary").click()
    expect(asked).to_be_hidden()
    expect(twins.locator("details figure")).to_be_visible()
