"""A browser, and pages that hold a figure the way the viewers of notebooks hold it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import running_browser
from tests.explorables.viewer import PAGE, Watched

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser("interactive figures") as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a page from a file. At the end it must have asked for nothing and reported no error."""
    opened: list[Watched] = []

    def open_one(body: str, *, attributes: str = "", **settings: object) -> Page:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(PAGE.format(attributes=attributes, body=body), encoding="utf-8")
        watched = Watched(browser.new_context(**settings))
        opened.append(watched)
        watched.page.goto(path.as_uri())
        return watched.page

    yield open_one
    for watched in opened:
        watched.context.close()
    assert [watched.errors for watched in opened if watched.errors] == []
    assert [watched.requests[1:] for watched in opened if watched.requests[1:]] == []
