"""The patching board in a browser: both grids and the words are those of the payload."""

import json

import pytest
from playwright.sync_api import Locator

from bottomup.explorables import PatchedPair, patching_board
from tests.explorables.conftest import Open
from tests.explorables.demo import PATCHES
from tests.explorables.viewer import figure, summary

pytestmark = pytest.mark.slow

HTML = PATCHES._repr_html_()
DATA = json.loads(PATCHES.data)
OBJECT, BOTH = DATA["sentences"]


def grid(seen: Locator) -> list[list[int]]:
    """The effects as they stand in the grid; an empty cell is a zero."""
    return table(seen.get_by_role("grid"))


def table(of: Locator) -> list[list[int]]:
    rows = of.locator("tbody tr").all()
    return [
        [int(text.replace("−", "-") or 0) for text in row.locator(".effect").all_inner_texts()]
        for row in rows
    ]


def cell(seen: Locator, row: int, column: int) -> Locator:
    return seen.get_by_role("grid").locator("tbody tr").nth(row).locator("td").nth(column)


def choose(seen: Locator, label: str) -> None:
    seen.locator(".choices label", has_text=label).first.click()


def shown(hundredths: int) -> str:
    return f"{hundredths / 100:.2f}".replace("-", "−")


def test_both_grids_are_those_of_the_payload(open_page: Open):
    seen = figure(open_page(HTML))
    for number, pair in enumerate(DATA["sentences"]):
        seen.locator("select").select_option(index=number)
        for direction, run in (("noising", "clean"), ("denoising", "corrupted")):
            seen.get_by_role("radio", name=direction, exact=True).check()
            for name, metric in (("probability", "probability"), ("difference", "logits")):
                choose(seen, name)
                assert grid(seen) == pair["effects"][direction][metric]
                assert table(seen.get_by_role("img")) == pair["weights"][run]
            words = seen.get_by_role("grid").locator("thead th").all_inner_texts()
            assert words == [*pair[run], "all"]
            assert f"Weights of the {run} run" in seen.locator(".title").last.inner_text()
            below = sum(value < 0 for row in grid(seen) for value in row)
            assert seen.locator(".effect.negative").count() == below  # these are striped


def test_figure_starts_at_the_largest_effect_of_one_head_at_one_word(open_page: Open):
    seen = figure(open_page(HTML))
    effects = [row[:-1] for row in OBJECT["effects"]["denoising"]["logits"][:-1]]
    most = max(map(max, effects))
    chosen = seen.locator("[role=grid] [aria-selected=true]")
    assert chosen.count() == 1
    assert chosen.inner_text() == str(most)
    assert f": {shown(most)} of the difference of logits between “umbrella”" in summary(seen)


def test_sentences_stand_above_each_other_with_what_differs_marked(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.locator(".texts b").all_inner_texts() == ["umbrellas", "newspapers"]
    seen.locator("select").select_option(index=1)
    assert seen.locator(".texts b").all_inner_texts() == ["a", "cat", "the", "dog"]
    assert seen.locator(".texts p").all_inner_texts() == [
        "clean a cat ate . <eos> next: “cat”".replace(" <eos>", ""),
        "corrupted the dog ate . next: “dog”",
        "Written so far: nothing",
    ]
    assert seen.locator("[role=grid] .changed").count() == 2


def test_a_click_chooses_a_cell_in_both_grids(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    cell(seen, 5, 2).click()
    effect = BOTH["effects"]["denoising"]["logits"][5][2]
    weight = BOTH["weights"]["corrupted"][5][2]
    assert summary(seen).startswith(
        f"Head 1.1 at “ate”, as in the clean run: {shown(effect)} of the difference of logits "
        f"between “cat” and “dog” comes back. The head gives this word the weight {shown(weight)}. "
    )
    assert cell(seen, 5, 2).get_attribute("aria-label") == (
        f"Head 1.1 at “ate”: effect {shown(effect)}, weight {shown(weight)}"
    )
    marked = seen.get_by_role("img").locator(".chosen")
    assert marked.count() == 1
    assert marked.inner_text() == (str(weight) if weight else "")
    aloud = seen.get_by_role("img").get_attribute("aria-label")
    assert aloud.startswith("Weights of the corrupted run in hundredths. Head 0.0 reads “")
    corner = cell(seen, 8, len(BOTH["clean"]))
    corner.click()  # the margins hold all heads and all positions
    assert summary(seen).startswith("All heads at all positions, as in the clean run: ")
    assert "weight" not in corner.get_attribute("aria-label")
    assert marked.count() == 0


def test_arrow_keys_move_over_the_grid_and_stop_at_its_edges(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator("[role=grid] td[tabindex='0']").focus()
    for key in ["Home"] + ["ArrowUp"] * 9 + ["ArrowLeft", "ArrowDown", "ArrowRight"]:
        page.keyboard.press(key)
    assert cell(seen, 1, 1).get_attribute("aria-selected") == "true"
    for key in ["End"] + ["ArrowDown"] * 9:
        page.keyboard.press(key)
    assert cell(seen, 8, 10).get_attribute("tabindex") == "0"
    assert seen.locator("[role=grid] td[tabindex='0']").count() == 1
    assert page.evaluate("window.scrollY") < 900


def test_one_metric_is_no_choice(open_page: Open):
    effects = {direction: {"m": [[1.0, 0.0, 1.0]] * 2} for direction in ("denoising", "noising")}
    weights = {run: [[[0.5, 0.5]]] for run in ("clean", "corrupted")}
    pair = PatchedPair("one", ["a", "."], ["b", "."], [], ("A", "B"), effects, weights)
    seen = figure(open_page(patching_board([pair], {"m": "logit"})._repr_html_()))
    assert seen.get_by_role("radio").count() == 2
    assert "1.00 of the logit between “A” and “B” comes back." in summary(seen)
