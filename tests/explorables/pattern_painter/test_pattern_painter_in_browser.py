"""The pattern painter in a browser: sets, scores and reach are those of the package."""

import re

import pytest
import torch
from playwright.sync_api import Locator
from torch import Tensor

from bottomup.analysis import reached
from bottomup.attention import causal_scores
from bottomup.explorables import pattern_painter
from bottomup.masks import causal_mask
from tests.explorables.conftest import Open
from tests.explorables.pattern_painter.settings import SETTINGS, Setting
from tests.explorables.viewer import figure, summary
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import FIND_OVERFLOW, PHONE, set_mode

pytestmark = pytest.mark.slow

HTML = pattern_painter()._repr_html_()
SET = "(input, place) => { input.value = place; input.dispatchEvent(new Event('input')); }"
READ = ("first", "second", "both", "future")


def go(seen: Locator, setting: Setting) -> None:
    """Set the controls."""
    seen.get_by_label(str(setting.n), exact=True).check()
    seen.get_by_label(setting.pattern, exact=True).check()
    for place, value in enumerate((setting.stride, setting.summary)):
        seen.locator("input[type=range]").nth(place).evaluate(SET, value - 1)


def cells(seen: Locator, kind: str, inside: str = ".board") -> set[tuple[int, int]]:
    """The cells of a kind, each as row and column."""
    path = seen.locator(f"{inside} path.{kind}").get_attribute("d") or ""
    return {(int(y), int(x)) for x, y in re.findall(r"M(\d+),(\d+)", path)}


def where(mask: Tensor) -> set[tuple[int, int]]:
    return {(i, j) for i, j in mask.nonzero().tolist()}


def numbers(part: Locator) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", part.inner_text())]


def test_figure_starts_with_strided_attention(open_page: Open):
    seen = figure(open_page(HTML))
    checked = seen.locator("input:checked")
    assert checked.count() == 4
    for name in ("16", "strided", "set 1, then set 2", "rows of l"):
        assert seen.get_by_label(name, exact=True).is_checked()
    assert seen.locator(".slider b").all_inner_texts() == ["4", "1"]
    assert summary(seen) == (
        "Query 13 reads 7 of its 14 positions in one hop: 1, 5, 9–13. Two hops reach all 14."
    )


def test_sets_scores_and_reach_are_those_of_the_package(open_page: Open):
    seen = figure(open_page(HTML))
    orders = [seen.get_by_label(name) for name in ("set 1, then set 2", "set 2, then set 1")]
    for settings in SETTINGS.values():  # all of them are counted in node
        go(seen, settings[0])
        first, second = sets = settings[0].sets
        alone, pairs = settings[0].pattern in ("dense", "window"), causal_scores(len(first)).needed
        if alone:
            second = torch.zeros_like(first)
        assert cells(seen, "both") == where(first & second)
        assert cells(seen, "first") == where(first & ~second)
        assert cells(seen, "second") == where(second & ~first)
        assert cells(seen, "future") == cells(seen, "ahead") == set()
        assert cells(seen, "blank") == where(causal_mask(settings[0].n))
        needed = settings[0].needed
        found = numbers(seen.locator(".ratio"))
        assert found[:2] == [needed, pairs]
        assert found[2] == pytest.approx(100 * needed / pairs, abs=0.51)
        assert found[3] == pytest.approx(pairs / needed, abs=0.00501)
        if not alone:
            counts = [int(part.sum()) for part in (first, second, first & second)]
            assert numbers(seen.locator(".cost .note").first) == [
                counts[0], 1, counts[1], 2, counts[2], needed,
            ]  # fmt: skip
        widths = seen.locator(".bar span").evaluate_all("all => all.map(one => one.style.width)")
        wide = sum(float(width.rstrip("%")) for width in widths)
        assert wide == pytest.approx(100 * needed / pairs, abs=0.01)
        for residual, flipped in ((False, False), (True, not alone)):
            seen.get_by_label("with residual connections").set_checked(residual)
            assert all(order.is_disabled() == alone for order in orders)
            if not alone:
                orders[flipped].check()
            expected = reached(*(sets[::-1] if flipped else sets), residual=residual)
            assert cells(seen, "reached") == where(expected)
            assert numbers(seen.locator(".count")) == [int(expected.sum()), pairs]
        ranges = [one.is_enabled() for one in seen.locator("input[type=range]").all()]
        assert ranges == [settings[0].pattern != "dense", settings[0].pattern == "fixed"]
        legend = seen.locator(".legend").inner_text()
        assert ("set 2" in legend) == ("in both" in legend) == (not alone)


