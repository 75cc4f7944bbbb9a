"""What a narrow screen shows of formulae, code and figures: how they begin, and that they go on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import painted
from tests.site.pages import book_pages
from tests.site.visit import DESKTOP, LOAD_ALL_IMAGES, PHONE, SETTLED

WIDTHS = (360, 390, 1280)
CHAPTERS = [name for name in book_pages() if name.startswith("chapters/")]
WITH_FORMULAE = [*CHAPTERS, "book/notation"]
CODE = "div.cell_input pre, div.cell.tag_source div.cell_output pre"

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


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=DESKTOP, color_scheme="light") as context:
        yield context.new_page()


def opened(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": PHONE["height"]})
    page.goto(address)
    page.evaluate(SETTLED)
    page.evaluate(LOAD_ALL_IMAGES)
    page.wait_for_function("[...document.images].every(image => image.complete)")
    painted(page)


@pytest.mark.parametrize("name", WITH_FORMULAE)
def test_every_formula_opens_with_its_first_glyph(page: Page, site: str, name: str) -> None:
    for width in WIDTHS:
        opened(page, f"{site}/{name}.html", width)
        inside = page.evaluate(LEFTMOST_GLYPHS)
        hidden = [place for place in inside if place < -0.5]
        assert inside and hidden == [], (name, width)


def test_a_formula_that_begins_outside_its_box_is_found(page: Page, site: str) -> None:
    opened(page, f"{site}/{CHAPTERS[7]}.html", PHONE["width"])
    page.add_style_tag(
        content="div.math { flex-direction: row-reverse !important }"
        'div.math > mjx-container[display="true"] { flex: none !important; width: 50rem }'
    )
    assert min(page.evaluate(LEFTMOST_GLYPHS)) < -0.5


@pytest.mark.parametrize("name", CHAPTERS)
def test_code_fits_and_what_does_not_says_so(page: Page, site: str, name: str) -> None:
    opened(page, f"{site}/{name}.html", PHONE["width"])
    wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
    assert page.locator(CODE).evaluate_all(wide) == []
    scrolling = page.evaluate(SCROLLING)
    assert [each for each in scrolling if each[1:] != ["right", 0]] == []


def test_the_cue_moves_to_the_side_where_more_is(page: Page, site: str) -> None:
    opened(page, f"{site}/chapters/08_representation_analysis.html", PHONE["width"])
    figure = page.locator(".cell_output[data-more]:has(> img)").first
    figure.evaluate("box => box.scrollTo(40, 0)")
    page.wait_for_function("box => box.dataset.more === 'left right'", arg=figure.element_handle())
    figure.evaluate("box => box.scrollTo(9999, 0)")
    page.wait_for_function("box => box.dataset.more === 'left'", arg=figure.element_handle())


def test_code_whose_lines_were_split_is_copied_as_it_was(page: Page, site: str) -> None:
    address = f"{site}/chapters/02_self_attention.html"
    texts = "all => all.map(code => code.innerText.trimEnd())"
    opened(page, address, DESKTOP["width"])
    wide = page.locator(CODE).evaluate_all(texts)
    assert page.locator(".code-line").count() == 0
    opened(page, address, PHONE["width"])
    assert page.locator(".code-line").count() > 100
    assert page.locator(CODE).evaluate_all(texts) == wide
