"""The alignment explorer in a browser: pointer, touch, keys, scores, sentences, colours."""

import pytest

from bottomup.explorables import LengthCurves, alignment_explorer
from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import CAT, CURVES, LETTER
from tests.explorables.viewer import current, figure, gold, summary, weights
from tests.site.visit import PHONE

pytestmark = pytest.mark.slow

HTML = alignment_explorer([CAT, LETTER], CURVES)._repr_html_()
APPLE = 2  # stands fifth of six words in English and third of ten tokens in Korean


def test_figure_starts_at_the_word_that_moved_farthest(open_page: Open):
    seen = figure(open_page(HTML, reduced_motion="reduce"))
    assert current(seen) == APPLE
    assert weights(seen) == ["", "", "0.10", "0.20", "0.70", ""]
    assert gold(seen) == ["", "", "", "", "sure", ""]
    assert summary(seen) == (
        "사과 (apple) reads “apples” 0.70, “two” 0.20, “ate” 0.10. "
        "A sure link leads to the word it reads most."
    )
    whole = seen.locator(".track").first.bounding_box()["height"] - 1  # without the line below
    heights = [bar.bounding_box()["height"] / whole for bar in seen.locator(".bar").all()]
    assert heights == pytest.approx([0, 0, 0.1, 0.2, 0.7, 0], abs=0.01)
    assert seen.locator(".chart > svg").get_attribute("aria-label") == (
        "exact match by length. dot: 0.85 at this length; fixed vector: 0.53 at this length; "
        "this sentence, 6 words; longer than in training."
    )


def test_arrow_keys_home_and_end_move_and_stop_at_the_ends(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator("[aria-selected=true]").focus()
    path = []
    for key in "ArrowRight ArrowDown ArrowLeft ArrowUp Home ArrowLeft End ArrowRight".split():
        page.keyboard.press(key)
        path.append(current(seen))
        assert seen.locator("[role=option]:focus").get_attribute("aria-selected") == "true"
    assert path == [APPLE + 1, APPLE + 2, APPLE + 1, APPLE, 0, 0, 9, 9]
    assert seen.locator("[role=option][tabindex='0']").count() == 1
    painted(page)
    assert page.evaluate("window.scrollY") == 0  # the keys did not scroll the page
    page.keyboard.press("Control+Home")  # the browser's
    assert current(seen) == 9


def test_pointer_moves_over_the_tokens_and_over_the_rows_of_the_matrix(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE))
    seen.locator("[role=option]").nth(1).hover()
    assert current(seen) == 1
    assert gold(seen) == ["possible", "possible", "", "", "", ""]
    assert "A possible link leads to" in summary(seen)
    words = seen.locator(".overview text")
    assert words.all_text_contents() == [*CAT.source, *CAT.glosses]
    boxes = [word.bounding_box() for word in words.all()]
    frame = seen.locator(".overview svg").bounding_box()
    for box in boxes:
        assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"] and box["y"] + box["height"] <= frame["y"] + frame["height"]
    words.nth(len(CAT.source) + 2).click()
    assert current(seen) == 2
    painted(seen.page)  # a click may scroll the page
    line = seen.locator(".overview .current").bounding_box()
    box = words.nth(len(CAT.source) + 2).bounding_box()
    assert line["y"] <= box["y"] + 2 <= line["y"] + line["height"]
    words.last.click()
    assert current(seen) == 9
    assert summary(seen) == ". (.) reads the end mark 0.70, “.” 0.30. It has no gold link."


