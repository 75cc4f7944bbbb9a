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
def test_page_opens_without_a_problem(visited: Callable[[str], Visit], name: str) -> None:
    problems = visited(name).problems
    assert problems == {}, "\n".join(f"{kind}: {found}" for kind, found in problems.items())


@pytest.mark.parametrize("name", PAGES)
def test_page_has_a_title_of_its_own(
    visited: Callable[[str], Visit], built: Path, name: str
) -> None:
    others = {title(built / f"{other}.html") for other in PAGES if other != name}
    assert visited(name).title == title(built / f"{name}.html") != ""
    assert visited(name).title not in others


@cache
def title(page: Path) -> str:
    found = re.search("<title>(.*?)</title>", page.read_text("utf-8"), re.DOTALL)
    return " ".join(unescape(found[1]).split()) if found else ""


@pytest.mark.parametrize("name", PAGES)
def test_formulae_of_the_page_are_drawn(
    visited: Callable[[str], Visit], built: Path, name: str
) -> None:
    html = built.joinpath(f"{name}.html").read_text("utf-8")
    written = html.count('class="math ') + html.count('class="amsmath math ')
    assert visited(name).formulae == written


@pytest.mark.parametrize("name", ["book/notation"])
def test_notation_is_a_page_with_formulae(visited: Callable[[str], Visit], name: str) -> None:
    assert visited(name).formulae > 20


def test_no_link_anchor_or_image_of_the_site_is_broken(built: Path) -> None:
    assert broken_links(built) == []


def test_front_door_leads_to_the_landing_page(built: Path) -> None:
    assert "book/index.html" in built.joinpath("index.html").read_text("utf-8")
