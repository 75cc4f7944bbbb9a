"""The browser of the tests that open pages: those of interactive figures and of the built site."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

# Without a sandbox (containers have no user namespaces), and without the browser's own requests.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Milliseconds after which what a page was to show counts as missing: on a busy machine a page that
# is right takes longer.
PATIENCE = 60_000


def chromium() -> str | None:
    """Return the path of an installed Chromium or Chrome."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for path in map(shutil.which, names) if path), None)


@contextmanager
def running_browser(tested: str) -> Iterator[Browser]:
    """Start a browser; without one the tests are skipped, which under CI is an error."""
    path = chromium()
    if path is None:
        reason = "no Chromium found: install it (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}; under CI the tests of {tested} must run")
        pytest.skip(reason)
    with DRIVER as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        expect.set_options(timeout=PATIENCE)
        yield running
        running.close()


class Driver:
    """What starts browsers, shared by all of a process: a second one beside it would not start.

    It goes with its last user: while it runs, so does its event loop, and `asyncio.run` refuses.
    """

    def __init__(self) -> None:
        self.users = 0

    def __enter__(self) -> Playwright:
        if self.users == 0:
            self.playwright = sync_playwright().start()
        self.users += 1
        return self.playwright

    def __exit__(self, *_: object) -> None:
        self.users -= 1
        if self.users == 0:
            self.playwright.stop()


DRIVER = Driver()


def painted(page: Page) -> None:
    """Wait until the browser has done what it was asked for, and has shown it."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


class Watched:
    """A page that notes what it asks for and what goes wrong."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page = context.new_page()
        self.size = self.page.viewport_size
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )


# Also once a script of the page has stored, as it is left, how far a list was scrolled.
FORGET = """() => {
  const forget = () => { localStorage.clear(); sessionStorage.clear() };
  if (!["http:", "file:"].includes(location.protocol)) return;
  forget();
  addEventListener("pagehide", forget);
}"""


class Windows:
    """Pages that are kept for the next test.

    To make one takes longer than most tests, and a new one compiles the scripts of a site again:
    three seconds of processor time for a chapter with formulae, one where they are known.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.free: list[Watched] = []
        self.settings: dict[Watched, dict[str, object]] = {}

    def take(self, **settings: object) -> Watched:
        """Return a page with these settings that no one uses."""
        for watched in self.free:
            if self.settings[watched] == settings:
                self.free.remove(watched)
                return watched
        watched = Watched(self.browser.new_context(**settings))
        self.settings[watched] = settings
        return watched

    def give_back(self, watched: Watched) -> None:
        """Have a page as it was: empty, nothing stored, of its first size, without a pointer."""
        page, settings = watched.page, self.settings[watched]
        for other in watched.context.pages:
            if other is not page:
                other.close()
        watched.context.unroute_all()
        page.unroute_all()
        if settings.get("java_script_enabled", True):
            page.evaluate(FORGET)
        page.goto("about:blank")
        page.emulate_media(media="null")
        if page.viewport_size != watched.size:
            page.set_viewport_size(watched.size)
        page.mouse.up()
        page.mouse.move(0, 0)
        watched.errors.clear()
        watched.requests.clear()
        self.free.append(watched)
