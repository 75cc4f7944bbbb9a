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
    for width in (*NARROW, DESKTOP["width"]):
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
    seen = visited(name).sideways[PHONE["width"]]
    assert seen.cut_off == []
    assert [box for box in seen.scrolling if box[1:] != ["right", 0]] == []


def test_the_cue_moves_to_the_side_where_more_is(page: Page, site: str) -> None:
    narrow(page, f"{site}/chapters/01_attention.html", PHONE["width"])
    figure = page.locator(".cell_output[data-more]:has(> img):visible").first
    figure.evaluate("box => box.scrollTo(40, 0)")
    page.wait_for_function("box => box.dataset.more === 'left right'", arg=figure.element_handle())
    figure.evaluate("box => box.scrollTo(9999, 0)")
    page.wait_for_function("box => box.dataset.more === 'left'", arg=figure.element_handle())


def test_a_small_figure_fits_its_column(page: Page, site: str) -> None:
    narrow(page, f"{site}/chapters/00_warm_up.html", PHONE["width"])
    widths = page.locator(".cell_output > img.small-figure").evaluate_all(
        "all => all.map(image => [image.clientWidth, image.parentElement.clientWidth])"
    )
    assert widths and all(figure <= column for figure, column in widths)


def test_a_tap_opens_a_wide_figure_alone(window: Callable[..., Page], site: str) -> None:
    page = window(has_touch=True)
    narrow(page, f"{site}/chapters/01_attention.html", PHONE["width"])
    figure = page.locator(".cell_output > img:not(.small-figure):visible").first
    address = figure.evaluate("image => image.src")
    figure.tap()
    page.wait_for_url(address)


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
