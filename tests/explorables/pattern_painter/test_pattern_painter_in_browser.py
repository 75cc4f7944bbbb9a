"""The pattern painter in a browser: sets, scores and reach are those of the package."""

import re
from collections.abc import Iterator

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
from tests.site.accessibility import serious_findings
from tests.site.visit import FIND_OVERFLOW, PHONE, set_mode

pytestmark = pytest.mark.slow

HTML = pattern_painter()._repr_html_()
SET = "(input, place) => { input.value = place; input.dispatchEvent(new Event('input')); }"
LEAKING = ("strided", "fixed")  # as the paper prints them; they have two sets
READ = ("first", "second", "both", "future")
SHOWN = [settings[0] for settings in SETTINGS.values()]  # all of them are counted in node


def each(seen: Locator) -> Iterator[Setting]:
    """Set the controls to one setting of each pattern."""
    for setting in SHOWN:
        go(seen, setting)
        yield setting


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


def unfold(text: str) -> list[int]:
    """Return 0, 1, 2, 5 for "0–2, 5"."""
    runs = [[int(end) for end in run.split("–")] for run in re.findall(r"\d+(?:–\d+)?", text)]
    return [place for run in runs for place in range(run[0], run[-1] + 1)]


def printed(seen: Locator) -> None:
    seen.get_by_label("as printed in the paper").check()


def test_figure_starts_with_what_was_asked_for(open_page: Open):
    page = open_page(pattern_painter(36, stride=7, summary=3, pattern="fixed")._repr_html_() + HTML)
    seen = figure(page)
    assert page.get_by_text("Scores and reach of the patterns").first.is_hidden()
    checked = seen.locator("input:checked")
    assert checked.count() == 4
    for name in ("36", "fixed", "set 1, then set 2", "rows of l"):
        assert seen.get_by_label(name, exact=True).is_checked()
    assert seen.locator(".slider b").all_inner_texts() == ["7", "3"]
    assert summary(seen).startswith("Query 33 reads")
    assert summary(figure(page, 1)) == (
        "Query 13 reads 7 of its 14 positions in one hop: 1, 5, 9–13. Two hops reach all 14."
    )


def test_grid_shows_the_two_sets_and_what_is_in_both(open_page: Open):
    seen = figure(open_page(HTML))
    for setting in each(seen):
        first, second = setting.sets
        if setting.pattern in ("dense", "window"):
            second = torch.zeros_like(first)
        assert cells(seen, "both") == where(first & second)
        assert cells(seen, "first") == where(first & ~second)
        assert cells(seen, "second") == where(second & ~first)
        assert cells(seen, "future") == cells(seen, "ahead") == set()
        assert cells(seen, "blank") == where(causal_mask(setting.n))


def test_scores_are_those_of_the_package(open_page: Open):
    seen = figure(open_page(HTML))
    for setting in each(seen):
        needed, dense = setting.needed, causal_scores(setting.n).needed
        found = numbers(seen.locator(".ratio"))
        assert found[:2] == [needed, dense]
        assert found[2] == pytest.approx(100 * needed / dense, abs=0.51)
        assert found[3] == pytest.approx(dense / needed, abs=0.00501)
        first, second = setting.sets
        if setting.pattern in ("strided", "fixed"):
            counts = [int(part.sum()) for part in (first, second, first & second)]
            assert numbers(seen.locator(".cost .note").first) == [
                counts[0], 1, counts[1], 2, counts[2], needed,
            ]  # fmt: skip
        widths = seen.locator(".bar span").evaluate_all("all => all.map(one => one.style.width)")
        assert sum(float(width.rstrip("%")) for width in widths) == pytest.approx(
            100 * needed / dense, abs=0.01
        )


def test_best_l_is_the_one_with_the_fewest_scores(open_page: Open):
    seen = figure(open_page(HTML))
    for setting in each(seen):
        if setting.pattern == "dense":
            assert seen.locator(".strides").is_hidden()
            continue
        note = seen.locator(".strides .note")
        least = setting.summary if setting.pattern == "fixed" else 1
        costs = {
            stride: setting._replace(stride=stride).needed for stride in range(least, setting.n + 1)
        }
        bars = seen.locator(".chart path").first.get_attribute("d") or ""
        drawn = re.findall(r"M([\d.]+) \d+v-(\d+)h", bars)
        assert {round(float(x) + 0.9): int(high) for x, high in drawn} == costs
        if setting.pattern == "window":
            assert note.inner_text().startswith("A window has no best l")
            continue
        best = min(costs, key=lambda stride: (costs[stride], stride))
        assert numbers(note)[:2] == [best, costs[best]]
        assert ("as now" in note.inner_text()) == (best == setting.stride)


