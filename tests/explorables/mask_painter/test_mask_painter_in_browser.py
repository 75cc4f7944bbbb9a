"""The mask painter in a browser: painting, ready masks, reach. Node tests the numbers."""

import json

import pytest
import torch
from playwright.sync_api import Locator, Page
from torch import Tensor

from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import MASK
from tests.explorables.viewer import figure, summary
from tests.site.visit import PHONE

pytestmark = pytest.mark.slow

HTML = MASK._repr_html_()
READY = {
    entry["label"]: torch.tensor(entry["mask"]).bool() for entry in json.loads(MASK.data)["masks"]
}
CAUSAL = READY["causal"]


def cell(seen: Locator, query: int, key: int) -> Locator:
    return seen.locator("[role=grid] tbody tr").nth(query).locator("td").nth(key)


def mask(seen: Locator) -> Tensor:
    """What may be read [query, key], as it is read aloud."""
    selected = seen.locator("[role=grid] tbody td").evaluate_all(
        "cells => cells.map(cell => cell.ariaSelected === 'true')"
    )
    return torch.tensor(selected).reshape(6, 6)


def check_mask(seen: Locator, expected: Tensor) -> None:
    """Compare the mask; a weight is shown where it allows a key."""
    assert torch.equal(mask(seen), expected)
    texts = seen.locator("[role=grid] tbody td").all_inner_texts()
    assert [bool(text) for text in texts] == expected.flatten().tolist()


def reach(seen: Locator) -> Tensor:
    reached = seen.locator("[role=img] tbody td").evaluate_all(
        "cells => cells.map(cell => cell.classList.contains('open'))"
    )
    return torch.tensor(reached).reshape(6, 6)


def toggle(seen: Locator, *cells: tuple[int, int]) -> None:
    """Paint with the keyboard."""
    for query, key in cells:
        cell(seen, query, key).focus()
        seen.page.keyboard.press("Space")


def test_figure_starts_causal_and_a_button_sets_a_ready_mask_and_says_so(open_page: Open):
    seen = figure(open_page(HTML))
    check_mask(seen, CAUSAL)
    assert summary(seen) == "No position sees the future."
    for name in READY:
        seen.get_by_role("button", name=name).click()
        check_mask(seen, READY[name])
        pressed = seen.locator("button").evaluate_all("all => all.map(one => one.ariaPressed)")
        assert pressed == [str(label == name).lower() for label in READY]


def test_a_click_takes_a_key_away_and_another_gives_it_back(open_page: Open):
    seen = figure(open_page(HTML))
    wanted = CAUSAL.clone()
    wanted[3, 1] = False
    cell(seen, 3, 1).click()
    check_mask(seen, wanted)
    assert seen.locator("button[aria-pressed=true]").count() == 0
    assert cell(seen, 3, 1).get_attribute("aria-label") == "“it” reads “cat”, masked"
    cell(seen, 3, 1).click()
    check_mask(seen, CAUSAL)
    assert cell(seen, 3, 1).inner_text() == "0.64"
    assert "allowed, weight 0.64" in cell(seen, 3, 1).get_attribute("aria-label")


def test_dragging_paints_what_the_first_cell_became(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    first, last, other = (cell(seen, *at).bounding_box() for at in ((5, 0), (5, 5), (0, 0)))
    page.mouse.move(first["x"] + 9, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + 9, last["y"] + 9, steps=12)
    page.mouse.up()
    page.mouse.move(other["x"] + 9, other["y"] + 9, steps=12)
    wanted = CAUSAL.clone()
    wanted[5] = False
    check_mask(seen, wanted)


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Move a finger as the browser gets it from a screen, so that it may scroll."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": start[0], "y": start[1]})
    for step in range(1, 17):
        x, y = (a + (b - a) * step / 16 for a, b in zip(start, end, strict=True))
        touch("touchMove", {"x": x, "y": y})
    touch("touchEnd")
    session.detach()


