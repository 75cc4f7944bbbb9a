"""Open a page in a browser as a reader would, and write down everything that is wrong with it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request, Response, ViewportSize

from tests.browser import painted
from tests.site.accessibility import serious_findings

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

# Formats that are compressed already: a server sends them as they are.
COMPRESSED = (".woff", ".woff2", ".png", ".jpg", ".ico")

# Text nodes that still hold TeX, and formulae that MathJax has not drawn or could not read.
FIND_RAW_MATH = r"""() => {
  const skipped = "pre, code, script, style, mjx-container, textarea";
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data;
    const raw = /\\[(\[]|\$[^$\n]+\$/.test(text);
    if (raw && !walker.currentNode.parentElement.closest(skipped)) found.push(text.trim());
  }
  for (const element of document.querySelectorAll(".math"))
    if (!element.querySelector("mjx-container")) found.push("not drawn: " + element.textContent);
  for (const element of document.querySelectorAll("mjx-merror, [data-mjx-error]"))
    found.push("not understood: " + element.textContent);
  return found;
}"""

# Those that wait until a reader scrolls to them.
LOAD_ALL_IMAGES = """() => document.querySelectorAll("img[loading=lazy]")
  .forEach(image => { image.loading = "eager" })"""

# Of each figure that a cell drew: its pixels, and those it has on the page.
MEASURE_FIGURES = """() => [...document.querySelectorAll(".cell_output > img")]
  .map(image => [image.naturalWidth, image.clientWidth])"""

FIND_BROKEN_IMAGES = """() => [...document.images]
  .filter(image => !image.complete || image.naturalWidth === 0).map(image => image.src)"""

# How many pixels the page is wider than the window, and what sticks out most.
FIND_OVERFLOW = """() => {
  const root = document.documentElement;
  const excess = Math.max(root.scrollWidth, document.body.scrollWidth) - root.clientWidth;
  if (excess <= 0) return [];
  const wide = [...document.querySelectorAll("main *")]
    .filter(element => element.getBoundingClientRect().right > root.clientWidth + 1);
  const name = wide.length ? wide[0].tagName + "." + wide[0].className : "?";
  return [`${excess}px wider than the window, first by ${name}`];
}"""

SETTLED = """() => !window.MathJax || !MathJax.startup ||
  MathJax.startup.promise.then(() => document.fonts.ready).then(() => true)"""


@dataclass
class Visit:
    """What one opening of a page showed."""

    url: str
    title: str = ""
    console_errors: list[str] = field(default_factory=list)
    failed_requests: list[str] = field(default_factory=list)
    remote_requests: list[str] = field(default_factory=list)
    raw_math: list[str] = field(default_factory=list)
    formulae: int = 0
    broken_images: list[str] = field(default_factory=list)
    figures: list[tuple[int, int]] = field(default_factory=list)  # pixels: its own, on the page
    accessibility: dict[str, list[str]] = field(default_factory=dict)
    overflow: dict[str, list[str]] = field(default_factory=dict)
    transferred: dict[str, int] = field(default_factory=dict)
    opened: int = 0  # bytes, before pictures further down were asked for

    @property
    def problems(self) -> dict[str, Any]:
        """Everything that must be empty, by kind."""
        kinds = {
            "console errors": self.console_errors,
            "failed requests": self.failed_requests,
            "remote requests": self.remote_requests,
            "formulae": self.raw_math,
            "images": self.broken_images,
        }
        kinds |= {f"accessibility, {mode}": found for mode, found in self.accessibility.items()}
        kinds |= {f"overflow, {mode}": found for mode, found in self.overflow.items()}
        return {kind: found for kind, found in kinds.items() if found}

    @property
    def weight(self) -> int:
        """Bytes transferred over all requests."""
        return sum(self.transferred.values())


def visit(browser: Browser, url: str, *, contrast: bool = True) -> Visit:
    """Open `url` with an empty cache, on a desktop and then on a phone, in light and dark mode.

    Without `contrast`, whether text stands out from its background is not checked.
    """
    found = Visit(url)
    with browser.new_context(viewport=DESKTOP, color_scheme="light") as context:
        page = context.new_page()
        _listen(page, found)
        page.goto(url)
        page.evaluate(SETTLED)
        painted(page)
        found.title = page.title()
        found.raw_math = page.evaluate(FIND_RAW_MATH)
        found.formulae = page.locator("mjx-container").count()
        found.opened = found.weight
        page.evaluate(LOAD_ALL_IMAGES)
        page.wait_for_function("[...document.images].every(image => image.complete)")
        found.broken_images = page.evaluate(FIND_BROKEN_IMAGES)
        found.figures = page.evaluate(MEASURE_FIGURES)
        found.accessibility["any mode"] = serious_findings(page, contrast=False)
        for mode in ("light", "dark") if contrast else ():
            set_mode(page, mode)
            found.accessibility[mode] = serious_findings(page, contrast=True)
        page.set_viewport_size(PHONE)
        for mode in ("dark", "light"):
            set_mode(page, mode)
            found.overflow[f"390 px, {mode}"] = page.evaluate(FIND_OVERFLOW)
    return found


def set_mode(page: Page, mode: str) -> None:
    """Switch the theme between light and dark as its button does."""
    page.evaluate("mode => { document.documentElement.dataset.theme = mode }", mode)


def _listen(page: Page, found: Visit) -> None:
    origin = urlsplit(found.url).netloc

    def note_request(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != origin:
            found.remote_requests.append(request.url)

    def note_response(response: Response) -> None:
        if response.status >= 400:
            found.failed_requests.append(f"{response.status} {response.url}")
        elif response.status == 200 and not response.url.startswith("data:"):
            found.transferred[response.url] = transfer_size(response.url, response.body())

    page.on("request", note_request)
    page.on("response", note_response)
    page.on("requestfailed", lambda request: found.failed_requests.append(request.url))
    page.on("pageerror", lambda error: found.console_errors.append(str(error)))
    page.on(
        "console",
        lambda message: (
            found.console_errors.append(message.text)
            if message.type in ("error", "warning")
            else None
        ),
    )


@cache  # most files are those of every page
def transfer_size(url: str, body: bytes) -> int:
    """Return the bytes a compressing server sends: gzip level 6, already compressed files as is."""
    if urlsplit(url).path.endswith(COMPRESSED):
        return len(body)
    return len(gzip.compress(body, 6))


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Write no log line per request."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve `folder` on a free loopback port and yield its address."""
    handler = partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