def test_best_l_is_the_one_with_the_fewest_scores(open_page: Open):
    seen = figure(open_page(HTML))
    note = seen.locator(".strides .note")
    seen.get_by_label("dense", exact=True).check()
    assert seen.locator(".strides").is_hidden()
    seen.get_by_label("window", exact=True).check()
    assert note.inner_text().startswith("A window has no best l")
    for setting in (Setting("strided", 24, 7), Setting("fixed", 16, 4), Setting("fixed", 36, 5, 2)):
        go(seen, setting)
        least = setting.summary if setting.pattern == "fixed" else 1
        costs = {n: setting._replace(stride=n).needed for n in range(least, setting.n + 1)}
        bars = seen.locator(".chart path").first.get_attribute("d") or ""
        drawn = re.findall(r"M([\d.]+) \d+v-(\d+)h", bars)
        assert {round(float(x) + 0.9): int(high) for x, high in drawn} == costs
        best = min(costs, key=lambda stride: (costs[stride], stride))
        assert numbers(note)[:2] == [best, costs[best]]
        assert ("as now" in note.inner_text()) == (best == setting.stride)


def test_a_query_is_described_in_the_summary_and_aloud(open_page: Open):
    page, setting = open_page(HTML), Setting("fixed", 16, 5, 2)
    seen = figure(page)
    go(seen, setting)
    seen.locator(".rows").focus()
    for keys, said in (
        (["Home", *["ArrowDown"] * 3],
         "Query 3 reads 4 of its 4 positions in one hop: 0–3. Two hops reach all 4."),
        (["End"], "Query 15 reads 7 of its 16 positions in one hop: 3–4, 8–9, 13–15. "
                  "Two hops reach 15: 0–14. They miss 15."),
    ):  # fmt: skip
        for key in keys:
            page.keyboard.press(key)
        assert summary(seen) == said
    heard = seen.locator("[aria-selected=true]").get_attribute("aria-label")
    assert heard == "query 15 reads 3–4, 8–9, 13–15"


def test_as_printed_in_the_paper_the_sets_leak(open_page: Open):
    seen = figure(open_page(HTML))
    leak, legend = seen.locator(".leak"), seen.locator(".legend")
    printed = seen.get_by_label("as printed in the paper")
    assert leak.is_hidden() and "future" not in legend.inner_text()
    printed.check()
    first, second = Setting("strided", 16, 4).printed_sets
    union, reach, past = first | second, reached(first, second), causal_mask(16)
    assert cells(seen, "future") == where(union & ~past)
    assert cells(seen, "ahead") == where(reach & ~past)
    assert cells(seen, "reached") == where(reach & past)
    assert numbers(seen.locator(".ratio"))[0] == int((union & past).sum())
    assert leak.inner_text().startswith("Reads the future in 24 places; two hops reach 96 pairs")
    assert "read in the future" in legend.inner_text()
    kinds = legend.locator("path").evaluate_all(
        """all => all.map(one => [one.getAttribute("class"), one.getAttribute("d"),
          getComputedStyle(one).fill + getComputedStyle(one).stroke])"""
    )
    assert [kind for kind, *_ in kinds] == [*READ[:3], "reached", "blank", "future", "ahead"]
    assert len({colour for *_, colour in kinds}) == 7
    assert len({shape for kind, shape, _ in kinds if kind in READ}) == 4
    seen.locator(".rows").focus()
    seen.page.keyboard.press("Home")
    assert "It reads 4, 8, 12 in the future." in summary(seen)
    go(seen, Setting("window", 16, 4))
    assert "the window holds l + 1 positions" in leak.inner_text()
    printed.uncheck()
    assert leak.is_hidden() and "future" not in legend.inner_text()


