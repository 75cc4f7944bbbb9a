"""Search, modes and buttons: what a reader does on a page."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.site.pages import ROOT, book_pages, chapter_pages
from tests.site.visit import SETTLED, Visit


def test_search_finds_pages_about_attention(page: Page, site: str) -> None:
    page.goto(f"{site}/search.html?q=attention")
    results = page.locator("#search-results ul.search > li")
    expect(results.first).to_be_visible()
    assert "attention" in results.all_inner_texts()[0].lower()


def test_search_finds_nothing_for_a_word_that_is_not_there(page: Page, site: str) -> None:
    page.goto(f"{site}/search.html?q=xylophone")
    expect(page.locator("#search-results")).to_contain_text("did not match any documents")
    assert page.locator("#search-results ul.search > li").count() == 0


def test_search_opens_from_the_keyboard(page: Page, site: str) -> None:
    page.goto(f"{site}/book/notation.html", wait_until="networkidle")
    page.keyboard.press("Control+k")
    page.keyboard.type("alignment")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=alignment")
    expect(page.locator("#search-results ul.search > li").first).to_be_visible()


def test_theme_button_switches_to_dark_and_text_stays_readable(page: Page, site: str) -> None:
    page.goto(f"{site}/book/index.html", wait_until="networkidle")
    root = page.locator("html")
    for _ in range(3):
        if root.get_attribute("data-theme") == "dark":
            break
        page.locator("button.theme-switch-button").first.click()
    assert root.get_attribute("data-theme") == "dark"
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", background)[:3]) < 64


def test_wide_formula_scrolls_inside_its_box(page: Page, site: str) -> None:
    narrow = 240  # the book's formulae fit a phone; they shall scroll where they do not
    page.set_viewport_size({"width": narrow, "height": 800})
    page.goto(f"{site}/book/notation.html", wait_until="networkidle")
    page.evaluate(SETTLED)
    boxes = page.locator('mjx-container[display="true"]')
    sizes = boxes.evaluate_all("list => list.map(b => [b.scrollWidth, b.clientWidth, b.tabIndex])")
    wide = [size for size in sizes if size[0] > size[1]]
    assert wide
    assert all(inside < narrow and tab == 0 for _, inside, tab in wide)


def test_icons_are_drawn_from_the_cut_down_font(page: Page, site: str) -> None:
    page.goto(f"{site}/book/index.html", wait_until="networkidle")
    drawn = page.evaluate(
        """async () => {
          await document.fonts.ready;
          const icons = [...document.querySelectorAll("i[class*=fa-]")];
          const contents = icons.map(icon => getComputedStyle(icon, "::before").content);
          const fonts = [...document.fonts].filter(font => font.family.includes("Awesome"));
          return [contents, fonts.filter(font => font.status === "loaded").length];
        }"""
    )
    contents, fonts = drawn
    assert len(contents) > 5
    assert "none" not in contents
    assert fonts >= 1


def config() -> Any:
    return yaml.safe_load(ROOT.joinpath("_config.yml").read_text("utf-8"))


@pytest.mark.parametrize("name", chapter_pages())
def test_chapter_has_launch_download_and_error_buttons(built: Path, name: str) -> None:
    html = built.joinpath(f"{name}.html").read_text("utf-8")
    repository = urlsplit(config()["repository"]["url"]).path
    branch = config()["repository"]["branch"]
    assert (
        f"https://colab.research.google.com/github{repository}/blob/{branch}/{name}.ipynb" in html
    )
    assert f"https://mybinder.org/v2/gh{repository}/{branch}?urlpath=lab/tree/{name}.ipynb" in html
    assert f"_sources/{name}.ipynb" in html
    assert f"https://github.com{repository}/issues/new" in html
    assert "Report an error" in html


@pytest.mark.parametrize("name", chapter_pages())
def test_an_option_of_a_quiz_is_right_or_wrong_by_a_sign(
    visited: Callable[[str], Visit], name: str
) -> None:
    quiz = visited(name).quiz
    assert quiz["right"] == quiz["letters"].count("a") > 0
    assert quiz["signs"] == ['"✓"', '"✗"']


def cited(name: str) -> set[str]:
    """Return the repositories of which the page's text cites a thread, a file or a commit."""
    source = next(ROOT.glob(f"{name}.*")).read_text("utf-8")
    parts = "issues|pull|blob|tree|commit|discussions|releases"
    return set(re.findall(rf"(https://github\.com/[\w-]+/[\w-]+)/(?:{parts})/", source))


@pytest.mark.parametrize("name", book_pages())
def test_repository_is_named_in_one_place(built: Path, name: str) -> None:
    html = built.joinpath(f"{name}.html").read_text("utf-8")
    repository = config()["repository"]["url"]
    others = set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", html)) - {repository}
    assert others <= cited(name)
