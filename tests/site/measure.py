"""Print what each page of the built site weighs and when its largest part is there.

    python -m tests.site.measure

Kilobytes as a compressing server sends them, with an empty cache: the page as it opens (pictures
further down come when they are scrolled to), and with all its pictures. Milliseconds until the
largest part of the first screen is drawn ("largest contentful paint"), the median of five openings
from this machine.
"""

from statistics import median

from playwright.sync_api import Browser, Response

from tests.browser import running_browser
from tests.site.pages import HTML, book_pages
from tests.site.visit import DESKTOP, SETTLED, served, size_sent

OPENINGS = 5
LARGEST_PAINT = """() => new Promise(resolve => {
  new PerformanceObserver(list => resolve(list.getEntries().at(-1).startTime))
    .observe({type: "largest-contentful-paint", buffered: true});
})"""


def weights(browser: Browser, url: str) -> tuple[int, int]:
    """Return the bytes of a page as it opens, and when every picture was scrolled to."""
    sizes: dict[str, int] = {}
    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        responses: list[Response] = []
        page.on("response", lambda response: responses.append(response))
        page.goto(url, wait_until="networkidle")
        at_first = len(responses)
        for image in page.locator("img[loading=lazy]").all():
            image.scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        for response in responses:
            if response.status == 200 and not response.url.startswith("data:"):
                sizes[response.url] = size_sent(response.url)
        opened = {response.url for response in responses[:at_first]}
    return sum(sizes[url] for url in opened & sizes.keys()), sum(sizes.values())


def largest_paint(browser: Browser, url: str) -> float:
    """Return the milliseconds until the largest part of the first screen is drawn."""
    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        page.goto(url)
        page.evaluate(SETTLED)
        return float(page.evaluate(LARGEST_PAINT))


def main() -> None:
    print(f"{'page':44}{'opens kB':>10}{'all kB':>8}{'paint ms':>10}")
    with running_browser("the site") as browser, served(HTML) as site:
        for name in book_pages():
            url = f"{site}/{name}.html"
            opened, everything = weights(browser, url)
            paint = median(largest_paint(browser, url) for _ in range(OPENINGS))
            print(f"{name:44}{opened / 1000:10.0f}{everything / 1000:8.0f}{paint:10.0f}")


if __name__ == "__main__":
    main()