def test_positions_of_a_query_are_its_row_folded_or_in_a_line(open_page: Open):
    page, setting = open_page(HTML), Setting("fixed", 36, 5, 2)
    seen = figure(page)
    go(seen, setting)
    query = 13
    for name, width in (("rows of l", setting.stride), ("one line", setting.n)):
        seen.get_by_label(name).check()
        for kind in (*READ, "reached", "blank"):
            row = {j for i, j in cells(seen, kind) if i == query}
            assert cells(seen, kind, ".positions") == {(j // width, j % width) for j in row}
        assert cells(seen, "own", ".positions") == {(query // width, query % width)}
        heard = seen.locator(".positions svg").get_attribute("aria-label")
        assert heard == f"Positions of query 13, {width} in a row"
    page.set_viewport_size(PHONE)
    for stride in (1, 64):
        go(seen, Setting("fixed", 64, stride))
        box = seen.locator(".positions svg").bounding_box()
        room = seen.locator(".positions").bounding_box()
        assert box and room and 4 < box["height"] <= 14.2 * 16 and box["width"] <= room["width"]


def row(seen: Locator) -> int:
    """The chosen query; the mark beside the grid and what is heard agree."""
    chosen = seen.locator("[role=option]").evaluate_all(
        "all => all.map(one => one.ariaSelected === 'true')"
    )
    assert sum(chosen) == 1
    number = chosen.index(True)
    assert seen.locator(".rows").get_attribute("aria-activedescendant") == f"row{number}"
    assert seen.locator("[aria-selected=true]").get_attribute("id") == f"row{number}"
    assert seen.locator(".tag").inner_text() == str(number)
    assert seen.locator(".stepper .title").inner_text() == f"Query {number} and what it reaches"
    return number


def place(seen: Locator, number: int, n: int = 16) -> tuple[float, float]:
    """The middle of a row, on the page."""
    box = seen.locator(".rows").bounding_box()
    assert box
    return box["x"] + box["width"] / 3, box["y"] + (number + 0.5) * box["height"] / n


def test_a_click_or_a_drag_chooses_a_query(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    page.mouse.click(*place(seen, 6))
    assert row(seen) == 6
    page.mouse.move(*place(seen, 2))
    assert row(seen) == 6
    page.mouse.down()
    page.mouse.move(*place(seen, 11), steps=7)
    assert row(seen) == 11
    page.mouse.up()


def test_a_finger_chooses_a_query_and_scrolls_the_page(open_page: Open):
    page = open_page(HTML, has_touch=True, viewport=PHONE)
    seen = figure(page)
    seen.get_by_label("64", exact=True).check()
    seen.locator(".rows").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(seen, 9, 64))
    assert row(seen) == 9
    assert seen.locator(".rows").evaluate("one => getComputedStyle(one).touchAction") == "pan-y"


def test_keys_and_buttons_move_and_stop_at_the_ends(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator(".rows").focus()
    for key, expected in [("ArrowUp", 12), ("Home", 0), ("ArrowUp", 0), ("ArrowDown", 1),
                          ("End", 15), ("ArrowDown", 15), ("Control+Home", 15)]:  # fmt: skip
        page.keyboard.press(key)
        if key != "Control+Home":
            assert page.evaluate("window.scrollY") == 0  # the keys did not scroll the page
        assert row(seen) == expected
    seen.get_by_role("button", name="query below").click()
    assert row(seen) == 15
    seen.get_by_role("button", name="query above").click()
    assert row(seen) == 14


def test_what_no_longer_fits_is_cut_and_comes_back(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    go(seen, Setting("fixed", 64, 40, 20))
    seen.locator(".rows").focus()
    page.keyboard.press("End")
    values = seen.locator(".slider b")
    seen.get_by_label("16", exact=True).check()
    assert (values.all_inner_texts(), row(seen)) == (["16", "16"], 15)
    ranges = seen.locator("input[type=range]")
    assert [one.get_attribute("max") for one in ranges.all()] == ["15", "15"]
    seen.get_by_label("64", exact=True).check()
    assert (values.all_inner_texts(), row(seen)) == (["40", "20"], 63)
    ranges.first.evaluate(SET, 6)
    assert values.all_inner_texts() == ["7", "7"]


def test_leaks_and_switched_off_controls_can_be_read_on_a_phone(open_page: Open):
    page = open_page(HTML, viewport=PHONE)
    figure(page).get_by_label("as printed in the paper").check()
    for setting in (Setting("fixed", 64, 1), Setting("dense", 64, 1)):
        go(figure(page), setting)
        assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
        set_mode(page, "light")
        assert page.evaluate(FIND_OVERFLOW) == []
