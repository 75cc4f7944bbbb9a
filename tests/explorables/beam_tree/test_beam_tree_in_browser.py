"""The tree of a beam search in a browser: its numbers are those of the search, for every alpha."""

import math
import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import Locator

from bottomup.decoding import BeamStep, beam_search, gnmt_penalty
from bottomup.explorables import beam_tree
from tests.browser import painted
from tests.decoding.markov import source_of
from tests.explorables.beam_demo import (
    BEAM,
    LARGEST,
    MODEL,
    MOST,
    RESULTS,
    SOURCE,
    WIDE,
    WORDS,
    dogs,
    search,
    stop_figure,
)
from tests.explorables.conftest import Open
from tests.explorables.viewer import figure, summary
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE

pytestmark = pytest.mark.slow

HTML = BEAM._repr_html_()
WIDTHS = list(RESULTS)
SET = "(input, place) => { input.value = place; input.dispatchEvent(new Event('input')); }"


def choose_width(seen: Locator, width: int) -> None:
    seen.locator(".choices label").nth(WIDTHS.index(width)).click()


def choose_alpha(seen: Locator, alpha: float) -> None:
    seen.locator("input[type=range]").evaluate(SET, round(10 * alpha))


def written(value: float, digits: int) -> str:
    return re.sub(r"^-(?=[0.]*$)", "", f"{value:.{digits}f}").replace("-", "−")


def listed(seen: Locator) -> list[list[str]]:
    """The rows of the list: place, sequence, n, log P, lp(n), score."""
    return seen.locator(".panes tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(part => part.innerText.trim()))"
    )


def boxes(seen: Locator, kind: str = "") -> list[str]:
    """What is heard of the boxes of a kind, by step, the best first."""
    return seen.locator(f".item{kind}").evaluate_all(
        """all => all.map(one => [one.ariaLevel, parseFloat(one.style.top), one.ariaLabel])
          .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([level, top, label]) => label)"""
    )


def chosen(seen: Locator) -> str:
    [label] = seen.locator(".item[aria-selected=true]").evaluate_all(
        "all => all.map(one => one.ariaLabel)"
    )
    return label


def stop(seen: Locator) -> str:
    return seen.locator(".note[aria-live]").inner_text()


def test_list_holds_what_a_search_with_each_alpha_returns(open_page: Open):
    seen = figure(open_page(HTML))
    for width in WIDTHS:
        choose_width(seen, width)
        for alpha in (0, 0.9):
            choose_alpha(seen, alpha)
            compare(listed(seen), width, alpha)


def compare(found: list[list[str]], width: int, alpha: float) -> None:
    decoded = beam_search(
        dogs(), *source_of([5]), beam=width, max_length=LARGEST, length_penalty=alpha, n_best=width
    )
    for place, tokens in enumerate(decoded.to_lists()[0]):
        n = len(tokens) + 1
        numbers = [decoded.log_probabilities[0, place].item(), gnmt_penalty(n, alpha),
                   decoded.scores[0, place].item()]  # fmt: skip
        assert found[place] == [
            str(place + 1),
            " ".join(WORDS[token] for token in tokens),
            str(n),
            *(written(value, 4) for value in numbers),
        ]


def test_every_box_is_a_candidate_of_the_trace(open_page: Open):
    seen = figure(open_page(HTML))
    for width in WIDTHS:
        choose_width(seen, width)
        compare_boxes(seen, RESULTS[width].steps)


def compare_boxes(seen: Locator, steps: Sequence[BeamStep]) -> None:
    for n, step in enumerate(steps, start=1):
        parts = (step.token, step.log_probability, step.continued, step.ended)
        expected = [
            (WORDS[token], log_p, continued, ended)
            for token, log_p, continued, ended in zip(*(p[0].tolist() for p in parts), strict=True)
            if log_p > -math.inf
        ]
        found = boxes(seen, f"[aria-level='{n + 1}']")
        assert len(found) == len(expected)
        for label, (word, log_p, continued, ended) in zip(found, expected, strict=True):
            if ended:
                score = written(log_p / gnmt_penalty(n, 0.6), 2)
                assert re.fullmatch(rf"{word}, finished, place \d+, score {score}", label)
            else:
                after = "left when the search stopped" if n == len(steps) else "goes on"
                state = after if continued else "dropped"
                assert label == f"{word}, log P {written(log_p, 2)}, {state}"
    assert seen.locator(".head").all_inner_texts() == [f"n = {n + 1}" for n in range(len(steps))]


