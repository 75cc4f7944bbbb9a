"""Query and keys in a browser: arrows, handles, table and words. Node tests the numbers."""

import pytest
from playwright.sync_api import Locator, Page

from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import QUERY
from tests.explorables.viewer import figure, summary
from tests.site.visit import DESKTOP, PHONE

pytestmark = pytest.mark.slow

HTML = QUERY._repr_html_()
IT, ANIMAL, STREET, WAS, TIRED, CROSSED = range(6)


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def places(seen: Locator) -> list[list[float]]:
    """Where query and keys point, as it is read aloud."""
    spoken = seen.locator(".handle").evaluate_all("all => all.map(one => one.ariaValueText)")
    return [[number(part[2:]) for part in text.split(", ")] for text in spoken]


def shown(seen: Locator) -> list[list[str]]:
    """Angle, score and weight of each key, as they stand in the table."""
    return seen.locator(".panes tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.querySelectorAll('.number')].map(n => n.textContent))"
    )


def center(box: dict) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pixels(seen: Locator, x: float, y: float) -> tuple[float, float]:
    """Where a point of the plane stands on the screen."""
    box = seen.locator(".plane > svg").bounding_box()
    unit = box["width"] / 320 * (160 - 24) / 3
    across, down = center(box)
    return across + unit * x, down - unit * y


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    page.mouse.up()


