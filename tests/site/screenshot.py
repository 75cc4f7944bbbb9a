"""Take the picture of the book that the README shows, from the built site.

    python -m tests.site.screenshot

It opens chapter 03 at the gallery of heads, turns one head off and then the one that costs most,
and writes `book/_static/screenshot.png`. Take it again when the looks of a page have changed.
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, ViewportSize

from tests.browser import painted, running_browser
from tests.site.pages import HTML, ROOT
from tests.site.visit import SETTLED, served

SCREENSHOT = ROOT / "book/_static/screenshot.png"
PAGE = "chapters/03_multi_head_attention.html"
SIZE: ViewportSize = {"width": 1280, "height": 800}
COLORS = 96  # enough for text, and a third of the bytes
TO_FIGURE = "figure => scrollTo(0, figure.getBoundingClientRect().top + scrollY - 60)"


def take(browser: Browser, site: str) -> bytes:
    """Return what a reader sees who has turned two heads off."""
    with browser.new_context(viewport=SIZE, color_scheme="light") as context:
        page = context.new_page()
        page.goto(f"{site}/{PAGE}")
        page.evaluate(SETTLED)
        figure = page.locator("[data-explorable^=head-gallery]")
        switches = figure.get_by_role("switch")
        switches.first.click()
        left = [float(said.strip("→ ")) for said in figure.locator(".after").all_inner_texts()]
        switches.nth(left.index(min(left))).click()
        page.mouse.move(0, 0)
        figure.evaluate(TO_FIGURE)
        painted(page)
        return page.screenshot()


def write(picture: bytes, path: Path = SCREENSHOT) -> None:
    """Write a picture with few colours."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    image.quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    with running_browser("the screenshot") as browser, served(HTML) as site:
        write(take(browser, site))
    print(f"{SCREENSHOT.relative_to(ROOT)}: {SCREENSHOT.stat().st_size / 1000:.0f} kB")