def test_figure_starts_at_the_end_of_the_best(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    assert page.get_by_text("The best of each beam").is_hidden()
    assert chosen(seen) == "<eos>, finished, place 1, score −1.80"
    assert seen.get_by_text("one prefix goes on, so the tree is a path").is_visible()
    way = ["begin", "der", "Hund", "bellt", ".", "<eos>"]
    assert seen.locator(".item.winner b").all_inner_texts() == way
    choose_width(seen, 2)
    assert seen.get_by_text(f"Beam of 2 for “{SOURCE}”: in each step the best 2").is_visible()
    assert seen.locator(".item.winner b").all_inner_texts() == ["begin", "ein", *way[2:]]


def test_alpha_moves_the_best_way_and_keeps_the_tree_and_the_choice(open_page: Open):
    seen = figure(open_page(HTML))
    choose_width(seen, 4)
    winner = seen.locator(".canvas path.winner")
    before, tree, kept = winner.get_attribute("d"), boxes(seen, ":not(.ended)"), summary(seen)
    for alpha, best in [(0.9, "ein Hund bellt ."), (1.0, "ein Hund bellt laut .")]:
        choose_alpha(seen, alpha)
        words = seen.locator(".item.winner b").all_inner_texts()
        assert " ".join(words) == f"begin {best} <eos>"
        assert listed(seen)[0][1] == best
    assert winner.get_attribute("d") != before
    assert boxes(seen, ":not(.ended)") == tree
    assert summary(seen).split(":")[0] == kept.split(":")[0]
    assert "place 2 of" in summary(seen) and "with α = 1.0" in summary(seen)
    assert "It never decides which prefixes go on" in seen.locator(".note").last.inner_text()


def test_summary_and_terms_of_a_prefix(open_page: Open):
    seen = figure(open_page(HTML))
    choose_width(seen, 2)
    seen.locator(".item[aria-level='3']").first.click()  # in depth: the continuation of "der"
    total = math.log(0.5 * 0.45)
    low, penalty = written(total, 4), gnmt_penalty(2, 0.6)
    assert summary(seen) == (
        f"“der Hund”, n = 2: log P = {low}, lp(n) = ((5 + 2) / 6)^0.6 = {penalty:.4f}, "
        f"score = {low} / {penalty:.4f} = {written(total / penalty, 4)}. It goes on."
    )
    terms = seen.locator(".terms li").all_inner_texts()
    assert [" ".join(text.split()) for text in terms] == [
        f"der {written(math.log(0.5), 4)}",
        f"Hund {written(math.log(0.45), 4)}",
    ]


def said(seen: Locator, selector: str) -> str:
    seen.locator(selector).first.click()
    return summary(seen)


def test_summary_says_what_became_of_a_prefix(open_page: Open):
    seen = figure(open_page(HTML))
    assert said(seen, ".item.dropped").endswith(
        "Dropped: the beam holds 1, and others have a higher log P."
    )
    assert said(seen, ".item[aria-level='2']").endswith("It goes on.")
    assert said(seen, ".item.ended").endswith("Finished: place 1 of 1 with α = 0.6.")
    assert said(seen, ".item.left").endswith("The search stopped here, before this prefix ended.")
    assert said(seen, ".item") == "Nothing is written yet: log P = 0."
    assert seen.locator(".terms li").count() == 0


def test_figure_says_whether_a_search_would_have_gone_on(open_page: Open):
    decoded, made = stop_figure(length_penalty=0)
    seen = figure(open_page(made._repr_html_()))
    for alpha, goes_on in ((0, False), (1.5, True)):
        choose_alpha(seen, alpha)
        again = search(MODEL, 2, n_best=1, max_length=MOST, length_penalty=alpha)
        assert (len(again.steps) > len(decoded.steps)) == goes_on
        assert (" would go on: " in stop(seen)) == goes_on
        if not goes_on:
            [tokens] = again.to_lists()[0]
            row = listed(seen)[0]
            assert row[1] == " ".join(map(str, tokens))
            assert row[5] == written(again.scores.item(), 4)


def test_a_wide_search_says_what_became_of_its_prefixes_and_why_it_stopped(open_page: Open):
    seen = figure(open_page(WIDE._repr_html_()))
    assert stop(seen) == (
        "A search with α = 0.6 finds the same best sequence: "
        "this one ran to the largest length, 20."
    )
    dead = seen.locator(".item.kept").evaluate_all(
        """all => all.flatMap((one, index) => {
          const next = one.nextElementSibling;
          return next && +next.ariaLevel > +one.ariaLevel ? [] : [index];
        })"""
    )
    seen.locator(".item.kept").nth(dead[0]).click()
    assert summary(seen).endswith("then all its continuations are dropped.")
    seen.locator(".item.dropped", has_text="<eos>").first.click()
    assert summary(seen).endswith("Dropped: an end counts only among the best 5 of the step.")
    seen.locator(".item.cut").first.click()
    assert summary(seen).endswith(
        "Cut off at the largest length; it stands behind all that finished."
    )


# ---- Reading the tree


OVERLAPS = """all => {
  const boxes = all.map(one => one.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => a.left < b.right && b.left < a.right
    && a.top < b.bottom && b.top < a.bottom)).length;
}"""
OUTSIDE = """all => all.filter(one => [...one.children].some(part => {
  const [a, b] = [one, part].map(each => each.getBoundingClientRect());
  return b.top < a.top || b.bottom > a.bottom || b.left < a.left || b.right > a.right;
})).length"""


def in_sight(seen: Locator, items: Locator) -> list[str]:
    """The words of those items of the way to the best that stand wholly in the box."""
    box = seen.locator(".box").bounding_box()
    return [
        item.locator("b").inner_text()
        for item in items.all()
        if (place := item.bounding_box())["x"] >= box["x"]
        and place["x"] + place["width"] <= box["x"] + box["width"]
    ]


def test_tree_opens_where_the_best_sentence_ends(open_page: Open):
    page = open_page(HTML + WIDE._repr_html_(), viewport=PHONE)
    seen, wide = figure(page), figure(page, 1)
    for one in (seen, wide):
        found = in_sight(one, one.locator(".item.winner"))
        assert len(found) >= 2
        assert found[-1] == one.locator(".item.winner b").last.inner_text()
    assert wide.locator(".box").evaluate("box => box.scrollLeft") > 0
    choose_width(seen, 4)
    assert in_sight(seen, seen.locator(".item.winner"))[-1] == "<eos>"


def test_a_short_sentence_is_seen_whole_in_the_column_of_a_page(open_page: Open):
    column = f"<div style='width: 688px'>{HTML}</div>"
    seen = figure(open_page(column))
    assert in_sight(seen, seen.locator(".item.winner")) == [
        *"begin der Hund bellt .".split(),
        "<eos>",
    ]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_wide_tree_scrolls_in_its_box_and_nothing_overlaps(open_page: Open, size):
    page = open_page(WIDE._repr_html_(), viewport=size)
    seen = figure(page)
    box = seen.locator(".box")
    assert box.evaluate("box => box.scrollWidth > 2 * box.clientWidth")
    assert box.evaluate("box => box.scrollHeight <= box.clientHeight")
    items = seen.locator(".item, .head")
    assert items.count() > 150
    assert items.evaluate_all(OVERLAPS) == 0
    assert items.evaluate_all(OUTSIDE) == 0
    assert page.evaluate(FIND_OVERFLOW) == []


def test_only_words_longer_than_a_column_are_cut(open_page: Open):
    seen = figure(open_page(WIDE._repr_html_()))
    cut = seen.locator(".item b").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    )
    assert set(cut) <= {"Donaudampfschifffahrten", "mmmmmmmmmmmm"}