def test_touch_picks_a_token_and_sliding_moves_on(open_page: Open):
    page = open_page(HTML, has_touch=True, viewport=PHONE)
    seen = figure(page)
    tokens = seen.locator("[role=option]")
    tokens.nth(3).tap()
    assert current(seen) == 3
    scrolls = seen.locator(".target").evaluate("target => getComputedStyle(target).touchAction")
    assert scrolls == "pan-y"  # sideways, the finger moves over the tokens
    first, second = (tokens.nth(number).bounding_box() for number in (0, 1))
    touch = page.context.new_cdp_session(page)
    for kind, box in (("touchStart", first), ("touchMove", second)):
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    assert current(seen) == 1
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_score_and_sentence_change_weights_count_and_curve(open_page: Open):
    seen = figure(open_page(HTML))
    chart, count = seen.locator(".chart"), seen.locator(".count")
    line = seen.locator("polyline.chosen").get_attribute("points")
    assert count.inner_text().startswith("dot: 7 of 9 tokens")
    seen.get_by_label("additive", exact=True).check()
    assert current(seen) == APPLE
    assert weights(seen) == ["", "", "", "0.05", "0.95", ""]
    assert count.inner_text().startswith("additive: 9 of 9 tokens")
    assert seen.locator("polyline.chosen").get_attribute("points") != line
    assert "additive: 0.92 at this length" in chart.inner_text()
    assert "fixed vector: 0.53 at this length" in chart.inner_text()
    marked = float(seen.locator("line.here[y1='10']").get_attribute("x1"))
    seen.locator("select").select_option("the letter is short.")
    assert seen.locator(".source .word").all_inner_texts() == list(LETTER.source)
    assert seen.locator("[role=option]").count() == len(LETTER.target)
    assert current(seen) == 0
    assert weights(seen) == ["", "0.90", "0.10", "", ""]
    assert "this sentence, 5 words" in chart.inner_text()
    assert float(seen.locator("line.here[y1='10']").get_attribute("x1")) < marked


def test_the_last_word_never_stands_alone_in_a_line(open_page: Open):
    page = open_page(f"<div id='column'>{HTML}</div>")
    bottoms = "all => all.map(one => Math.round(one.getBoundingClientRect().bottom))"
    for width in (358, 390, 430, 520, 688):
        page.evaluate("width => { column.style.width = `${width}px` }", width)
        for kind in (".source > li", ".target > div"):
            lines = figure(page).locator(kind).evaluate_all(bottoms)
            assert lines.count(lines[-1]) > 1


def test_target_tokens_are_written_in_three_ways(open_page: Open):
    seen = figure(open_page(HTML))
    token = seen.locator("[role=option]").nth(2)
    assert token.inner_text().split() == ["사과", "apple"]
    assert token.locator(".hangul").get_attribute("lang") == "ko"
    for script, texts, said in (
        ("romanised", ["sagwa", "apple"], "sagwa (apple) reads"),
        ("gloss", ["apple"], "apple reads"),
    ):
        seen.get_by_label(script).check()
        assert token.inner_text().split() == texts
        assert summary(seen).startswith(said)


@pytest.mark.parametrize(
    "attributes, body, scheme, dark",
    [
        ('data-theme="dark"', "", "light", True),
        ('data-theme="light"', "", "dark", False),
        ("", "data-jp-theme-light=false", "light", True),
        ("", "data-jp-theme-light=true", "dark", False),
        ("", "", "dark", True),
        ("", "", "light", False),
    ],
)
def test_accents_follow_the_page_and_else_the_system(
    open_page: Open, attributes, body, scheme, dark
):
    page = open_page(HTML, attributes=attributes, color_scheme=scheme)
    if body:
        page.evaluate("([name, value]) => document.body.setAttribute(name, value)", body.split("="))
    bar = figure(page).locator(".bar").first
    color = bar.evaluate("element => getComputedStyle(element).backgroundColor")
    assert color == ("rgb(86, 180, 233)" if dark else "rgb(0, 114, 178)")


def test_nothing_moves_for_readers_who_ask_for_that(open_page: Open):
    durations = {}
    for wish in ("no-preference", "reduce"):
        bar = figure(open_page(HTML, reduced_motion=wish)).locator(".bar").first
        durations[wish] = bar.evaluate("element => getComputedStyle(element).transitionDuration")
    assert durations == {"no-preference": "0.16s", "reduce": "0s"}


def test_chart_marks_nothing_for_a_sentence_of_another_length(open_page: Open):
    long = LengthCurves(
        bins=[(7, 9), (10, 12)],
        accuracy={score: [[0.5, 0.25]] for score in CAT.weights},
        fixed_vector=[[0.25, 0]],
        measure="exact match",
    )
    chart = figure(open_page(alignment_explorer([CAT], long)._repr_html_())).locator(".chart > svg")
    assert chart.get_attribute("aria-label") == "exact match by length. dot; fixed vector."
    assert chart.locator(".here, .beyond").count() == 0
    assert "7–9" in chart.text_content()
