"""The built site, served on this machine, and a browser to open it with."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Windows, running_browser
from tests.site.pages import HTML, PAGES, ROOT, newer_source, with_formulae
from tests.site.visit import DESKTOP, NARROW, Visit, narrow, served, visit

sys.path.insert(0, str(ROOT / "book/_ext"))  # where the Sphinx extension of the book lives


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is asked of one page in one process, which opens it once; other tests by file."""
    for item in items:
        name = item.name.partition("[")[2].removesuffix("]")
        group = name if name in PAGES else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser("the site") as running:
        yield running


@pytest.fixture(scope="session")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


@pytest.fixture
def window(windows: Windows) -> Iterator[Callable[..., Page]]:
    """Open an empty page of a desktop in light mode, or with other settings."""
    taken = []

    def take(**settings: object) -> Page:
        taken.append(windows.take(**{"viewport": DESKTOP, "color_scheme": "light", **settings}))
        return taken[-1].page

    yield take
    for watched in taken:
        windows.give_back(watched)


@pytest.fixture
def page(window: Callable[..., Page]) -> Page:
    """An empty page of a desktop in light mode; nothing is stored."""
    return window()


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
def visited(windows: Windows, site: str) -> Callable[[str], Visit]:
    """Open a page of the site, once for all tests of this session."""
    seen: dict[str, Visit] = {}

    def visit_once(name: str) -> Visit:
        if name not in seen:
            window = windows.take(viewport=DESKTOP, color_scheme="light")
            # The pages of the API look alike: one of them speaks for the colours of all.
            contrast = not name.startswith("book/api/") or name == "book/api/attention"
            address = f"{site}/{name}.html"
            seen[name] = visit(window.page, address, contrast=contrast)
            if name in with_formulae():
                seen[name].sideways[NARROW] = narrow(window.page, address, NARROW)
            windows.give_back(window)
        return seen[name]

    return visit_once