def test_a_chosen_sequence_is_brought_into_the_box_and_the_page_stays(open_page: Open):
    page = open_page(WIDE._repr_html_() + "<div style='height: 3000px'></div>", viewport=PHONE)
    seen = figure(page)
    buttons = seen.locator("tbody button")
    painted(page)
    for place in range(buttons.count()):
        buttons.nth(place).click()
        here = page.evaluate("scrollY")
        item = seen.locator(".item[aria-selected=true]").bounding_box()
        box = seen.locator(".box").bounding_box()
        assert box["x"] <= item["x"] and item["x"] + item["width"] <= box["x"] + box["width"]
        assert page.evaluate("scrollY") == here
        assert buttons.nth(place).get_attribute("aria-pressed") == "true"


# ---- Keys and fingers


def test_arrow_keys_move_through_the_tree(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    choose_width(seen, 2)
    seen.locator("[role=treeitem][tabindex='0']").focus()
    dog = math.log(0.4 * 0.9)
    for key, expected in [
        ("Home", "begin, log P 0.00, goes on"),
        ("ArrowLeft", "begin, log P 0.00, goes on"),
        ("ArrowRight", f"der, log P {written(math.log(0.5), 2)}, goes on"),
        ("ArrowDown", f"ein, log P {written(math.log(0.4), 2)}, goes on"),
        ("ArrowRight", f"Hund, log P {written(dog, 2)}, goes on"),
        ("ArrowUp", f"Hund, log P {written(dog, 2)}, goes on"),
        ("ArrowLeft", f"ein, log P {written(math.log(0.4), 2)}, goes on"),
        ("End", "<eos>, finished, place 1, score −1.45"),
    ]:
        page.keyboard.press(key)
        assert chosen(seen) == expected
    assert page.evaluate("scrollY") == 0
    active = page.evaluate("document.activeElement.shadowRoot.activeElement.ariaLabel")
    assert active == chosen(seen)


def test_keys_move_the_slider_and_the_width(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    seen.locator("input[type=radio]").first.focus()
    page.keyboard.press("ArrowRight")
    assert seen.get_by_text("Beam of 2 for").is_visible()
    seen.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert seen.locator("input[type=range]").get_attribute("aria-valuetext") == "0.7"
    assert listed(seen)[0][4] == f"{gnmt_penalty(5, 0.7):.4f}"


def test_a_finger_chooses_a_box_and_a_sequence(open_page: Open):
    seen = figure(open_page(HTML, has_touch=True, viewport=PHONE))
    seen.locator(".choices label").last.tap()
    seen.locator(".item[aria-level='2']").first.tap()
    assert chosen(seen).startswith("der, log P")
    seen.locator("tbody button").nth(1).tap()
    assert "place 2, score" in chosen(seen)


def test_focus_is_seen(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    item = seen.locator("[role=treeitem][tabindex='0']")
    outline = "one => getComputedStyle(one).outline"
    seen.locator("input[type=radio]").first.focus()
    before = item.evaluate(outline)
    page.keyboard.press("Tab")
    assert item.evaluate(outline) != before
    assert item.evaluate(outline).endswith("solid 3px")


def test_parts_have_names_and_levels(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.get_by_role("tree", name="Prefixes by step").count() == 1
    assert seen.get_by_role("group", name="Beam width").count() == 1
    assert seen.get_by_role("slider", name="Length penalty α").count() == 1
    choose_width(seen, 4)
    second = seen.locator(".item[aria-level='2']")
    sizes = second.evaluate_all(
        "all => all.map(one => [one, one.getAttribute('aria-setsize')]).map(([one, size]) => "
        "[one.getAttribute('aria-posinset'), size])"
    )
    count = second.count()
    assert sizes == [[str(place + 1), str(count)] for place in range(count)]


def test_one_search_has_no_choice_of_width_and_ends_are_told_from_names(open_page: Open):
    words = ["x"] * len(WORDS)  # the end is written like all others
    made = beam_tree({4: RESULTS[4]}, source=SOURCE, target_words=words, max_length=LARGEST)
    seen = figure(open_page(made._repr_html_()))
    assert seen.locator("input[type=radio]").count() == 0
    ended = sum(int(step.ended.sum()) for step in RESULTS[4].steps)
    assert seen.locator(".item.ended").count() == ended


def test_more_sequences_than_the_list_holds_are_counted(open_page: Open):
    seen = figure(open_page(HTML))
    choose_width(seen, 4)
    ended = seen.locator(".item.ended").count()
    more = seen.get_by_text("more stand behind these")
    if ended > 6:
        assert more.inner_text() == f"{ended - 6} more stand behind these."
    else:
        assert more.count() == 0
        assert len(listed(seen)) == ended
