"""The inspector of neurons in a browser: names, shares and logits are those of the payload."""

import json

import pytest
from playwright.sync_api import Locator

from bottomup.explorables import neuron_inspector
from tests.explorables.conftest import Open
from tests.explorables.demo import NEURONS
from tests.explorables.viewer import css, figure, summary
from tests.site.visit import FIND_OVERFLOW, PHONE

pytestmark = pytest.mark.slow

HTML = NEURONS._repr_html_()
PAYLOAD = json.loads(NEURONS.data)
ROWS = PAYLOAD["neurons"]
PURITY = [neuron["purity"] for neuron in ROWS]
PUREST_FIRST = sorted(range(len(ROWS)), key=lambda neuron: -PURITY[neuron])


def bars(seen: Locator) -> Locator:
    return seen.locator(".bars")


def neuron(seen: Locator) -> int:
    """The neuron that is shown, counted from 0; the marked bar is its bar."""
    said = bars(seen).get_attribute("aria-valuetext") or ""
    number = int(said.split(",")[0].removeprefix("neuron ")) - 1
    assert said == f"neuron {number + 1}, purity {PURITY[number]:.2f}"
    marked = bars(seen).locator("span").evaluate_all(
        "all => all.map(one => one.classList.contains('current'))"
    )  # fmt: skip
    assert sum(marked) == 1
    assert marked.index(True) + 1 == int(bars(seen).get_attribute("aria-valuenow") or 0)
    return number


def heights(seen: Locator) -> list[float]:
    return css(bars(seen).locator("span"), "--share")


def rows(seen: Locator, table: int) -> list[list[str]]:
    """The words and numbers of the first, second or third table, without its stars."""
    found = seen.locator(".panes table").nth(table).locator("tbody tr").all()
    return [
        [text.replace("★", "").strip() for text in row.locator("th, td").all_inner_texts()]
        for row in found
    ]


def test_figure_starts_with_the_purest_neuron_which_stays_in_another_order(open_page: Open):
    seen = figure(open_page(HTML))
    assert heights(seen) == [PURITY[number] for number in PUREST_FIRST]
    assert neuron(seen) == 11
    assert summary(seen).startswith(
        "Neuron 12 is active for 5 of 24 names. “judo” has 1.00 of its activation; "
        "to reach one half takes 1 of 5 attributes."
    )
    mixed = sum(purity < 0.5 for purity in PURITY)
    assert seen.locator(".legend").inner_text().split("\n") == [
        "one that reads every name alike: 0.21",
        f"{mixed} of 12 neurons stay below one half.",
    ]
    line, row = (seen.locator(name).bounding_box() for name in (".chart .even", ".bars"))
    height = (row["y"] + row["height"] - line["y"] - line["height"]) / row["height"]
    assert height == pytest.approx(5 / 24, abs=0.02)
    seen.get_by_role("radio", name="by number").check()
    assert heights(seen) == PURITY
    assert neuron(seen) == 11
    assert bars(seen).get_attribute("aria-valuenow") == "12"
    seen.get_by_role("radio", name="purest first").check()
    assert bars(seen).get_attribute("aria-valuenow") == "1"


