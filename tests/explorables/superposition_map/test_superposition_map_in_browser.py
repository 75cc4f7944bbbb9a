"""The map of superpositions in a browser: arrows, interference and counts are the payload's."""

import json
from itertools import pairwise

import pytest
from playwright.sync_api import Locator

from tests.explorables.conftest import Open
from tests.explorables.demo import SUPERPOSITION
from tests.explorables.viewer import figure, summary
from tests.site.visit import PHONE

pytestmark = pytest.mark.slow

HTML = SUPERPOSITION._repr_html_()
PAYLOAD = json.loads(SUPERPOSITION.data)
CENTER = 160  # of the plane, in the drawing's units


def go(seen: Locator, sparsity: int, decay: int) -> None:
    """Choose a setting by its cell of the map."""
    seen.locator(".map tbody tr").nth(decay).locator("td").nth(sparsity).click()


def sliders(seen: Locator) -> list[str]:
    """What the sliders show and say."""
    said = [
        one.get_attribute("aria-valuetext") or "" for one in seen.locator("input[type=range]").all()
    ]
    assert seen.locator(".slider b").all_inner_texts() == said
    return said


def matrix(seen: Locator) -> list[list[str]]:
    rows = seen.locator(".matrix tbody tr").all()
    return [row.locator(".cell").all_inner_texts() for row in rows]


def tips(seen: Locator) -> list[list[float]]:
    """Where the arrows end [feature, axis], in units of W, read off the drawing."""
    unit = float(seen.locator("circle.axis").get_attribute("r") or 0)
    found = []
    for number in range(1, 6):
        points = seen.locator(f"svg .f{number} .arrow polygon").get_attribute("points") or ""
        x, y = [float(value) for value in points.split(",")][2:4]
        found.append([(x - CENTER) / unit, (CENTER - y) / unit])
    return found


def chosen(seen: Locator) -> int:
    """The feature that is chosen, counted from 1; row, radio button and arrow agree."""
    radios = seen.locator(".matrix input").evaluate_all("all => all.map(one => one.checked)")
    rows = seen.locator(".matrix tbody tr").evaluate_all(
        "all => all.map(one => one.classList.contains('chosen'))"
    )
    assert sum(rows) == 1 and rows == radios
    number = rows.index(True) + 1
    assert seen.locator("svg .chosen").get_attribute("class") == f"f{number} chosen"
    return number


def place(seen: Locator, number: int) -> tuple[float, float]:
    """The middle of the disc that holds a feature's number, on the page."""
    box = seen.locator(f"svg .f{number} .disc circle").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_summary_says_what_a_feature_has_and_whom_it_disturbs(open_page: Open):
    seen = figure(open_page(HTML))
    importance = seen.locator(".matrix tbody td:nth-last-child(2)")
    assert (sliders(seen), chosen(seen)) == (["0", "1"], 1)
    assert importance.all_inner_texts() == ["1.00"] * 5
    assert summary(seen) == (
        "2 of 5 features in 2 dimensions, loss 0.0500. "
        "Feature 1 has 1.00 of a dimension and interferes with no other."
    )
    go(seen, 2, 0)  # a pentagon
    assert seen.locator(".share").all_inner_texts() == ["0.40"] * 5
    assert summary(seen) == (
        "5 of 5 features in 2 dimensions, loss 0.0040. Feature 1 has 0.40 of a dimension. "
        "It interferes with 2 (+0.31), 3 (−0.81), 4 (−0.81), 5 (+0.31)."
    )
    go(seen, 2, 1)
    seen.locator(".matrix tbody tr").nth(4).click()
    assert importance.all_inner_texts() == ["1.00", "0.80", "0.64", "0.51", "0.41"]
    assert summary(seen) == (
        "4 of 5 features in 2 dimensions, loss 0.0031. "
        "Feature 5 is not represented: its length is 0.40."
    )
    go(seen, 1, 0)
    assert seen.get_by_role("img").get_attribute("aria-label") == (
        "Arrows of the features in a plane. Feature 1: length 1.00, Feature 2: length 1.20, "
        "Feature 3: length 1.00, Feature 4: length 1.20, Feature 5: length 0.00."
    )


def test_keys_move_sliders_and_rows(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    seen.locator(".matrix input").first.focus()
    page.keyboard.press("ArrowUp")
    assert chosen(seen) == 5
    seen.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert (sliders(seen), chosen(seen)) == (["0.9", "0.8"], 5)


def test_arrows_and_matrix_are_those_of_the_solution(open_page: Open):
    seen = figure(open_page(HTML))
    for sparsity, decay in [(0, 0), (1, 0), (2, 0), (2, 1)]:
        go(seen, sparsity, decay)
        columns = PAYLOAD["columns"][sparsity][decay]
        assert tips(seen) == [pytest.approx(column, abs=1e-6) for column in columns]
        expected = [
            [f"{a[0] * b[0] + a[1] * b[1] + 0.0:.2f}".replace("-0.00", "0.00") for b in columns]
            for a in columns
        ]
        assert matrix(seen) == [[text.replace("-", "−") for text in row] for row in expected]
        shares = seen.locator(".share").all_inner_texts()
        assert shares == [f"{share:.2f}" for share in PAYLOAD["shares"][sparsity][decay]]


def test_a_setting_is_chosen_in_the_map_and_a_feature_by_its_arrow(open_page: Open):
    page = open_page(HTML, has_touch=True, viewport=PHONE)
    seen = figure(page)
    cells = seen.locator(".map tbody td")
    assert cells.all_inner_texts() == ["2", "4", "5", "2", "2", "4"]
    assert seen.locator(".lost").text_content() == "no arrow"  # of these, in a corner
    places = [place(seen, number) for number in (3, 4, 5)]
    assert len({y for _, y in places}) == 1
    assert all(after[0] - before[0] > 20 for before, after in pairwise(places))
    cells.nth(2).tap()
    assert sliders(seen) == ["0.9", "1"]
    assert seen.locator(".map .current").all_inner_texts() == ["5"]
    assert seen.locator(".lost").text_content() == ""
    seen.locator(".plane").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(seen, 4))
    assert chosen(seen) == 4
    for number in (2, 5, 3):
        page.mouse.move(*place(seen, number))
        assert chosen(seen) == number
    box = seen.locator(".plane").bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)  # far from every arrow
    assert chosen(seen) == 3
    ends = [
        float(seen.locator(".plane .zero").get_attribute(name)) for name in ("x1", "y1", "x2", "y2")
    ]
    x, y = PAYLOAD["columns"][2][0][2]  # the line is at right angles to the arrow
    assert (ends[2] - ends[0]) * x - (ends[3] - ends[1]) * y == pytest.approx(0, abs=1e-6)
    assert "no interference with 3" in seen.locator(".legend").inner_text()


def test_features_and_signs_are_told_apart_by_more_than_colour(open_page: Open):
    seen = figure(open_page(HTML))
    go(seen, 2, 0)
    lines = seen.locator(".plane .arrow line")
    dashes = lines.evaluate_all("all => all.map(one => one.getAttribute('stroke-dasharray'))")
    assert len(set(dashes)) == 5
    assert sorted(seen.locator(".plane .disc").all_text_contents()) == ["1", "2", "3", "4", "5"]
    image = "one => getComputedStyle(one).backgroundImage"
    cells = seen.locator(".matrix tbody tr").first.locator(".cell")
    assert cells.nth(1).evaluate(image) == "none"
    assert cells.nth(2).evaluate(image).startswith("repeating-linear-gradient")
