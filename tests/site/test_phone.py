"""What a narrow screen shows of formulae, code and figures: how they begin, and that they go on."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.site.pages import chapter_pages, with_formulae
from tests.site.visit import CODE, DESKTOP, LEFTMOST_GLYPHS, NARROW, PHONE, SETTLED, Visit, narrow


@pytest.mark.parametrize("name", with_formulae())
def test_every_formula_opens_with_its_first_glyph(
    visited: Callable[[str], Visit], name: str
) -> None:
    for width in (NARROW, DESKTOP["width"]):
        inside = visited(name).sideways[width].formulae
        hidden = [place for place in inside if place < -0.5]
        assert inside and hidden == [], (name, width)


def test_a_formula_that_begins_outside_its_box_is_found(page: Page, site: str) -> None:
    narrow(page, f"{site}/{chapter_pages()[7]}.html", PHONE["width"])
    page.add_style_tag(
        content="div.math { flex-direction: row-reverse !important }"
        'div.math > mjx-container[display="true"] { flex: none !important; width: 50rem }'
    )
    assert min(page.evaluate(LEFTMOST_GLYPHS)) < -0.5


@pytest.mark.parametrize("name", chapter_pages())
def test_code_fits_and_what_does_not_says_so(visited: Callable[[str], Visit], name: str) -> None:
    seen = visited(name).sideways[NARROW]
    assert seen.cut_off == []
    assert [box for box in seen.scrolling if box[1:] != ["right", 0]] == []


def test_code_whose_lines_were_split_is_copied_as_it_was(page: Page, site: str) -> None:
    address = f"{site}/chapters/02_self_attention.html"
    texts = "all => all.map(code => code.innerText.trimEnd())"
    page.goto(address)
    page.evaluate(SETTLED)
    wide = page.locator(CODE).evaluate_all(texts)
    assert page.locator(".code-line").count() == 0
    narrow(page, address, PHONE["width"])
    assert page.locator(".code-line").count() > 100
    assert page.locator(CODE).evaluate_all(texts) == wide


def test_a_wide_figure_says_where_more_is_and_opens_alone_by_a_tap(
    window: Callable[..., Page], site: str
) -> None:
    page = window(has_touch=True)
    narrow(page, f"{site}/chapters/01_attention.html", PHONE["width"])
    box = page.locator(".cell_output[data-more]:has(> img):visible").first
    for way, more in ((40, "left right"), (9999, "left")):
        box.evaluate("(box, way) => box.scrollTo(way, 0)", way)
        cue = f"box => box.dataset.more === '{more}'"
        page.wait_for_function(cue, arg=box.element_handle())
    figure = page.locator(".cell_output > img:not(.small-figure):visible").first
    address = figure.evaluate("image => image.src")
    figure.tap()
    page.wait_for_url(address)
