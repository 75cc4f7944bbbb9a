"""Every page of the book, opened in a browser."""

import re
from collections.abc import Callable
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from tests.site.links import broken_links
from tests.site.pages import PAGES
from tests.site.visit import Visit


@pytest.mark.parametrize("name", PAGES)
def test_page_opens_without_a_problem_with_its_title_and_formulae(
    visited: Callable[[str], Visit], built: Path, name: str
) -> None:
    seen = visited(name)
    assert seen.problems == {}
    others = {title(built / f"{other}.html") for other in PAGES if other != name}
    assert seen.title == title(built / f"{name}.html") != ""
    assert seen.title not in others
    html = built.joinpath(f"{name}.html").read_text("utf-8")
    written = html.count('class="math ') + html.count('class="amsmath math ')
    assert seen.formulae == written
    assert name != "book/notation" or written > 20


@cache
def title(page: Path) -> str:
    found = re.search("<title>(.*?)</title>", page.read_text("utf-8"), re.DOTALL)
    return " ".join(unescape(found[1]).split()) if found else ""


def test_no_link_anchor_or_image_of_the_site_is_broken(built: Path) -> None:
    assert broken_links(built) == []


def test_front_door_leads_to_the_landing_page(built: Path) -> None:
    assert "book/index.html" in built.joinpath("index.html").read_text("utf-8")
