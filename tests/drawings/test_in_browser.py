"""A drawing where a browser shows it: its links, and what is left where a viewer takes SVG away."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from bottomup.drawings.machine import machine
from tests.browser import running_browser

# The theme of the site has this rule, and JupyterLab one like it.
PAGE = "<!doctype html><style>[hidden] {{ display: none !important }}</style><body>{}</body>"

# JupyterLab writes the address of each link of an output anew (`handleUrls` of its rendermime).
WRITE_LINKS = """() => {
  "use strict";
  for (const link of document.getElementsByTagName("a"))
    link.href = link.getAttribute("href") + "#x";
}"""

# Whether the middle of each link, at which a reader clicks, is the link itself.
HIT = """links => links.map(link => {
  const { x, y, width, height } = link.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === link;
})"""

# JupyterLab's sanitizer keeps neither style sheets nor SVG, but the words of SVG; nor an attribute
# without a value.
STYLES = re.compile(r"<style>.*?</style>| hidden(?!=)", re.DOTALL)
SVG = re.compile(r"</?(?:svg|rect|path|polygon|text|tspan|foreignObject)\b[^>]*>")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running_browser("the drawings") as browser:
        yield browser.new_page()


def test_jupyterlab_can_write_the_links_of_the_machine_and_each_is_where_its_words_are(page: Page):
    page.set_content(PAGE.format(machine("03")._repr_html_()))
    page.evaluate(WRITE_LINKS)
    links = page.get_by_role("link")
    written = links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert written and all(address.endswith(".ipynb#x") for address in written)
    assert links.evaluate_all(HIT) == [True] * links.count()


def test_a_link_shows_that_the_keyboard_has_reached_it(page: Page):
    page.set_content(PAGE.format(machine("03")._repr_html_()))
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_without_styles_and_svg_its_description_stands_in_its_place(page: Page):
    drawing = machine("03")
    html = drawing._repr_html_()
    page.set_content(PAGE.format(html))
    expect(page.locator("svg")).to_be_visible()
    expect(page.get_by_text("Jupyter draws it")).to_be_hidden()
    page.set_content(PAGE.format(SVG.sub("", STYLES.sub("", html))))
    assert page.inner_text("body").split("\n\n") == [drawing.in_words, drawing.caption]
