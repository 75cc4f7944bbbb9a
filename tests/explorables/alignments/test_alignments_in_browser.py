"""The alignment explorer in a browser: pointer, touch, keys, phone, notebook, no script."""

import pytest

from bottomup.explorables import LengthCurves, alignment_explorer
from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import CAT, CURVES, HOSTILE, LETTER
from tests.explorables.viewer import AS_JUPYTERLAB, current, figure, gold, summary, weights
from tests.site.accessibility import serious_findings
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE, set_mode

pytestmark = pytest.mark.slow

HTML = alignment_explorer([CAT, LETTER], CURVES)._repr_html_()
APPLE = 2  # stands fifth of six words in English and third of ten tokens in Korean


def test_figure_replaces_the_table_and_starts_at_the_word_that_moved_farthest(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    assert page.locator("table").is_hidden()
    assert current(seen) == APPLE
    assert weights(seen) == ["", "", "0.10", "0.20", "0.70", ""]
    assert gold(seen) == ["", "", "", "", "sure", ""]
    assert summary(seen) == (
        "사과 (apple) reads “apples” 0.70, “two” 0.20, “ate” 0.10. "
        "A sure link leads to the word it reads most."
    )


def test_bars_are_as_high_as_their_weights(open_page: Open):
    seen = figure(open_page(HTML, reduced_motion="reduce"))
    track = seen.locator(".track").first.bounding_box()
    heights = [bar.bounding_box()["height"] for bar in seen.locator(".bar").all()]
    whole = track["height"] - 1  # without the line it stands on
    assert [height / whole for height in heights] == pytest.approx(
        [0, 0, 0.1, 0.2, 0.7, 0], abs=0.01
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


def test_keys_with_a_modifier_are_left_to_the_browser(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    seen.locator("[aria-selected=true]").focus()
    page.keyboard.press("Control+Home")
    assert current(seen) == APPLE


def test_everything_is_reached_by_tab(open_page: Open):
    page = open_page(HTML)
    focused = """() => {
      const { tagName, name, role } = document.activeElement.shadowRoot.activeElement;
      return name || role || tagName;
    }"""
    stops = []
    for _ in range(4):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(focused))
    assert stops == ["SELECT", "score", "script", "option"]


def test_pointer_moves_over_the_tokens_and_over_the_rows_of_the_matrix(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("[role=option]").nth(1).hover()
    assert current(seen) == 1
    assert gold(seen) == ["possible", "possible", "", "", "", ""]
    assert "A possible link leads to" in summary(seen)
    seen.locator("[data-row='9'] .cell").first.hover()
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


def test_score_changes_weights_count_and_curve_and_keeps_the_token(open_page: Open):
    seen = figure(open_page(HTML))
    line = seen.locator("polyline.chosen").get_attribute("points")
    assert seen.locator(".count").inner_text().startswith("dot: 7 of 9 tokens")
    seen.get_by_label("additive", exact=True).check()
    assert current(seen) == APPLE
    assert weights(seen) == ["", "", "", "0.05", "0.95", ""]
    assert seen.locator(".count").inner_text().startswith("additive: 9 of 9 tokens")
    assert seen.locator("polyline.chosen").get_attribute("points") != line
    assert "additive: 0.92 at this length" in seen.locator(".chart").inner_text()
    assert "fixed vector: 0.53 at this length" in seen.locator(".chart").inner_text()


def test_another_sentence_brings_its_words_its_length_and_the_same_score(open_page: Open):
    seen = figure(open_page(HTML))
    seen.get_by_label("additive", exact=True).check()
    marked = float(seen.locator("line.here[y1='10']").get_attribute("x1"))
    seen.locator("select").select_option("the letter is short.")
    assert seen.locator(".source .word").all_inner_texts() == list(LETTER.source)
    assert seen.locator("[role=option]").count() == len(LETTER.target)
    assert current(seen) == 0
    assert weights(seen) == ["", "0.90", "0.10", "", ""]
    assert "this sentence, 5 words" in seen.locator(".chart").inner_text()
    assert float(seen.locator("line.here[y1='10']").get_attribute("x1")) < marked


def test_all_weights_stand_between_words_and_a_press_on_a_row_chooses_its_token(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE))
    words = seen.locator(".overview text")
    assert words.all_text_contents() == [*CAT.source, *CAT.glosses]
    boxes = [word.bounding_box() for word in words.all()]
    frame = seen.locator(".overview svg").bounding_box()
    for box in boxes:
        assert frame["x"] <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"] and box["y"] + box["height"] <= frame["y"] + frame["height"]
    words.nth(len(CAT.source) + 2).click()
    assert current(seen) == 2
    line = seen.locator(".overview .current").bounding_box()
    assert line["y"] <= boxes[len(CAT.source) + 2]["y"] + 2 <= line["y"] + line["height"]


@pytest.mark.parametrize("width", [358, 390, 430, 520, 688])
def test_the_last_word_never_stands_alone_in_a_line(open_page: Open, width):
    page = open_page(f"<div style='width: {width}px'>{HTML}</div>")
    for kind in (".source > li", ".target > div"):
        tops = (
            figure(page)
            .locator(kind)
            .evaluate_all("all => all.map(one => Math.round(one.getBoundingClientRect().bottom))")
        )
        assert tops.count(tops[-1]) > 1


def test_a_row_of_zeros_reads_nothing(open_page: Open):
    seen = figure(open_page(HTML))
    seen.get_by_label("additive", exact=True).check()
    seen.locator("select").select_option(index=1)
    seen.locator("[role=option]").nth(3).click()
    assert weights(seen) == [""] * 5
    assert "reads the end mark 1.00" in summary(seen)


def test_target_tokens_are_written_in_three_ways(open_page: Open):
    seen = figure(open_page(HTML))
    token = seen.locator("[role=option]").nth(2)
    assert token.inner_text().split() == ["사과", "apple"]
    assert token.locator(".hangul").get_attribute("lang") == "ko"
    seen.get_by_label("romanised").check()
    assert token.inner_text().split() == ["sagwa", "apple"]
    assert summary(seen).startswith("sagwa (apple) reads")
    seen.get_by_label("gloss").check()
    assert token.inner_text().split() == ["apple"]
    assert summary(seen).startswith("apple reads")


def test_two_copies_work_each_for_itself(open_page: Open):
    page = open_page(HTML + HTML)
    assert page.locator("[data-mounted]").count() == 2
    figure(page, 0).get_by_label("additive", exact=True).check()
    figure(page, 1).locator("[role=option]").first.click()
    assert [current(figure(page, number)) for number in (0, 1)] == [APPLE, 0]
    assert figure(page, 1).get_by_label("dot", exact=True).is_checked()
    assert figure(page, 0).get_by_label("additive", exact=True).is_checked()


def test_figure_works_where_a_notebook_puts_scripts_in_again(open_page: Open):
    page = open_page("")
    for _ in range(2):  # the cell runs, and runs again
        page.evaluate(AS_JUPYTERLAB, HTML)
    page.wait_for_function("document.querySelectorAll('[data-mounted]').length === 2")
    figure(page, 1).locator("[role=option]").first.click()
    assert [current(figure(page, number)) for number in (0, 1)] == [APPLE, 0]


def test_without_script_the_table_is_shown(open_page: Open):
    page = open_page(HTML, java_script_enabled=False)
    table = page.locator("table")
    assert table.is_visible()
    row = table.locator("tbody tr").nth(APPLE).inner_text()
    assert row.split() == ["apple", "0.10", "0.20", "0.70"]
    assert "Weights of the dot score" in table.locator("caption").inner_text()


def test_where_the_script_fails_the_table_stays(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(HTML.replace('"scores":[{', '"scores_lost":[{'), encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.locator("table").is_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(open_page: Open, size):
    page = open_page(HTML, viewport=size, reduced_motion="reduce")
    for mode in ("light", "dark"):
        set_mode(page, mode)
        painted(page)
        assert serious_findings(page, contrast=True) == [], mode
    assert page.evaluate(FIND_OVERFLOW) == []


def test_axe_finds_no_other_fault_and_looks_into_the_figure(open_page: Open):
    page = open_page(HTML)
    assert serious_findings(page, contrast=False) == []
    figure(page).locator(".summary").evaluate("element => { element.style.color = '#ddd' }")
    assert [found for found in serious_findings(page, contrast=True) if ".summary" in found]


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


def test_chart_is_read_aloud_and_the_summary_is_live(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.get_attribute("aria-label") == "Alignment explorer"
    assert seen.locator(".summary").get_attribute("aria-live") == "polite"
    assert seen.locator(".chart > svg").get_attribute("aria-label") == (
        "exact match by length. dot: 0.85 at this length; fixed vector: 0.53 at this length; "
        "this sentence, 6 words; longer than in training."
    )


def test_chart_marks_nothing_for_a_sentence_of_another_length(open_page: Open):
    long = LengthCurves(
        bins=[(7, 9), (10, 12)],
        accuracy={score: [[0.5, 0.25]] for score in CAT.weights},
        fixed_vector=[[0.25, 0]],
        measure="exact match",
    )
    seen = figure(open_page(alignment_explorer([CAT], long)._repr_html_()))
    assert seen.locator(".chart > svg").get_attribute("aria-label") == (
        "exact match by length. dot; fixed vector."
    )
    assert seen.locator(".here, .beyond").count() == 0
    assert "7–9" in seen.locator(".chart > svg").text_content()


@pytest.mark.parametrize("script", [True, False])
def test_words_are_never_read_as_html(open_page: Open, script):
    page = open_page(
        alignment_explorer([HOSTILE], CURVES)._repr_html_(), java_script_enabled=script
    )
    assert page.locator("img").count() == 0
    if script:
        assert page.evaluate("window.hit") is None
        seen = figure(page)
        assert seen.locator(".source .word").all_inner_texts() == list(HOSTILE.source)
        seen.locator("[role=option]").nth(2).click()
        assert "“{word}” 0.20" in summary(seen)
    else:
        assert page.locator("thead th").all_inner_texts() == list(HOSTILE.source)
