"""The built site, served on this machine, and a browser to open it with."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import running_browser
from tests.site.pages import HTML, ROOT, newer_source
from tests.site.visit import Visit, served, visit

sys.path.insert(0, str(ROOT / "book/_ext"))  # where the Sphinx extension of the book lives


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser("the site") as running:
        yield running


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built site; an error where it is missing or older than its sources."""
    source = newer_source(HTML, ROOT)
    if source is not None:
        pytest.fail(f"the built site is missing or older than {source}: run `make site`")
    return HTML


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    """The address at which the built site is served."""
    with served(built) as address:
        yield address


@pytest.fixture(scope="session")
def visited(browser: Browser, site: str) -> Callable[[str], Visit]:
    """Open a page of the site, once for all tests of this session."""
    seen: dict[str, Visit] = {}

    def visit_once(page: str) -> Visit:
        if page not in seen:
            # The pages of the API look alike: one of them speaks for the colours of all.
            contrast = not page.startswith("book/api/") or page == "book/api/attention"
            seen[page] = visit(browser, f"{site}/{page}.html", contrast=contrast)
        return seen[page]

    return visit_once
