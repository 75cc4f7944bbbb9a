"""The induction circuit in a browser: maps, bars and words are those of the package."""

import json

import pytest
import torch
from playwright.sync_api import Locator

from bottomup.models import InductionByHand
from tests.explorables.conftest import Open
from tests.explorables.demo import INDUCTION
from tests.explorables.viewer import figure, large, summary
from tests.site.visit import PHONE

pytestmark = pytest.mark.slow

HTML = INDUCTION._repr_html_()
TEXTS = json.loads(INDUCTION.data)["sentences"]
SYMBOLS = json.loads(INDUCTION.data)["symbols"]


def run(text: list[int], *, beta: float = 40.0, begin: bool = True):
    marked = [len(SYMBOLS), *text] if begin else text
    model = InductionByHand(
        vocabulary=6, length=len(marked), beta=beta, begin=len(SYMBOLS) if begin else None
    ).double()
    return model(torch.tensor([marked]))


def hundredths(weights: torch.Tensor) -> list[list[int]]:
    return (100 * weights[0, 0]).round().int().tolist()


def predicted(seen: Locator) -> list[float]:
    return [float(text) for text in seen.locator(".panes tbody td:nth-child(2)").all_inner_texts()]


def box(seen: Locator, name: str) -> Locator:
    return seen.get_by_role("checkbox", name=name)


def test_both_maps_and_the_bars_are_those_of_the_package(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE))
    for number, text in enumerate(TEXTS):
        seen.locator(".choices label").nth(number).click()
        output = run(text)
        assert [large(seen, at) for at in (0, 1)] == [hundredths(one) for one in output.weights]
        expected = output.logits[0, -1, : len(SYMBOLS)]
        assert predicted(seen) == pytest.approx(expected.tolist(), abs=0.006)
    tops = {select.bounding_box()["y"] for select in seen.locator("select").all()}
    assert len(tops) == 1  # the slots stand in one row, also on a phone


def test_without_a_begin_token_nothing_rests(open_page: Open):
    seen = figure(open_page(HTML))
    box(seen, "begin token").uncheck()
    assert seen.locator(".word").all_inner_texts()[:8] == [SYMBOLS[one] for one in TEXTS[0]]
    seen.locator(".row input").nth(4).check()
    assert "Place 5, “e”: " in summary(seen)
    assert "layer 1 reads all 5 places alike." in summary(seen)
    assert "Counted so far: nothing. At 2 of 8 places" in summary(seen)
    seen.get_by_role("slider").fill("1")
    output = run(TEXTS[0], beta=2.0, begin=False)
    assert [large(seen, at) for at in (0, 1)] == [hundredths(one) for one in output.weights]


def test_another_symbol_makes_another_text(open_page: Open):
    seen = figure(open_page(HTML))
    seen.get_by_label("Symbol at place 8").select_option("a")
    text = [*TEXTS[0][:-1], 0]
    assert large(seen, 1) == hundredths(run(text).weights[1])
    assert not any(radio.is_checked() for radio in seen.locator(".choices input").all())
    assert summary(seen) == (
        "Place 8, “a”: layer 0 reads “b” at place 7 (1.00); layer 1 reads “b” at place 2 (0.50), "
        "“b” at place 7 (0.50). Predicted: “b” 1.00. Counted so far: “b” 1.00. At 9 of 9 places "
        "the prediction is the count."
    )


def test_a_cut_of_the_keys_leaves_no_match_and_others_change_nothing(open_page: Open):
    seen = figure(open_page(HTML))
    before = summary(seen)
    for name in ("queries", "values"):
        box(seen, name).check()
        assert summary(seen) == before
    box(seen, "keys").check()
    assert "layer 1 reads the begin token (1.00). Predicted: nothing." in summary(seen)
    assert "Counted so far: “d” 1.00. At 6 of 9 places" in summary(seen)


def test_later_keys_are_hatched_and_the_query_is_framed_in_both_maps(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.locator(".cell.hidden").count() == 2 * 36
    seen.locator(".row input").nth(2).check()
    current = "all => all.map(one => one.classList.contains('current'))"
    assert seen.locator(".row.plain").evaluate_all(current).index(True) == 2
    assert seen.locator(".panes caption").inner_text() == "Behind place 2, “b”"
    aloud = seen.get_by_role("img").get_attribute("aria-label")
    assert aloud.endswith("c reads “b” at place 7 (1.00).")


def test_keys_move_through_texts_slots_and_queries(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    seen.locator(".choices input").first.focus()
    page.keyboard.press("ArrowRight")
    assert large(seen, 1) == hundredths(run(TEXTS[1]).weights[1])
    seen.get_by_label("Symbol at place 1").focus()
    page.keyboard.press("e")
    assert large(seen, 1) == hundredths(run([4, *TEXTS[1][1:]]).weights[1])
    seen.locator(".row input:checked").focus()
    page.keyboard.press("ArrowUp")
    assert summary(seen).startswith("Place 7, “a”: ")
    seen.get_by_role("slider").focus()
    page.keyboard.press("Home")
    assert seen.locator(".slider b").inner_text() == "1"
