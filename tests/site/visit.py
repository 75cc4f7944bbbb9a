"""Open a page in a browser as a reader would, and write down everything that is wrong with it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import ConsoleMessage, Page, Request, Response, ViewportSize

from tests.browser import painted
from tests.site.accessibility import findings_in_both_modes, serious_findings
from tests.site.accessibility import set_mode as set_mode

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
NARROW = 360  # pixels

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

# Of each display formula that is shown: by how many pixels its leftmost glyph lies inside every box
# that would cut it off, the window among them. A box says nothing: it may begin where it should and
# hold a formula that begins before it.
LEFTMOST_GLYPHS = """() => {
  const inside = formula => {
    const glyphs = [...formula.querySelectorAll("mjx-c, mjx-utext, mjx-line, mjx-stretchy-h")]
      .map(glyph => glyph.getBoundingClientRect())
      .filter(({ width }) => width > 0);
    let edge = 0;
    for (let box = formula; box; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible")
        edge = Math.max(edge, box.getBoundingClientRect().left);
    return Math.min(...glyphs.map(({ left }) => left)) - edge;
  };
  return [...document.querySelectorAll('mjx-container[display="true"]')]
    .filter(formula => formula.checkVisibility())
    .map(inside);
}"""

# What scrolls sideways in an article and is shown: where it says that more follows, and whether
# keys reach it.
SCROLLING = """() => [...document.querySelectorAll("article *")]
  .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .filter(box => ["auto", "scroll"].includes(getComputedStyle(box).overflowX))
  .filter(box => !box.closest("[data-explorable], .bottomup-drawing, mjx-container:not([display])"))
  .map(box => [`${box.tagName}.${box.className}`, box.dataset.more ?? "", box.tabIndex])"""

CODE = "div.cell_input pre, div.cell.tag_source div.cell_output pre"
CUT_OFF = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"

# The letters of all options of a quiz, how many of them are right, and the signs that the first
# right and the first wrong one show once they are open.
QUIZ = """() => {
  const all = name => [...document.querySelectorAll(`details.quiz-${name}`)];
  const sign = option => {
    option.open = true;
    const { content } = getComputedStyle(option.children[0], "::after");
    option.open = false;
    return content;
  };
  const options = [...document.querySelectorAll("details:is(.quiz-right, .quiz-wrong) > summary")];
  return {
    letters: options.map(option => option.textContent[0]).join(""),
    right: all("right").length,
    signs: [all("right"), all("wrong")].map(([first]) => first && sign(first)),
  };
}"""

# The page's own listeners came first.
NOTE_RESIZES = """() => addEventListener("resize", () => { window.widthSeen = innerWidth })"""

# A window that grows again moves its columns for a fifth of a second.
GLIDED = """() => Promise.allSettled(document.getAnimations()
  .filter(each => each.effect.getComputedTiming().endTime < 5000)
  .map(each => each.finished)).then(() => true)"""

SETTLED = """() => !window.MathJax || !MathJax.startup ||
  MathJax.startup.promise.then(() => document.fonts.ready).then(() => true)"""


@dataclass
class Sideways:
    """What a page of some width shows of what may be wider than it."""

    formulae: list[float]  # see LEFTMOST_GLYPHS
    cut_off: list[str]  # code
    scrolling: list[tuple[str, str, int]]  # see SCROLLING


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
    quiz: dict[str, Any] = field(default_factory=dict)
    sideways: dict[int, Sideways] = field(default_factory=dict)  # by the width of the window

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


def visit(page: Page, url: str, *, contrast: bool = True) -> Visit:
    """Open `url` on an empty page, on a desktop and then on a phone, in light and dark mode.

    Without `contrast`, whether text stands out from its background is not checked.
    """
    found = Visit(url)
    loaded: list[str] = []
    with _listening(page, found, loaded):
        page.goto(url)
        page.evaluate(SETTLED)
        painted(page)
        found.title = page.title()
        found.raw_math = page.evaluate(FIND_RAW_MATH)
        found.formulae = page.locator("mjx-container").count()
        at_first = len(loaded)
        _load_images(page)
        found.broken_images = page.evaluate(FIND_BROKEN_IMAGES)
        found.figures = page.evaluate(MEASURE_FIGURES)
        found.sideways[DESKTOP["width"]] = _sideways(page)
        found.quiz = page.evaluate(QUIZ)
        page.set_viewport_size(PHONE)
        for mode in ("dark", "light"):
            set_mode(page, mode)
            found.overflow[f"390 px, {mode}"] = page.evaluate(FIND_OVERFLOW)
        page.evaluate(NOTE_RESIZES)
        page.set_viewport_size(DESKTOP)
        page.wait_for_function("width => window.widthSeen === width", arg=DESKTOP["width"])
        painted(page)
        page.evaluate(GLIDED)
        painted(page)
        if contrast:
            found.accessibility = findings_in_both_modes(page)
        else:
            found.accessibility["any mode"] = serious_findings(page, contrast=False)
    found.transferred = {address: size_sent(address) for address in loaded}
    found.opened = sum(size_sent(address) for address in {*loaded[:at_first]})
    return found


def narrow(page: Page, url: str, width: int) -> Sideways:
    """Open `url` in a window of `width` pixels."""
    page.set_viewport_size({"width": width, "height": PHONE["height"]})
    page.goto(url)
    page.evaluate(SETTLED)
    _load_images(page)
    painted(page)
    return _sideways(page)


def _load_images(page: Page) -> None:
    page.evaluate(LOAD_ALL_IMAGES)
    page.wait_for_function("[...document.images].every(image => image.complete)")


def _sideways(page: Page) -> Sideways:
    return Sideways(
        page.evaluate(LEFTMOST_GLYPHS),
        page.locator(CODE).evaluate_all(CUT_OFF),
        page.evaluate(SCROLLING),
    )


@contextmanager
def _listening(page: Page, found: Visit, loaded: list[str]) -> Iterator[None]:
    """Note what goes wrong, and the addresses that are `loaded`, from a cache or not."""
    origin = urlsplit(found.url).netloc

    def note_request(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != origin:
            found.remote_requests.append(request.url)

    def note_response(response: Response) -> None:
        if response.status >= 400:
            found.failed_requests.append(f"{response.status} {response.url}")
        elif response.status in (200, 304) and not response.url.startswith("data:"):
            loaded.append(response.url)

    def note_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.console_errors.append(message.text)

    listeners: dict[Any, Callable[..., None]] = {
        "request": note_request,
        "response": note_response,
        "requestfailed": lambda request: found.failed_requests.append(request.url),
        "pageerror": lambda error: found.console_errors.append(str(error)),
        "console": note_console,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)


@cache  # most files are those of every page
def size_sent(url: str) -> int:
    """Return the bytes that a compressing server sends of an address."""
    with urlopen(url) as response:
        return transfer_size(url, response.read())


def transfer_size(url: str, body: bytes) -> int:
    """Return the bytes a compressing server sends: gzip level 6, already compressed files as is."""
    if urlsplit(url).path.endswith(COMPRESSED):
        return len(body)
    return len(gzip.compress(body, 6))


class _QuietHandler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        """Say that what all pages share stays as it is."""
        if self.path.startswith("/_static/"):
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

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
