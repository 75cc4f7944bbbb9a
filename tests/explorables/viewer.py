"""How a page or a notebook shows a figure, and what the tests ask it."""

from playwright.sync_api import Browser, BrowserContext, Locator, Page

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


class Watched:
    """A page that notes what it asks for and what goes wrong."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page = context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )


class Windows:
    """Pages that are kept for the next test: to make one takes longer than most tests."""

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
        """Empty a page and take the pointer away from it; what it noted is forgotten."""
        watched.page.goto("about:blank")
        watched.page.mouse.up()
        watched.page.mouse.move(0, 0)
        watched.errors.clear()
        watched.requests.clear()
        self.free.append(watched)


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


def shows_focus(page: Page, chosen: Locator) -> bool:
    """Tell whether an outline appears around a choice when the keyboard reaches its input."""
    outline = "one => getComputedStyle(one).outline"
    before = chosen.evaluate(outline)
    chosen.locator("input").focus()
    page.keyboard.press("Shift")  # the browser now takes the keyboard for what moved the focus
    after = chosen.evaluate(outline)
    return after.endswith("solid 3px") and not before.endswith("solid 3px")
