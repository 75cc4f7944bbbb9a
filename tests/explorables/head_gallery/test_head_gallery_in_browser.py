"""The gallery of heads in a browser: weights and accuracies are those of the payload."""

import json

import numpy as np
import pytest
from playwright.sync_api import Locator

from bottomup.explorables import HeadsOfSentence, head_gallery
from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import HEADS, QUESTIONS
from tests.explorables.viewer import figure, shows_focus, summary
from tests.site.visit import DESKTOP, PHONE

pytestmark = pytest.mark.slow

HTML = HEADS._repr_html_()
PAYLOAD = json.loads(HEADS.data)
LONG, SHORT = PAYLOAD["sentences"]
ACCURACY = [[share / 1e6 for share in subsets] for subsets in PAYLOAD["accuracy"]]
QUERY = 1  # of the short sentence: "cat"


def head(seen: Locator, layer: int, index: int) -> Locator:
    return seen.locator("fieldset").nth(layer).locator(".head").nth(index)


def toggle(seen: Locator, layer: int, index: int) -> None:
    head(seen, layer, index).get_by_role("switch").click()


def large(seen: Locator) -> list[list[int]]:
    """The numbers of the large map [query, key]; an empty cell is a zero."""
    rows = seen.locator(".row").all()
    return [[int(text or 0) for text in row.locator(".cell").all_inner_texts()] for row in rows]


def small(seen: Locator, layer: int, index: int) -> list[list[float]]:
    """The opacities of a small map's cells [query, key], read off where they stand."""
    drawn = (
        head(seen, layer, index)
        .locator("rect:not(.current)")
        .evaluate_all(
            "all => all.map(one => ['y', 'x', 'fill-opacity'].map(name => +one.getAttribute(name)))"
        )
    )
    queries, keys = (seen.locator(name).count() for name in (".row", ".map .keys span"))
    weights = [[0.0] * keys for _ in range(queries)]
    for y, x, opacity in drawn:
        weights[int(y / 10)][int(x / 10)] = opacity
    return weights


def strips(seen: Locator) -> list[list[float]]:
    """What every head reads for the current query [head, key]."""
    cells = seen.locator(".panes tbody .cell").evaluate_all(
        "all => all.map(one => Number(one.style.getPropertyValue('--weight')))"
    )
    size = len(seen.locator(".row").all())
    return [cells[start : start + size] for start in range(0, len(cells), size)]


def query(seen: Locator) -> int:
    checked = seen.locator(".row input").evaluate_all("all => all.map(one => one.checked)")
    assert sum(checked) == 1
    return checked.index(True)


def shares(hundredths: list[int]) -> list[float]:
    return [weight / 100 for weight in hundredths]


def flat(sentence: dict) -> list[list[list[int]]]:
    """The weights of a sentence [head of all layers, query, key]."""
    return [weights for layer in sentence["weights"] for weights in layer]


def most_varied(sentence: dict) -> int:
    """The first query for which the heads read the most different words most."""
    counts = [
        len({max(range(len(row)), key=row.__getitem__) for row in rows})
        for rows in zip(*flat(sentence), strict=True)
    ]
    return counts.index(max(counts))


