"""The layer slider in a browser: curves, bars, points and words are those of the payload."""

import json
import re

import pytest
from playwright.sync_api import Locator

from tests.explorables.conftest import Open
from tests.explorables.layer_slider.places import expected_dots
from tests.explorables.layer_slider_demo import BOOKS, LAYER_SLIDER, NETWORKS, TOKENS
from tests.explorables.viewer import css, figure, summary
from tests.site.visit import PHONE

pytestmark = pytest.mark.slow

HTML = LAYER_SLIDER._repr_html_()
PAYLOAD = json.loads(LAYER_SLIDER.data)
STATIONS = PAYLOAD["stations"]
SET = "(input, place) => { input.value = place; input.dispatchEvent(new Event('input')); }"
WAY = re.compile(r"M([-\d.e]+),([-\d.e]+)h0")


def go(seen: Locator, station: int, network: str = "LM") -> None:
    """Move the slider and choose a network."""
    seen.locator("input[type=range]").evaluate(SET, station)
    seen.get_by_label(network, exact=True).check()


def station(seen: Locator) -> int:
    """The station shown; slider, its words and the title of the plane agree."""
    place = int(seen.locator("input[type=range]").input_value())
    assert seen.locator("input[type=range]").get_attribute("aria-valuetext") == STATIONS[place]
    assert seen.locator(".slider b").inner_text() == STATIONS[place]
    assert seen.locator(".stepper .title").inner_text().endswith(f", {STATIONS[place]}")
    return place


def token(seen: Locator) -> int:
    """The chosen token; radio buttons, point and name agree."""
    checked = seen.locator(".row input").evaluate_all("all => all.map(one => one.checked)")
    assert sum(checked) == 1
    number = checked.index(True)
    assert seen.locator(".plane text.chosen").text_content() == TOKENS[number]
    assert seen.locator("circle.chosen").count() == 1
    return number


def dots(seen: Locator, kind: str = "circle") -> list[tuple[float, ...]]:
    """Where the points stand in the drawing."""
    found = seen.locator(f".plane {kind}").evaluate_all(
        "all => all.map(one => one.style.transform)"
    )
    return [tuple(map(float, re.findall(r"[-\d.]+(?=px)", transform))) for transform in found]


def expected(place: int, network: int) -> list[tuple[float, float]]:
    return expected_dots(PAYLOAD["points"][network], place)


def rows(seen: Locator, number: int) -> dict[str, str]:
    """Names and numbers of the distances (0) or of the neighbours (1)."""
    body = seen.locator(".panes tbody").nth(number)
    names = body.locator("th").all_inner_texts()
    return dict(zip(names, body.locator("td").all_inner_texts(), strict=True))


def test_figure_starts_at_the_middle_with_the_token_that_changes_most(open_page: Open):
    seen = figure(open_page(HTML))
    assert (station(seen), token(seen)) == (3, BOOKS)
    go(seen, 0)
    first, second, _in_the_table_alone = PAYLOAD["neighbours"][0][0][BOOKS][1:4]
    named = ", ".join(
        f"{PAYLOAD['types'][kind]} {100 * share:.0f}\u00a0%" for kind, share in (first, second)
    )
    assert summary(seen) == (
        "LM, embedding: clusters tell 4.19 of the input token’s 4.51 nats. "
        "PWCCA distance: LM–MLM 0.05; LM–MT 0.06; MLM–MT 0.04; LM, other start 0.03. "
        f"Neighbours of “books”: books 90\u00a0%, {named}, other types 1\u00a0%."
    )


def test_points_stand_where_the_payload_says_and_the_path_leads_there(open_page: Open):
    seen = figure(open_page(HTML, reduced_motion="reduce"))
    for network, name in enumerate(NETWORKS):
        go(seen, 2 + network, name)
        spots, drawn = expected(2 + network, network), dots(seen)
        assert len(drawn) == len(TOKENS)
        for spot in spots:
            assert min(abs(x - spot[0]) + abs(y - spot[1]) for x, y in drawn) < 0.05
        assert dots(seen, "circle.chosen") == [pytest.approx(spots[BOOKS], abs=0.05)]
    go(seen, 3, "MT")
    steps = WAY.findall(seen.locator(".steps").get_attribute("d") or "")
    way = [expected(place, 2)[BOOKS] for place in range(3)]
    assert [tuple(map(float, step)) for step in steps] == [
        pytest.approx(spot, abs=0.05) for spot in way
    ]
    assert len((seen.locator(".plane polyline").get_attribute("points") or "").split()) == 4
    go(seen, 0, "MT")
    assert seen.locator(".steps").get_attribute("d") == ""