def test_every_neuron_shows_what_the_payload_says_of_it(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    names, sports, facts = PAYLOAD["names"], PAYLOAD["attributes"], PAYLOAD["facts"]
    bars(seen).focus()
    for number in PUREST_FIRST[:-1]:  # the last one is silent
        assert neuron(seen) == number
        shown = ROWS[number]
        assert rows(seen, 0) == [
            [names[name], sports[facts[name]], f"{value:.2f}"] for name, value in shown["triggers"]
        ]
        assert rows(seen, 1) == [
            [sports[sport], f"{share:.2f}"] for sport, share in shown["shares"]
        ]
        effects = shown["promotes"] + shown["demotes"][::-1]
        assert rows(seen, 2) == [
            [sports[sport], f"{value:+.2f}".replace("-", "−")] for sport, value in effects
        ]
        page.keyboard.press("ArrowRight")
    assert neuron(seen) == 0
    assert summary(seen) == "Neuron 1 is active for none of the 24 names."
    assert (rows(seen, 0), rows(seen, 1), len(rows(seen, 2))) == ([], [], 5)


def test_what_is_not_shown_is_counted(open_page: Open):
    sports = [f"sport{number}" for number in range(8)]
    made = neuron_inspector(
        list("abcdefgh"), list(range(8)), sports,
        activations=[[1.0]] * 8, effects=[[0.0] * 8],
    )  # fmt: skip
    seen = figure(open_page(made._repr_html_()))
    assert rows(seen, 1)[-2:] == [["sport5", "0.13"], ["2 more", "0.25"]]
    assert rows(seen, 2) == []


def test_keys_step_through_the_neurons_and_stop_at_the_ends(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    bars(seen).focus()
    page.keyboard.press("ArrowLeft")
    assert neuron(seen) == PUREST_FIRST[0]
    page.keyboard.press("ArrowDown")
    assert neuron(seen) == PUREST_FIRST[0]
    page.keyboard.press("PageUp")
    assert neuron(seen) == PUREST_FIRST[8]
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowUp")
    assert neuron(seen) == PUREST_FIRST[1]
    page.keyboard.press("End")
    assert neuron(seen) == PUREST_FIRST[-1]
    page.keyboard.press("Home")
    assert neuron(seen) == PUREST_FIRST[0]
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("x")
    assert neuron(seen) == PUREST_FIRST[0]
    assert page.evaluate("window.scrollY") == 0


def test_choosers_go_to_the_neuron_of_a_name_or_an_attribute(open_page: Open):
    seen = figure(open_page(HTML))
    promoter, strongest = seen.locator("select").all()
    promoter.select_option(label="rowing")
    assert neuron(seen) == PAYLOAD["promoters"][2]
    strongest.select_option(label="Cora Brook")
    assert neuron(seen) == PAYLOAD["strongest"][PAYLOAD["names"].index("Cora Brook")]
    assert promoter.evaluate("one => one.value") == "choose"
    assert strongest.evaluate("one => one.value") == "Cora Brook"
    before = neuron(seen)
    strongest.select_option(label="choose")
    assert neuron(seen) == before


def test_pointer_picks_a_bar_and_drags_over_others(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    box = bars(seen).bounding_box()
    across = [box["x"] + box["width"] * (place + 0.5) / 12 for place in range(12)]
    page.mouse.move(across[4], box["y"] + 20)
    assert neuron(seen) == PUREST_FIRST[0]  # a mouse that passes by picks nothing
    page.mouse.down()
    assert neuron(seen) == PUREST_FIRST[4]
    page.mouse.move(across[7], box["y"] + 20)
    assert neuron(seen) == PUREST_FIRST[7]
    page.mouse.up()
    page.mouse.move(across[2], box["y"] + 20)
    assert neuron(seen) == PUREST_FIRST[7]


def test_the_favourite_attribute_is_marked_by_more_than_colour(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    bars(seen).focus()
    page.keyboard.press("ArrowRight")
    shown = ROWS[neuron(seen)]
    favourite = PAYLOAD["attributes"][shown["shares"][0][0]]
    for table in range(3):
        lines = seen.locator(".panes table").nth(table).locator("tbody tr").all_inner_texts()
        assert [favourite in line for line in lines] == ["★" in line for line in lines]
        assert any("★" in line for line in lines)
    falling = seen.locator(".panes table").nth(2).locator(".negative").first
    image = "one => getComputedStyle(one).backgroundImage"
    assert falling.evaluate(image).startswith("repeating-linear-gradient")


def test_the_longest_words_and_the_most_neurons_fit(open_page: Open):
    made = neuron_inspector(
        ["Wilhelmina Abernathyss", "Bartholomew Fitzgerald"], [0, 1],
        ["weightliftings", "mountaineering"],
        activations=[[1000.0] * 128, [999.0] * 128], effects=[[-100.0, 100.0]] * 128,
    )  # fmt: skip
    page = open_page(made._repr_html_(), viewport=PHONE)
    assert page.evaluate(FIND_OVERFLOW) == []
    assert bars(figure(page)).locator("span").last.bounding_box()["width"] > 2
    inside = """one => [...one.querySelectorAll("th, td")].every(
      cell => cell.scrollWidth <= cell.clientWidth)"""
    assert figure(page).locator(".panes table").first.evaluate(inside)
