"""From the equation tables of the chapters to the lines of code."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.site.visit import DESKTOP, PHONE
from tools.notebooks.paths import CHAPTERS, all_chapters
from tools.records import prose_of

LINK = re.compile(r'<a class="code-link[^"]*" href="([^"#]+)#([^"]+)"[^>]*>(.*?)</a>', re.DOTALL)
TAG = re.compile(r"<[^>]+>")
SOURCE_PAGE = "_modules/bottomup/attention/multi_head.html#MultiHeadAttention"
# Of the lines on a page of source code: how many stick out of their box.
CLIPPED = (
    "() => { const box = document.querySelector('pre'); return box.scrollWidth - box.clientWidth }"
)
TOPS = """() => {
  const top = selector => document.querySelector(selector).getBoundingClientRect();
  return [top(":target").top, top(".bd-header-article").bottom];
}"""


def names_in_tables(markdown: str) -> Iterator[str]:
    """Yield the names in backticks of every table that has a column of code."""
    for block in re.findall(r"(?:^\|.*\n?)+", markdown, re.MULTILINE):
        head, *body = block.splitlines()
        if {"function", "function or class", "code"} & {
            cell.strip().casefold() for cell in head.split("|")
        }:
            yield from re.findall(r"`([\w.]+)`", "\n".join(body))


def links(page: Path) -> list[tuple[str, str, str]]:
    """Return page, anchor and text of every link from a table to code."""
    found = LINK.findall(page.read_text("utf-8"))
    return [(target, unescape(anchor), TAG.sub("", text)) for target, anchor, text in found]


def line_at(page: Path, anchor: str) -> str:
    """Return the first line of code behind an anchor, without decorators."""
    html = page.read_text("utf-8").split(f'id="{anchor}">', 1)[1]
    lines = unescape(TAG.sub("", html)).splitlines()
    return next(line.strip() for line in lines if re.match(r"\s*(async )?(def|class) ", line))


@pytest.mark.parametrize("chapter", [path.stem for path in all_chapters()])
def test_every_name_of_an_equation_table_leads_to_its_definition(built: Path, chapter: str) -> None:
    page = built / f"chapters/{chapter}.html"
    found = links(page)
    names = names_in_tables(prose_of(CHAPTERS / f"{chapter}.ipynb"))
    assert [text for *_, text in found] == [each for each in names if each[:6] != "torch."]
    for target, anchor, text in found:
        name = text.split(".")[-1]
        line = line_at(page.parent / target, anchor)
        assert re.match(rf"(async )?(def|class) {name}\b", line), (text, line)


def test_chapters_have_such_a_table(built: Path) -> None:
    found = [len(links(path)) for path in built.glob("chapters/*.html")]
    assert sum(found) > 60 and sum(map(bool, found)) >= 5


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_code_stands_below_the_bar_and_no_line_is_cut_off(
    page: Page, site: str, size: ViewportSize
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{site}/{SOURCE_PAGE}")
    target, bar = page.evaluate(TOPS)
    assert bar <= target < bar + 60
    assert page.evaluate(CLIPPED) <= 0
