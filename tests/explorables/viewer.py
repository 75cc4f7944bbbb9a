"""How a page or a notebook shows a figure, and what the tests ask it."""

from playwright.sync_api import Locator, Page

from tests.browser import Watched as Watched

# The background and text colours of the book's theme; axe looks at `article.bd-article`.
PAGE = """<!doctype html><html lang="en" {attributes}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>t</title>
<style>
body {{ background: #fff; color: #222832; font-family: system-ui, sans-serif; margin: 16px }}
html[data-theme=dark] body {{ background: #121212; color: #ced6dd }}
html[data-theme=dark] {{ color-scheme: dark }}
</style></head><body><article class="bd-article">{body}</article></body></html>"""

# JupyterLab sets the HTML of a trusted output through innerHTML, where scripts do not run, and puts
# a copy of each script in its place, which does. VS Code does the same.
AS_JUPYTERLAB = """html => {
  const host = document.createElement("div");
  document.querySelector("article").append(host);
  host.innerHTML = html;
  for (const script of [...host.getElementsByTagName("script")]) {
    const copy = document.createElement("script");
    for (const { name, value } of script.attributes) copy.setAttribute(name, value);
    copy.textContent = script.textContent;
    script.parentNode.replaceChild(copy, script);
  }
}"""


def figure(page: Page, number: int = 0) -> Locator:
    """The figure that stands at a place on the page."""
    return page.locator("[data-mounted]").nth(number)


def current(of: Locator) -> int:
    """Position of the current target token."""
    selected = of.locator("[role=option]").evaluate_all(
        "options => options.map(option => option.ariaSelected === 'true')"
    )
    assert sum(selected) == 1
    return selected.index(True)


def weights(of: Locator) -> list[str]:
    """The number under each source word, empty for one that rounds to zero."""
    return of.locator(".source .weight").all_inner_texts()


def gold(of: Locator) -> list[str]:
    """How each source word is outlined: "sure", "possible" or ""."""
    return of.locator(".source li").evaluate_all("words => words.map(word => word.dataset.gold)")


def summary(of: Locator) -> str:
    return of.locator(".summary").inner_text()


def large(of: Locator, number: int = 0) -> list[list[int]]:
    """The numbers of a large map of heads [query, key]; an empty cell is a zero."""
    rows = of.locator(".map").nth(number).locator(".row").all()
    return [[int(text or 0) for text in row.locator(".cell").all_inner_texts()] for row in rows]


def small(of: Locator, picture: Locator) -> list[list[float]]:
    """The opacities of a small map's cells [query, key], read off where they stand."""
    drawn = picture.locator("rect.weight").evaluate_all(
        "all => all.map(one => ['y', 'x', 'fill-opacity'].map(name => +one.getAttribute(name)))"
    )
    rows, keys = of.locator(".map .row").count(), of.locator(".map .keys span").count()
    weights = [[0.0] * keys for _ in range(rows)]
    for y, x, opacity in drawn:
        weights[int(y / 10)][int(x / 10)] = opacity
    return weights


def query(of: Locator) -> int:
    """The chosen row, of which there is one."""
    checked = of.locator(".row input").evaluate_all("all => all.map(one => one.checked)")
    assert sum(checked) == 1
    return checked.index(True)


def css(of: Locator, name: str) -> list[float]:
    """A number of each element's own style, such as its share of a full bar."""
    read = "(all, name) => all.map(one => Number(one.style.getPropertyValue(name)))"
    return of.evaluate_all(read, name)