def test_a_finger_that_slides_up_or_down_paints_a_column_and_beside_it_scrolls(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>", has_touch=True, viewport=PHONE)
    seen = figure(page)
    top, bottom = (cell(seen, query, 5).bounding_box() for query in (0, 5))
    across, ends = top["x"] + 20, (top["y"] + 20, bottom["y"] + 20)
    swipe(page, (across, ends[1]), (across, ends[0]))
    wanted = CAUSAL.clone()
    wanted[:, 5] = False  # the last row's was allowed
    check_mask(seen, wanted)
    swipe(page, (across, ends[0]), (across, ends[1]))
    wanted[:, 5] = True
    check_mask(seen, wanted)
    painted(page)
    assert page.evaluate("window.scrollY") == 0
    word = seen.locator("[role=grid] tbody th").last.bounding_box()
    swipe(page, (word["x"] + 20, ends[1]), (word["x"] + 20, ends[0]))
    page.wait_for_function("window.scrollY > 100")
    check_mask(seen, wanted)


def test_a_finger_paints_and_what_a_zoom_began_is_undone(open_page: Open):
    page = open_page(HTML, has_touch=True, viewport=PHONE)
    seen = figure(page)
    cell(seen, 0, 5).tap()
    wanted = CAUSAL.clone()
    wanted[0, 5] = True
    check_mask(seen, wanted)
    grid = seen.get_by_role("grid")
    touch = "one => getComputedStyle(one).touchAction"
    assert cell(seen, 0, 5).evaluate(touch) == "pinch-zoom"
    assert seen.locator("[role=grid] th").first.evaluate(touch) == grid.evaluate(touch) == "auto"
    box = cell(seen, 2, 2).bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    assert not mask(seen)[2, 2]
    grid.evaluate("grid => grid.dispatchEvent(new PointerEvent('pointercancel'))")
    check_mask(seen, wanted)


def test_arrow_keys_move_and_space_and_enter_paint(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator("[role=grid] [tabindex='0']").focus()
    keys = "ArrowUp ArrowLeft ArrowDown ArrowRight ArrowRight Space End Enter Home Space"
    for key in keys.split():
        page.keyboard.press(key)
    wanted = CAUSAL.clone()
    wanted[1, 2] = wanted[1, 5] = True
    wanted[1, 0] = False
    check_mask(seen, wanted)
    assert seen.locator("[role=grid] [tabindex='0']").count() == 1
    painted(page)
    assert page.evaluate("window.scrollY") == 0  # the keys did not scroll the page
    page.keyboard.press("Control+Enter")  # the browser's
    check_mask(seen, wanted)


def test_a_row_without_keys_is_marked_and_named(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, (0, 0), (1, 0), (1, 1))
    assert "zero output: “the”, “cat”." in summary(seen)
    notice = "cell => getComputedStyle(cell, '::after').content"
    notices = [cell(seen, query, 0).evaluate(notice) for query in range(6)]
    assert notices == ['"reads nothing"'] * 2 + ["none"] * 4


def test_a_leak_is_named_outlined_and_read_aloud(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, (1, 4))
    assert cell(seen, 1, 4).get_attribute("aria-label").endswith(", in the future")
    outlined = seen.locator("[role=grid] .open.future")
    assert outlined.count() == 1
    width = "cell => getComputedStyle(cell).borderTopWidth"
    assert (outlined.evaluate(width), cell(seen, 1, 1).evaluate(width)) == ("2px", "1px")
    seen.get_by_label("2", exact=True).check()
    assert summary(seen).endswith("Only through others, after 2 layers: “saw”, “it”.")


def test_reach_through_layers_is_shown_counted_and_read_aloud(open_page: Open):
    seen = figure(open_page(HTML))
    seen.get_by_role("button", name="window").click()
    assert torch.equal(reach(seen), READY["window"])
    seen.get_by_label("2", exact=True).check()
    assert torch.equal(reach(seen), torch.ones(6, 6).tril(2).triu(-2).bool())
    assert seen.locator(".count").inner_text() == "24 of 36 pairs reached"
    picture = seen.locator("[role=img]")
    said = "Reach: what can influence each row. the: the, cat, saw. cat: the, cat"
    assert picture.get_attribute("aria-label").startswith(said)
    toggle(seen, (0, 0), (0, 1))
    assert "row. the: nothing. cat:" in picture.get_attribute("aria-label")