def test_figure_starts_with_all_heads_on_where_they_differ_most(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    assert page.get_by_text("Accuracy with one head off").is_hidden()
    assert seen.get_by_role("switch", checked=True).count() == 16
    assert seen.locator(".status").inner_text() == "0.970 accuracy. All heads are on."
    assert query(seen) == most_varied(LONG)
    assert seen.locator(".legend").inner_text().split("\n") == [
        "chance 0.063",
        "all heads on 0.970",
    ]


def test_every_map_shows_the_weights_of_the_payload(open_page: Open):
    seen = figure(open_page(HTML))
    for number, sentence in enumerate(PAYLOAD["sentences"]):
        seen.locator("select").select_option(index=number)
        check_maps(seen, sentence)


def check_maps(seen: Locator, sentence: dict) -> None:
    assert seen.locator(".word").all_inner_texts() == sentence["words"]
    for layer, index in [(0, 0), (0, 6), (1, 3), (1, 7)]:
        weights = sentence["weights"][layer][index]
        assert small(seen, layer, index) == [shares(row) for row in weights]
        head(seen, layer, index).get_by_role("radio").check()
        assert large(seen) == weights
        assert seen.locator(".title").first.inner_text().startswith(f"Head {layer + 1}.{index + 1}")


def test_chosen_query_shows_what_every_head_reads(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    seen.locator(".row").nth(QUERY).click()
    rows = [weights[QUERY] for weights in flat(SHORT)]
    assert strips(seen) == [shares(row) for row in rows]
    most = [row.index(max(row)) for row in rows]
    expected = [
        f"{SHORT['words'][key]} {row[key] / 100:.2f}" for key, row in zip(most, rows, strict=True)
    ]
    assert seen.locator(".panes tbody td:last-child").all_inner_texts() == expected
    assert seen.locator(".panes caption").inner_text() == "What every head reads for “cat”"
    marked = seen.locator(".current").evaluate_all("all => all.map(one => one.getAttribute('y'))")
    assert marked == ["10"] * 16


def test_summary_names_what_the_chosen_head_reads_and_how_many_agree(open_page: Open):
    weights = [[[[0.2, 0.1, 0.7]] * 3, [[0.0, 0.0, 0.9]] * 3, [[0.0, 0.0, 0.0]] * 3]]
    sentence = HeadsOfSentence(["a", "b", "c"], weights)
    made = head_gallery([sentence], accuracy=[[0.5] * 8], chance=0)
    seen = figure(open_page(made._repr_html_()))
    assert summary(seen) == (
        "In head 1, “a” reads “c” 0.70, “a” 0.20, “b” 0.10. 2 of 3 heads read “c” most."
    )
    head(seen, 0, 2).get_by_role("radio").check()
    assert summary(seen) == "In head 3, “a” reads nothing shown."
    assert seen.locator(".panes tbody td:last-child").last.inner_text() == "nothing shown"


def test_switches_show_the_accuracy_of_exactly_these_heads_off(open_page: Open):
    layer, heads = 1, [5, 1, 7]
    seen = figure(open_page(HTML))
    for index in heads:
        toggle(seen, layer, index)
    subset = sum(2**index for index in heads)
    expected = ACCURACY[layer][subset]
    status = seen.locator(".status").inner_text()
    assert status.startswith(f"{expected:.3f} accuracy. Off: {layer + 1}.{min(heads) + 1}")
    bar, scale = (seen.locator(name).bounding_box()["width"] for name in (".bar", ".scale"))
    assert bar / scale == pytest.approx(expected, abs=0.002)
    for other in range(8):
        after = head(seen, layer, other).locator(".after").inner_text()
        assert after == f"→ {ACCURACY[layer][subset ^ 2**other]:.3f}"
        checked = head(seen, layer, other).get_by_role("switch").is_checked()
        assert checked == (other not in heads)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("above", [0, 56])
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
        switch.click()
        assert f"Off: {1 + place // 8}.{1 + place % 8}." in seen.locator(".status").inner_text()
        switch.click()
    page.mouse.wheel(0, 2000)  # with the switches it goes
    page.wait_for_function("scrollY > 4000")
    painted(page)
    assert seen.locator(".result").bounding_box()["y"] < 0


def test_an_accuracy_is_rounded_once(open_page: Open):
    made = head_gallery([HeadsOfSentence(["a", "b"], np.zeros((1, 1, 2, 2)))],
                        accuracy=[[0.9, 376 / 396]], chance=0)  # fmt: skip
    seen = figure(open_page(made._repr_html_()))
    toggle(seen, 0, 0)  # by way of 0.9495 it would be 0.950
    assert seen.locator(".status").inner_text().startswith("0.949 accuracy.")


def test_an_answer_of_two_parts_shows_what_each_head_is_for(open_page: Open):
    seen = figure(open_page(QUESTIONS._repr_html_()))
    assert seen.locator(".status").inner_text() == (
        "0.990 accuracy (first 1.000, second 0.990). All heads are on."
    )
    assert seen.locator(".toggle").all_inner_texts() == ["1", "2"]  # one layer is not counted
    assert seen.locator("select").count() == 0  # nothing to choose from
    toggle(seen, 0, 0)
    assert seen.locator(".status").inner_text() == (
        "0.060 accuracy (first 0.070, second 0.980). Off: 1. Change against all heads on: −0.930."
    )
    widths = [
        bar.bounding_box()["width"] / scale.bounding_box()["width"]
        for bar, scale in zip(seen.locator(".bar").all(), seen.locator(".scale").all(), strict=True)
    ]
    assert widths == pytest.approx([0.06, 0.07, 0.98], abs=0.01)


def test_queries_may_have_names_of_their_own(open_page: Open):
    seen = figure(open_page(QUESTIONS._repr_html_()))
    assert seen.locator(".word").all_inner_texts() == ["0, then 2", "1, then 0"]
    assert seen.locator(".map .keys span").all_inner_texts() == ["0", "1", "2"]
    assert large(seen) == [[90, 0, 10], [0, 100, 0]]
    assert small(seen, 0, 1) == [[0, 0, 1], [1, 0, 0]]
    seen.locator(".row").nth(1).click()
    assert summary(seen) == "In head 1, “1, then 0” reads “1” 1.00. 1 of 2 heads read “1” most."


def test_heads_that_replace_each_other_cost_more_together(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 0)
    assert seen.locator(".status").inner_text() == (
        "0.960 accuracy. Off: 1.1. Change against all heads on: −0.010."
    )
    toggle(seen, 0, 2)
    assert seen.locator(".status").inner_text() == (
        "0.440 accuracy. Off: 1.1, 1.3. Change against all heads on: −0.530. "
        "Turned off one at a time, their changes add up to −0.030."
    )


def test_a_gain_has_its_sign_and_no_change_has_none(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 1, 5)
    assert seen.locator(".status").inner_text().endswith("all heads on: +0.010.")
    toggle(seen, 1, 5)
    toggle(seen, 1, 0)
    assert seen.locator(".status").inner_text().endswith("all heads on: 0.000.")


def test_a_switch_of_another_layer_turns_the_first_layers_heads_on_again(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 0)
    toggle(seen, 0, 2)
    toggle(seen, 1, 1)
    assert seen.get_by_role("switch", checked=False).count() == 1
    assert seen.locator(".status").inner_text() == (
        "0.670 accuracy. Layer 1 is whole again. Off: 2.2. Change against all heads on: −0.300."
    )
    afters = seen.locator(".after").all_inner_texts()
    assert afters == [
        *(f"→ {ACCURACY[0][2**index]:.3f}" for index in range(8)),
        *(f"→ {ACCURACY[1][2 ^ 2**index]:.3f}" for index in range(8)),
    ]


def test_a_button_turns_all_heads_on(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 0)
    toggle(seen, 0, 2)
    seen.get_by_role("button").click()
    assert seen.get_by_role("switch", checked=True).count() == 16
    assert seen.locator(".status").inner_text() == "0.970 accuracy. All heads are on."


def test_a_head_that_is_off_is_marked_by_more_than_colour(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 2)
    assert seen.locator(".strike:visible").count() == 1
    assert head(seen, 0, 2).locator(".strike").is_visible()
    row = seen.locator(".panes tbody tr").nth(2)
    assert row.locator("td").last.inner_text() == "off"
    line = "one => getComputedStyle(one).textDecorationLine"
    assert row.locator("th").evaluate(line) == "line-through"


def test_a_sentence_keeps_head_and_switches(open_page: Open):
    seen = figure(open_page(HTML))
    toggle(seen, 0, 2)
    head(seen, 1, 3).get_by_role("radio").check()
    seen.locator("select").select_option(index=1)
    assert large(seen) == SHORT["weights"][1][3]
    assert query(seen) == most_varied(SHORT)
    assert seen.locator(".strike:visible").count() == 1


def test_arrow_keys_move_over_heads_and_queries_and_space_switches(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    head(seen, 0, 6).get_by_role("radio").focus()
    page.keyboard.press("Space")
    for _ in range(2):  # from the last head of a layer to the first of the next
        page.keyboard.press("ArrowRight")
    assert large(seen) == LONG["weights"][1][0]
    page.keyboard.press("ArrowLeft")
    assert large(seen) == LONG["weights"][0][7]
    seen.locator(".row input:checked").focus()
    start = query(seen)
    page.keyboard.press("ArrowDown")
    assert query(seen) == (start + 1) % 11
    before = summary(seen)
    page.keyboard.press("ArrowUp")
    assert (query(seen), summary(seen) == before) == (start, False)
    head(seen, 0, 1).get_by_role("switch").focus()
    page.keyboard.press("Space")
    assert seen.locator(".status").inner_text().startswith("0.970 accuracy. Off: 1.2.")
    assert head(seen, 0, 1).get_by_role("switch").evaluate("one => one.matches(':focus')")
    assert page.evaluate("window.scrollY") < 900  # the space bar did not page down


def test_a_finger_chooses_heads_and_queries_and_switches(open_page: Open):
    seen = figure(open_page(HTML, has_touch=True, viewport=PHONE))
    head(seen, 1, 4).locator(".small").tap()
    assert large(seen) == LONG["weights"][1][4]
    seen.locator(".row").nth(7).tap()
    assert query(seen) == 7
    head(seen, 0, 2).locator(".toggle").tap()
    assert seen.locator(".status").inner_text().startswith("0.950 accuracy. Off: 1.3.")


def test_focus_is_seen(open_page: Open):
    page = open_page(HTML)
    for kind in (".small", ".row"):
        assert shows_focus(page, figure(page).locator(f"{kind}:has(:checked)"))


def test_accuracies_are_read_aloud_with_their_switch_and_the_status_is_live(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.locator(".status").get_attribute("aria-live") == "polite"
    assert seen.get_by_role("group", name="Head to look at").count() == 1
    assert seen.get_by_role("radiogroup", name="Query, arrow keys move").count() == 1
    toggle(seen, 0, 0)
    name = "Head 1.3, accuracy once switched: 0.440"
    assert seen.get_by_role("switch", name=name, exact=True).count() == 1
