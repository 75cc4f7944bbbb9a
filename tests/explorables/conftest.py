"""A browser, and pages that hold a figure the way the viewers of notebooks hold it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Windows, running_browser
from tests.explorables.viewer import PAGE

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser("interactive figures") as running:
        yield running


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def open_page(windows: Windows, tmp_path: Path) -> Iterator[Open]:
    """Open a page from a file. At the end it must have asked for nothing and reported no error."""
    opened = []

    def open_one(body: str, *, attributes: str = "", **settings: object) -> Page:
        path = tmp_path / f"page{len(opened)}.html"
        path.write_text(PAGE.format(attributes=attributes, body=body), encoding="utf-8")
        watched = windows.take(**settings)
        opened.append(watched)
        watched.page.goto(path.as_uri())
        return watched.page

    yield open_one
    seen = [(watched.errors[:], watched.requests[1:]) for watched in opened]
    for watched in opened:
        windows.give_back(watched)
    assert [errors for errors, _ in seen if errors] == []
    assert [requests for _, requests in seen if requests] == []