def test_the_long_key_wins_with_the_dot_product_and_loses_with_the_cosine(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    assert places(seen)[STREET] == [2.6, 0.2]
    assert shown(seen)[:2] == [["14°", "2.48", "0.124"], ["32°", "4.40", "0.847"]]
    assert seen.locator(".note").inner_text() == "Output: (2.29, 0.31)"
    assert summary(seen) == (
        "“it” reads “street” most, with weight 0.847. “animal” points closer (14° against 32°) but "
        "is shorter. “tired” scores below zero at 97°; opposite would be 180°."
    )
    seen.get_by_label("cosine", exact=True).check()
    assert [score for _angle, score, _weight in shown(seen)[:2]] == ["0.97", "0.84"]
    assert summary(seen).startswith("“it” reads “animal” most, with weight 0.3")
    assert "Lengths do not count." in summary(seen)


def test_a_dragged_key_follows_the_pointer_and_everything_is_worked_out_anew(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    before = places(seen)
    drag(page, pixels(seen, *before[CROSSED]), pixels(seen, 1.5, 2.25))
    after = places(seen)
    assert after[CROSSED] == pytest.approx([1.5, 2.25], abs=0.0251)
    assert after[:CROSSED] == before[:CROSSED]
    assert shown(seen)[CROSSED - 1] == ["19°", "5.10", "0.631"]
    assert "“it” reads “crossed” most" in summary(seen)
    page.mouse.move(*pixels(seen, 0, 0))  # let go: it stays
    assert places(seen) == after
    drag(page, pixels(seen, 2, -2), pixels(seen, 0, -2))  # an empty place takes no arrow
    assert places(seen) == after
    drag(page, pixels(seen, 1.55, 1.2), pixels(seen, 1.5, 1.5))  # handles overlap: the nearest tip
    drag(page, pixels(seen, 0.85, 1.0), pixels(seen, 1.0, 0.5))
    assert places(seen)[IT] == pytest.approx([1.5, 1.5], abs=0.0251)
    assert places(seen)[ANIMAL] == pytest.approx([1.0, 0.5], abs=0.0251)


def test_a_dragged_query_moves_the_line_of_score_zero(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    drag(page, pixels(seen, *places(seen)[IT]), pixels(seen, -1, 2))
    assert places(seen)[IT] == pytest.approx([-1, 2], abs=0.0251)
    x1, y1, x2, y2 = (
        float(seen.locator("line.zero").first.get_attribute(name)) for name in "x1 y1 x2 y2".split()
    )
    x, y = places(seen)[IT]
    assert (x2 - x1) * x - (y2 - y1) * y == pytest.approx(0, abs=1e-6)


def test_arrows_end_where_their_handles_are_at_every_width_and_bars_have_signs(open_page: Open):
    page = open_page(HTML, viewport=DESKTOP)
    seen = figure(page)
    tips = seen.locator(".plane .arrow polygon").evaluate_all(
        "heads => heads.map(head => [head.points[1].x, head.points[1].y])"
    )
    unit = (160 - 24) / 3
    expected = [[160 + unit * x, 160 - unit * y] for x, y in places(seen)]
    *keys, query, output = tips
    assert [query, *keys] == [pytest.approx(tip, abs=0.01) for tip in expected]
    read = [(output[0] - 160) / unit, (160 - output[1]) / unit]
    assert read == pytest.approx([2.29, 0.31], abs=0.01)
    rows = seen.locator(".panes tbody tr").all()
    for row, (_angle, score, _weight) in zip(rows, shown(seen), strict=True):
        bar = row.locator(".track.score .bar").bounding_box()
        side = center(bar)[0] - center(row.locator(".track.score").bounding_box())[0]
        assert side * number(score) > 0  # a score below zero has its bar to the left
        assert bar["width"] == pytest.approx(abs(side) * 2, abs=0.1)
    for width in (390, 700, DESKTOP["width"]):
        page.set_viewport_size({**DESKTOP, "width": width})
        for handle, place in zip(seen.locator(".handle").all(), places(seen), strict=True):
            wanted = pixels(seen, *place)
            box = handle.bounding_box()
            assert center(box) == pytest.approx(wanted, abs=1.5)  # the frame's width


def test_a_finger_drags_a_tip_and_scrolls_elsewhere(open_page: Open):
    page = open_page(HTML, has_touch=True, viewport=PHONE)
    seen = figure(page)
    touch = page.context.new_cdp_session(page)
    for kind, place in (("Start", places(seen)[WAS]), ("Move", (0, 2)), ("Move", (2.5, 2))):
        x, y = pixels(seen, *place)
        touch.send(
            "Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [{"x": x, "y": y}]}
        )
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert places(seen)[WAS] == pytest.approx([2.5, 2], abs=0.0251)
    action = "element => getComputedStyle(element).touchAction"
    assert seen.locator(".handle").first.evaluate(action) == "none"
    assert seen.locator(".plane").evaluate(action) == "auto"


def test_handles_are_large_enough_for_a_finger_and_stay_inside_at_the_edge(open_page: Open):
    page = open_page(HTML, viewport=PHONE)
    seen = figure(page)
    drag(page, pixels(seen, *places(seen)[STREET]), (389, 840))
    assert places(seen)[STREET][0] == 3
    plane = seen.locator(".plane").bounding_box()
    for handle in seen.locator(".handle").all():
        box = handle.bounding_box()
        assert (box["width"], box["height"]) == (44, 44)
        assert plane["x"] <= box["x"] and box["x"] + 44 <= plane["x"] + plane["width"]


def test_arrow_keys_move_a_tip_and_stop_at_the_edge(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    handle = seen.get_by_label("key of animal")
    handle.focus()
    path = []
    for key in "ArrowRight ArrowUp Shift+ArrowLeft Shift+ArrowDown".split():
        page.keyboard.press(key)
        path.append(places(seen)[ANIMAL])
    assert path == [[0.9, 1.0], [0.9, 1.1], [0.4, 1.1], [0.4, 0.6]]
    for _ in range(8):
        page.keyboard.press("Shift+ArrowRight")
    assert places(seen)[ANIMAL] == [3, 0.6]
    assert handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax") == "3"
    painted(page)
    assert page.evaluate("window.scrollY") == 0  # the keys did not scroll the page
    page.keyboard.press("Control+ArrowLeft")  # the browser's
    assert places(seen)[ANIMAL] == [3, 0.6]


def test_temperature_divides_the_scores_and_reset_brings_all_back(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    before = (places(seen), shown(seen), summary(seen))
    seen.get_by_label("cosine", exact=True).check()
    slider, largest = seen.get_by_role("slider", name="Temperature"), []
    for key in ("Home", "ArrowRight", "End"):
        slider.press(key)
        largest.append(max(weight for _angle, _score, weight in shown(seen)))
    assert largest == ["0.776", "0.706", "0.232"]
    assert slider.get_attribute("aria-valuetext") == "5"
    drag(page, pixels(seen, *places(seen)[TIRED]), pixels(seen, 1, 2.5))
    assert shown(seen) != before[1]
    seen.get_by_role("button", name="Reset").click()
    assert (places(seen), shown(seen), summary(seen)) == before
    assert seen.get_by_label("dot product", exact=True).is_checked()