def test_reach_is_that_of_the_package(open_page: Open):
    seen = figure(open_page(HTML))
    orders = [seen.get_by_label(name) for name in ("set 1, then set 2", "set 2, then set 1")]
    for setting in each(seen):
        for residual in (False, True):
            seen.get_by_label("with residual connections").set_checked(residual)
            for order, sets in zip(orders, (setting.sets, setting.sets[::-1]), strict=True):
                assert order.is_disabled() == (setting.pattern in ("dense", "window"))
                if order.is_enabled():
                    order.check()
                compare_reach(seen, reached(*sets, residual=residual))


def compare_reach(seen: Locator, expected: Tensor) -> None:
    assert cells(seen, "reached") == where(expected)
    pairs = causal_scores(len(expected)).needed
    assert numbers(seen.locator(".count")) == [int(expected.sum()), pairs]


def test_order_matters_for_fixed_and_residuals_complete_it(open_page: Open):
    """In one block of 4, a query misses its own block, but for the summary."""
    seen = figure(open_page(HTML))
    go(seen, Setting("fixed", 16, 4))
    count = seen.locator(".count")
    assert count.inner_text() == "All queries: two hops reach 112 of 136 pairs."
    seen.get_by_label("set 2, then set 1").check()
    assert numbers(count) == [28, 136]
    seen.get_by_label("with residual connections").check()
    assert numbers(count) == [64, 136]
    seen.get_by_label("set 1, then set 2").check()
    assert numbers(count) == [136, 136]


def test_summary_lists_what_each_query_reads_reaches_and_misses(open_page: Open):
    page, setting = open_page(HTML), Setting("fixed", 16, 5, 2)
    seen = figure(page)
    go(seen, setting)
    first, second = setting.sets
    reach, union = reached(first, second), first | second
    seen.locator(".rows").focus()
    page.keyboard.press("Home")
    for query in range(setting.n):
        keys = union[query].nonzero().flatten().tolist()
        said = re.fullmatch(
            rf"Query {query} reads {len(keys)} of its {query + 1} positions in one hop: (.*?)\. "
            rf"Two hops reach (.*)\.",
            summary(seen),
        )
        assert said and unfold(said[1]) == keys
        hops = reach[query, : query + 1].nonzero().flatten().tolist()
        if len(hops) == query + 1:
            assert said[2] == f"all {query + 1}"
        else:
            listed = re.fullmatch(rf"{len(hops)}: (.*)\. They miss (.*)", said[2])
            assert listed and unfold(listed[1]) == hops
            assert unfold(listed[2]) == sorted({*range(query + 1)} - {*hops})
        heard = seen.locator("[aria-selected=true]").get_attribute("aria-label") or ""
        assert heard.startswith(f"query {query} reads ")
        assert unfold(heard.split("reads ")[1]) == keys
        page.keyboard.press("ArrowDown")


def test_as_printed_in_the_paper_the_sets_leak(open_page: Open):
    seen = figure(open_page(HTML))
    printed(seen)
    for setting in each(seen):
        first, second = setting.printed_sets
        union, reach, past = first | second, reached(first, second), causal_mask(setting.n)
        assert cells(seen, "future") == where(union & ~past)
        assert cells(seen, "ahead") == where(reach & ~past)
        assert cells(seen, "reached") == where(reach & past)
        if setting.pattern in LEAKING:
            assert cells(seen, "both") == where(first & second & past)
            assert cells(seen, "second") == where(second & ~first & past)
        assert cells(seen, "first") | cells(seen, "second") | cells(seen, "both") == where(
            union & past
        )
        leaks = [int((pairs & ~past).sum()) for pairs in (union, reach)]
        said = seen.locator(".leak").inner_text()
        assert said.startswith(f"Reads the future in {leaks[0]} places")
        assert (f"; two hops reach {leaks[1]} pairs j > i." in said) == (setting.pattern in LEAKING)
        assert numbers(seen.locator(".ratio"))[0] == int((union & past).sum())
        assert numbers(seen.locator(".count"))[0] == int((reach & past).sum())


