"""The layer slider in a browser: curves, bars, points and words are those of the payload."""

import json
import re
from itertools import combinations, product

import pytest
from playwright.sync_api import Locator

from bottomup.explorables import layer_slider
from tests.explorables.conftest import Open
from tests.explorables.layer_slider.places import expected_dots
from tests.explorables.layer_slider_demo import ARGUMENTS, BOOKS, LAYER_SLIDER, NETWORKS, TOKENS
from tests.explorables.viewer import figure, summary
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


def dots(seen: Locator) -> dict[tuple[float, float], bool]:
    """Where the points stand in the drawing, and which of them is chosen."""
    found = seen.locator(".plane circle").evaluate_all(
        "all => all.map(one => [one.style.transform, one.classList.contains('chosen')])"
    )
    numbers = [re.findall(r"[-\d.]+(?=px)", transform) for transform, _ in found]
    return {
        (round(float(x), 2), round(float(y), 2)): chosen
        for (x, y), (_, chosen) in zip(numbers, found, strict=True)
    }


def expected(place: int, network: int) -> list[tuple[float, float]]:
    return expected_dots(PAYLOAD["points"][network], place)


def rows(seen: Locator, number: int) -> dict[str, str]:
    """Names and numbers of the distances (0) or of the neighbours (1)."""
    body = seen.locator(".panes tbody").nth(number)
    names = body.locator("th").all_inner_texts()
    return dict(zip(names, body.locator("td").all_inner_texts(), strict=True))


