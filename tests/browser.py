"""The browser of the tests that open pages: those of interactive figures and of the built site."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

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
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        expect.set_options(timeout=PATIENCE)
        yield running
        running.close()


def painted(page: Page) -> None:
    """Wait until the browser has done what it was asked for, and has shown it."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