def test_numbers_and_bars_change_with_station_and_network(open_page: Open):
    seen = figure(open_page(HTML))
    for place, network in ((0, 0), (5, 1), (6, 0)):
        go(seen, place, NETWORKS[network])
        values = [f"{curve[place]:.2f}" for curve in PAYLOAD["information"]]
        assert seen.locator(".legend b").all_inner_texts() == values
        curves = dict(zip(PAYLOAD["pairs"], PAYLOAD["distances"], strict=True))
        assert rows(seen, 0) == {pair: f"{curve[place]:.2f}" for pair, curve in curves.items()}
        near = PAYLOAD["neighbours"][network][place][BOOKS]
        rest = 1 - sum(share for _, share in near)
        named = {PAYLOAD["types"][kind]: share for kind, share in near} | {"other types": rest}
        assert rows(seen, 1) == {kind: f"{100 * x:.0f}\u00a0%" for kind, x in named.items()}
        assert seen.locator("tr:has(.own) th").inner_text() == "books"
        caption = f"Neighbours of “books”: {NETWORKS[network]}, {STATIONS[place]}"
        assert seen.locator("caption").last.inner_text() == caption
        assert seen.get_by_text("A full bar: 0.5.").is_visible()
        shares = css(seen.locator(".measure"), "--share")
        full = [curve[place] / 0.5 for curve in PAYLOAD["distances"]]
        assert shares == pytest.approx([*full, *named.values()])


def test_curves_have_the_heights_of_their_numbers(open_page: Open):
    seen = figure(open_page(HTML))
    go(seen, 4, "untrained")
    top = float(seen.locator(".most").get_attribute("y1") or "")
    marks = {}
    for text in seen.locator(".curves text").all()[:-1]:
        if text.get_attribute("text-anchor") == "end" and "=" not in (text.text_content() or ""):
            marks[float(text.text_content() or "")] = float(text.get_attribute("y") or "") - 4.5
    assert list(marks) == [2, 3, 4]  # the axis begins at the unit below the least number
    unit = marks[2] - marks[3]
    for number, curve in enumerate(PAYLOAD["information"], start=1):
        line = seen.locator(f".curves .n{number} polyline").get_attribute("points") or ""
        heights = [(marks[2] - float(spot.split(",")[1])) / unit + 2 for spot in line.split()]
        assert heights == pytest.approx(curve)
        now = seen.locator(f".curves .n{number} .now").get_attribute("transform") or ""
        assert now == f"translate({line.split()[4]})"
    assert (marks[2] - top) / unit + 2 == pytest.approx(PAYLOAD["entropy"])
    assert seen.locator(".here").get_attribute("x1") == line.split()[4].split(",")[0]
    assert seen.locator(".legend .chosen").text_content() == "untrained 3.05"


def test_keys_move_the_slider_networks_and_tokens(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    for key, place in (("ArrowRight", 1), ("ArrowLeft", 0), ("End", 6)):
        page.keyboard.press(key)
        assert station(seen) == place
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert summary(seen).startswith("MLM, layer 6: clusters tell 3.63 of")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert station(seen) == 5
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Space")  # there is no station behind the last
    assert station(seen) == 6
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert token(seen) == BOOKS + 1
    assert page.evaluate("window.scrollY") < 900


def test_pointer_on_the_curves_goes_to_the_nearest_station(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    box = seen.locator(".curves").bounding_box()
    across = [box["x"] + box["width"] * (34 + 282 * place / 6) / 340 for place in range(7)]
    page.mouse.move(across[5] - 8, box["y"] + 60)
    assert station(seen) == 3  # it has passed by
    page.mouse.down()
    assert station(seen) == 5
    page.mouse.move(across[2] + 8, box["y"] + 90)
    page.mouse.up()
    page.mouse.move(across[6], box["y"] + 90)
    assert station(seen) == 2


def test_a_finger_chooses_tokens_by_point_and_by_name(open_page: Open):
    page = open_page(HTML, has_touch=True, viewport=PHONE, reduced_motion="reduce")
    seen = figure(page)
    go(seen, 3)
    seen.locator(".plane").scroll_into_view_if_needed()
    box = seen.locator(".plane").bounding_box()
    scale = box["width"] / 340
    x, y = expected(3, 0)[4]
    page.touchscreen.tap(box["x"] + scale * x, box["y"] + scale * y)
    assert token(seen) == 4
    page.touchscreen.tap(box["x"] + 2, box["y"] + 2)  # far from every point
    assert token(seen) == 4
    seen.locator(".row label").nth(7).tap()
    assert token(seen) == 7
    assert "Neighbours of “sat”: sat" in summary(seen)