def test_figure_starts_at_the_middle_with_the_token_that_changes_most(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    assert page.get_by_text("PWCCA distance between two networks").is_hidden()
    assert (station(seen), token(seen)) == (3, BOOKS)
    assert len(WAY.findall(seen.locator(".steps").get_attribute("d") or "")) == 3
    assert min(float(distance) for distance in rows(seen, 0).values()) > 0
    go(seen, 0)
    first, second, third = PAYLOAD["neighbours"][0][0][BOOKS][1:4]
    named = ", ".join(
        f"{PAYLOAD['types'][kind]} {100 * share:.0f}\u00a0%" for kind, share in (first, second)
    )
    assert summary(seen) == (
        "LM, embedding: clusters tell 4.19 of the input token’s 4.51 nats. "
        "PWCCA distance: LM–MLM 0.05; LM–MT 0.06; MLM–MT 0.04; LM, other start 0.03. "
        f"Neighbours of “books”: books 90\u00a0%, {named}, other types 1\u00a0%."
    )
    assert third  # is in the table alone


def test_points_stand_where_the_payload_says(open_page: Open):
    seen = figure(open_page(HTML, reduced_motion="reduce"))
    for network, name in enumerate(NETWORKS):
        go(seen, 2 + network, name)
        spots = expected(2 + network, network)
        drawn = dots(seen)
        assert len(drawn) == len(TOKENS)
        for spot in spots:
            assert min(abs(x - spot[0]) + abs(y - spot[1]) for x, y in drawn) < 0.05
        [chosen] = [spot for spot, is_chosen in drawn.items() if is_chosen]
        assert chosen == pytest.approx(spots[BOOKS], abs=0.05)


def test_path_leads_through_the_stations_before(open_page: Open):
    seen = figure(open_page(HTML))
    go(seen, 3, "MT")
    steps = WAY.findall(seen.locator(".steps").get_attribute("d") or "")
    way = [expected(place, 2)[BOOKS] for place in range(4)]
    assert [tuple(float(x) for x in step) for step in steps] == [
        pytest.approx(spot, abs=0.05) for spot in way[:3]
    ]
    line = seen.locator(".plane polyline").get_attribute("points") or ""
    assert len(line.split()) == 4
    go(seen, 0, "MT")
    assert seen.locator(".steps").get_attribute("d") == ""


def test_numbers_of_every_network_change_with_the_station(open_page: Open):
    seen = figure(open_page(HTML))
    for place in range(7):
        go(seen, place)
        values = [f"{curve[place]:.2f}" for curve in PAYLOAD["information"]]
        assert seen.locator(".legend b").all_inner_texts() == values
        distances = {
            pair: f"{curve[place]:.2f}"
            for pair, curve in zip(PAYLOAD["pairs"], PAYLOAD["distances"], strict=True)
        }
        assert rows(seen, 0) == distances


def test_curves_have_the_heights_of_their_numbers_and_the_current_station_is_marked(
    open_page: Open,
):
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


def test_bars_are_as_long_as_their_numbers(open_page: Open):
    seen = figure(open_page(HTML))
    go(seen, 6)
    assert seen.get_by_text("A full bar: 0.5.").is_visible()
    shares = seen.locator(".measure").evaluate_all(
        "all => all.map(one => +one.style.getPropertyValue('--share'))"
    )
    assert shares[:4] == pytest.approx([curve[6] / 0.5 for curve in PAYLOAD["distances"]])
    listed = [share for _, share in PAYLOAD["neighbours"][0][6][BOOKS]]
    assert shares[4:] == pytest.approx([*listed, 1 - sum(listed)])


def test_neighbours_are_listed_with_what_is_left_and_the_own_type_marked(open_page: Open):
    seen = figure(open_page(HTML))
    go(seen, 5, "MLM")
    listed = {
        PAYLOAD["types"][kind]: f"{100 * share:.0f}\u00a0%"
        for kind, share in PAYLOAD["neighbours"][1][5][BOOKS]
    }
    rest = 1 - sum(share for _, share in PAYLOAD["neighbours"][1][5][BOOKS])
    assert rows(seen, 1) == {**listed, "other types": f"{100 * rest:.0f}\u00a0%"}
    assert seen.locator("tr:has(.own) th").inner_text() == "books"
    assert seen.locator("caption").last.inner_text() == "Neighbours of “books”: MLM, layer 5"


def test_where_the_listed_types_are_all_no_others_are_named(open_page: Open):
    whole = [[[("books", 0.75), ("letters", 0.25)]] * len(TOKENS)] * 7
    made = layer_slider(**{**ARGUMENTS, "neighbours": dict.fromkeys(NETWORKS, whole)})
    seen = figure(open_page(made._repr_html_()))
    assert rows(seen, 1) == {"books": "75\u00a0%", "letters": "25\u00a0%"}
    assert summary(seen).endswith(": books 75\u00a0%, letters 25\u00a0%.")


def test_keys_move_the_slider_networks_and_tokens(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    for key, place in (("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", 6)):
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
    assert station(seen) == 2
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


# Of each name the box of its small letters and their stems, in the drawing's units.
NAMES = """figure => [...figure.shadowRoot.querySelectorAll(".plane text")].map(name => {
  const [x, y] = name.style.transform.match(/[-\\d.]+(?=px)/g).map(Number);
  return [x, y - 10, x + name.getComputedTextLength(), y];
})"""


def covered(a: list[float], b: list[float]) -> float:
    """The area that two boxes share."""
    across, down = (min(a[axis + 2], b[axis + 2]) - max(a[axis], b[axis]) for axis in (0, 1))
    return max(across, 0) * max(down, 0)


def test_names_stay_inside_and_hardly_cover_each_other(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE, reduced_motion="reduce"))
    for place, name in product(range(7), NETWORKS):
        go(seen, place, name)
        boxes = seen.evaluate(NAMES)
        assert len(boxes) == len(TOKENS)
        assert all(min(box[:2]) >= 0 and box[2] <= 340 and box[3] <= 300 for box in boxes)
        assert max(covered(a, b) for a, b in combinations(boxes, 2)) <= 25  # about half a letter


RUNNING = """figure =>
  figure.shadowRoot.querySelector(".plane").getAnimations({ subtree: true }).length"""


def test_one_network_and_one_pair_are_enough(open_page: Open):
    only = {name: {"LM": ARGUMENTS[name]["LM"]} for name in ("information", "points", "neighbours")}
    made = layer_slider(
        **{**ARGUMENTS, **only, "networks": ["LM"], "distances": {"LM, other start": [0.1] * 7}}
    )
    seen = figure(open_page(made._repr_html_()))
    assert "PWCCA distance: LM, other start 0.10. Neighbours" in summary(seen)


def test_focus_is_seen(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    label = seen.locator(".row label:has(:checked)")
    outline = "one => getComputedStyle(one.querySelector('span')).outline"
    before = label.evaluate(outline)
    label.locator("input").focus()
    page.keyboard.press("Shift")
    assert label.evaluate(outline).endswith("solid 2px") and not before.endswith("solid 2px")
