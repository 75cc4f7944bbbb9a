"""A browser, and pages that hold a figure the way the viewers of notebooks hold it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.explorables.viewer import PAGE, Watched
from tests.site.conftest import CHROMIUM_FLAGS, chromium

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        reason = "no Chromium found: install it (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}; under CI the tests of interactive figures must run")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield running
        running.close()


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
