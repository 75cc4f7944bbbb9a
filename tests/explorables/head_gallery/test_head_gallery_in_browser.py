"""The gallery of heads in a browser: maps, strips and switches say what the payload says."""

import json

import pytest
from playwright.sync_api import Locator

from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import HEADS, QUESTIONS
from tests.explorables.viewer import css, figure, large, query, small, summary
from tests.site.visit import DESKTOP, PHONE

pytestmark = pytest.mark.slow

HTML = HEADS._repr_html_()
PAYLOAD = json.loads(HEADS.data)
LONG, SHORT = PAYLOAD["sentences"]
ACCURACY = [[share / 1e6 for share in subsets] for subsets in PAYLOAD["accuracy"]]


def head(seen: Locator, layer: int, index: int) -> Locator:
    return seen.locator("fieldset").nth(layer).locator(".head").nth(index)


def toggle(seen: Locator, layer: int, index: int) -> None:
    head(seen, layer, index).get_by_role("switch").click()


def status(seen: Locator) -> str:
    return seen.locator(".status").inner_text()


def test_figure_starts_with_all_heads_on_where_they_differ_most(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.get_by_role("switch", checked=True).count() == 16
    assert status(seen) == "0.970 accuracy. All heads are on."
    assert query(seen) == 0
    assert seen.locator(".legend").inner_text().split("\n") == [
        "chance 0.063", "all heads on 0.970",
    ]  # fmt: skip


def test_maps_and_strips_show_the_weights_of_the_payload(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 2)
    for number, sentence in enumerate(PAYLOAD["sentences"]):
        seen.locator("select").select_option(index=number)
        assert seen.locator(".word").all_inner_texts() == sentence["words"]
        if number:  # another sentence keeps the head
            assert large(seen) == sentence["weights"][1][7]
        for layer, index in [(0, 6), (1, 7)]:
            weights = sentence["weights"][layer][index]
            shares = [[weight / 100 for weight in row] for row in weights]
            assert small(seen, head(seen, layer, index)) == shares
            head(seen, layer, index).get_by_role("radio").check()
            assert large(seen) == weights
            title = seen.locator(".title").first.inner_text()
            assert title.startswith(f"Head {layer + 1}.{index + 1}")
    toggle(seen, 0, 2)
    seen.locator(".row").nth(1).click()
    rows = [weights[1] for layer in SHORT["weights"] for weights in layer]
    strips = css(seen.locator(".panes tbody .cell"), "--weight")
    assert strips == [weight / 100 for row in rows for weight in row]
    most = [row.index(max(row)) for row in rows]
    expected = [
        f"{SHORT['words'][key]} {row[key] / 100:.2f}" for key, row in zip(most, rows, strict=True)
    ]
    assert seen.locator(".panes tbody td:last-child").all_inner_texts() == expected
    assert seen.locator(".panes caption").inner_text() == "What every head reads for “cat”"
    marked = seen.locator(".current").evaluate_all("all => all.map(one => one.getAttribute('y'))")
    assert marked == ["10"] * 16


def test_switches_show_the_accuracy_of_exactly_these_heads_off(open_page: Open):
    layer, heads = 1, [5, 1, 7]
    seen = figure(open_page(HTML))
    for index in heads:
        toggle(seen, layer, index)
    subset = sum(2**index for index in heads)
    expected = ACCURACY[layer][subset]
    assert status(seen).startswith(f"{expected:.3f} accuracy. Off: 2.2, 2.6, 2.8.")
    bar, scale = (seen.locator(name).bounding_box()["width"] for name in (".bar", ".scale"))
    assert bar / scale == pytest.approx(expected, abs=0.002)
    for other in range(8):
        after = head(seen, layer, other).locator(".after").inner_text()
        assert after == f"→ {ACCURACY[layer][subset ^ 2**other]:.3f}"
        checked = head(seen, layer, other).get_by_role("switch").is_checked()
        assert checked == (other not in heads)


def test_heads_that_replace_each_other_cost_more_together(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 0)
    assert status(seen) == "0.960 accuracy. Off: 1.1. Change against all heads on: −0.010."
    name = "Head 1.3, accuracy once switched: 0.440"
    assert seen.get_by_role("switch", name=name, exact=True).count() == 1
    toggle(seen, 0, 2)
    assert status(seen) == (
        "0.440 accuracy. Off: 1.1, 1.3. Change against all heads on: −0.530. "
        "Turned off one at a time, their changes add up to −0.030."
    )
    assert seen.locator(".strike:visible").count() == 2  # marked by more than colour
    row = seen.locator(".panes tbody tr").nth(2)
    assert row.locator("td").last.inner_text() == "off"
    line = "one => getComputedStyle(one).textDecorationLine"
    assert row.locator("th").evaluate(line) == "line-through"
    toggle(seen, 1, 1)  # a switch of another layer turns the first layer's heads on again
    assert seen.get_by_role("switch", checked=False).count() == 1
    assert status(seen) == (
        "0.670 accuracy. Layer 1 is whole again. Off: 2.2. Change against all heads on: −0.300."
    )
    seen.get_by_role("button").click()
    assert status(seen) == "0.970 accuracy. All heads are on."


@pytest.mark.parametrize("size, above", [(DESKTOP, 56), (PHONE, 0)], ids=["desktop", "phone"])
def test_the_accuracy_stays_in_sight_of_every_switch(open_page: Open, size, above):
    """Also below a header of the page, which is so high."""
    room = "<div style='height: 3000px'></div>"
    style = f"<style>.bottomup-explorable {{ --above: {above}px }}</style>"
    page = open_page(style + room + HTML + room, viewport=size)
    seen = figure(page)
    low, high = (
        seen.locator(name).bounding_box() for name in (".result", ".gallery fieldset:last-of-type")
    )
    assert high["y"] + high["height"] - low["y"] < size["height"] - above  # all fit on a screen
    for place, way in ((0, "end"), (5, "center"), (12, "start"), (15, "start")):
        switch = seen.get_by_role("switch").nth(place)
        switch.evaluate("(one, way) => one.scrollIntoView({ block: way })", way)
        painted(page)
        result, box = seen.locator(".result").bounding_box(), switch.bounding_box()
        assert above <= result["y"] and result["y"] + result["height"] <= box["y"]
        assert box["y"] + box["height"] <= size["height"]
    page.mouse.wheel(0, 2000)  # with the switches it goes
    page.wait_for_function("scrollY > 4000")
    painted(page)
    assert seen.locator(".result").bounding_box()["y"] < 0


def test_an_answer_of_two_parts_shows_what_each_head_is_for(open_page: Open):
    seen = figure(open_page(QUESTIONS._repr_html_()))
    assert status(seen) == "0.990 accuracy (first 1.000, second 0.990). All heads are on."
    assert seen.locator(".toggle").all_inner_texts() == ["1", "2"]  # one layer is not counted
    assert seen.locator("select").count() == 0  # nothing to choose from
    assert seen.locator(".word").all_inner_texts() == ["0, then 2", "1, then 0"]
    assert seen.locator(".map .keys span").all_inner_texts() == ["0", "1", "2"]
    assert large(seen) == [[90, 0, 10], [0, 100, 0]]
    seen.locator(".row").nth(1).click()
    assert summary(seen) == "In head 1, “1, then 0” reads “1” 1.00. 1 of 2 heads read “1” most."
    toggle(seen, 0, 0)
    assert status(seen) == (
        "0.060 accuracy (first 0.070, second 0.980). Off: 1. Change against all heads on: −0.930."
    )
    widths = [
        bar.bounding_box()["width"] / scale.bounding_box()["width"]
        for bar, scale in zip(seen.locator(".bar").all(), seen.locator(".scale").all(), strict=True)
    ]
    assert widths == pytest.approx([0.06, 0.07, 0.98], abs=0.01)


def test_arrow_keys_move_over_heads_and_queries_and_space_switches(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    head(seen, 0, 6).get_by_role("radio").focus()
    page.keyboard.press("Space")
    for _ in range(2):  # from the last head of a layer to the first of the next
        page.keyboard.press("ArrowRight")
    assert large(seen) == LONG["weights"][1][0]
    seen.locator(".row input:checked").focus()
    start = query(seen)
    page.keyboard.press("ArrowDown")
    assert query(seen) == (start + 1) % 11
    head(seen, 0, 1).get_by_role("switch").focus()
    page.keyboard.press("Space")
    assert status(seen).startswith("0.970 accuracy. Off: 1.2.")
    assert page.evaluate("window.scrollY") < 900  # the space bar did not page down