def test_leak_is_said_only_where_the_paper_is_followed(open_page: Open):
    seen = figure(open_page(HTML))
    leak, legend = seen.locator(".leak"), seen.locator(".legend")
    assert leak.is_hidden() and "future" not in legend.inner_text()
    printed(seen)
    assert leak.inner_text().startswith("Reads the future in 24 places; two hops reach 96 pairs")
    assert "read in the future" in legend.inner_text()
    seen.locator(".rows").focus()
    seen.page.keyboard.press("Home")
    assert "It reads 4, 8, 12 in the future." in summary(seen)
    seen.get_by_label("as printed in the paper").uncheck()
    assert leak.is_hidden() and "future" not in legend.inner_text()


def test_printed_window_holds_one_position_more(open_page: Open):
    seen = figure(open_page(HTML))
    go(seen, Setting("window", 16, 4))
    assert summary(seen).startswith("Query 13 reads 4 of its 14 positions in one hop: 10–13.")
    printed(seen)
    assert summary(seen).startswith("Query 13 reads 5 of its 14 positions in one hop: 9–13.")
    assert "the window holds l + 1 positions" in seen.locator(".leak").inner_text()


@pytest.mark.parametrize("setting", [Setting("strided", 24, 7), Setting("fixed", 36, 5, 2)])
def test_positions_of_a_query_are_its_row_folded_or_in_a_line(open_page: Open, setting):
    seen = figure(open_page(HTML))
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


def test_positions_stay_small_whatever_l_is(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE))
    for stride in (1, 3, 64):
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


@pytest.mark.parametrize("n", [16, 64])
def test_a_finger_chooses_a_query_and_scrolls_the_page(open_page: Open, n):
    page = open_page(HTML, has_touch=True, viewport=PHONE)
    seen = figure(page)
    seen.get_by_label(str(n), exact=True).check()
    seen.locator(".rows").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(seen, 9, n))
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


def test_only_what_a_pattern_has_can_be_set(open_page: Open):
    seen = figure(open_page(HTML))
    ranges = seen.locator("input[type=range]")
    for pattern, expected in [("dense", [False, False]), ("window", [True, False]),
                              ("strided", [True, False]), ("fixed", [True, True])]:  # fmt: skip
        seen.get_by_label(pattern, exact=True).check()
        assert [one.is_enabled() for one in ranges.all()] == expected
        names = seen.locator(".legend").inner_text()
        assert ("set 2" in names) == ("in both" in names) == (pattern in ("strided", "fixed"))


def test_kinds_differ_in_shape_and_in_colour(open_page: Open):
    seen = figure(open_page(HTML))
    printed(seen)
    paths = seen.locator(".legend path")
    looks = paths.evaluate_all(
        """all => all.map(one => [one.getAttribute("class"), one.getAttribute("d"),
          getComputedStyle(one).fill + getComputedStyle(one).stroke])"""
    )
    assert [kind for kind, _, _ in looks] == ["first", "second", "both", "reached", "blank",
                                              "future", "ahead"]  # fmt: skip
    assert len({colour for _, _, colour in looks}) == 7
    assert len({shape for kind, shape, _ in looks if kind in READ}) == 4


def test_focus_is_seen(open_page: Open):
    page = open_page(HTML)
    rows = figure(page).locator(".rows")
    outline = "one => getComputedStyle(one).outline"
    before = rows.evaluate(outline)
    rows.focus()
    page.keyboard.press("ArrowUp")
    assert rows.evaluate(outline).endswith("solid 3px") and not before.endswith("solid 3px")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_leaks_and_switched_off_controls_can_be_read_on_a_phone(open_page: Open, mode):
    page = open_page(HTML, viewport=PHONE)
    set_mode(page, mode)
    printed(figure(page))
    for setting in (Setting("fixed", 64, 1), Setting("dense", 64, 1)):
        go(figure(page), setting)
        assert serious_findings(page, contrast=True) == []
        assert page.evaluate(FIND_OVERFLOW) == []
