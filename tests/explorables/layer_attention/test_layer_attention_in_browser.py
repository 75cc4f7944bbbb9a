"""The attention of all layers in a browser: maps, bars and words are those of the payload."""

import json
from itertools import product

import pytest
from playwright.sync_api import Locator

from tests.explorables.conftest import Open
from tests.explorables.demo import LAYERS
from tests.explorables.viewer import css, figure, large, query, small, summary
from tests.site.visit import PHONE

pytestmark = pytest.mark.slow

HTML = LAYERS._repr_html_()
LONG, SHORT = json.loads(LAYERS.data)["sentences"]
KINDS = {"encoder": ("source", "source"), "decoder": ("target", "target"),
         "cross": ("target", "source")}  # fmt: skip


def choose_kind(seen: Locator, kind: str) -> None:
    seen.locator(".choices label").nth(list(KINDS).index(kind)).click()


def head(seen: Locator, layer: int, index: int) -> Locator:
    return seen.locator(".gallery fieldset").nth(layer).locator(".small").nth(index)


def bars(seen: Locator) -> list[str]:
    """What stands in the bar of each key."""
    return seen.locator(".panes tbody td").all_inner_texts()


def test_every_map_shows_the_weights_of_the_payload(open_page: Open):
    seen = figure(open_page(HTML))
    for number, kind in product((0, 1), KINDS):
        seen.locator("select").select_option(index=number)
        choose_kind(seen, kind)
        sentence = (LONG, SHORT)[number]
        queries, keys = (sentence[side] for side in KINDS[kind])
        assert seen.locator(".word").all_inner_texts() == queries
        assert seen.locator(".keys span").all_inner_texts() == keys
        for layer, index in [(0, 3), (1, 2)]:
            weights = sentence[kind][layer][index]
            shares = [[weight / 100 for weight in row] for row in weights]
            assert small(seen, head(seen, layer, index)) == shares
            head(seen, layer, index).click()
            assert large(seen) == weights
            assert seen.locator(".panes .title").first.inner_text() == (
                f"Head {layer + 1}.{index + 1} in hundredths: query rows, key columns"
            )


def test_figure_starts_with_the_encoder_where_the_heads_differ_most(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE))
    assert large(seen) == LONG["encoder"][0][0]
    assert query(seen) == 5
    tops = {head(seen, 0, index).bounding_box()["y"] for index in range(4)}
    assert len(tops) == 1  # four heads stand side by side, also on a phone


def test_bars_and_summary_show_what_the_chosen_query_reads(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    choose_kind(seen, "cross")
    head(seen, 1, 3).click()
    seen.locator(".row").nth(3).click()
    source, weights = SHORT["source"], SHORT["cross"][1][3][3]
    assert seen.locator(".panes tbody th").all_inner_texts() == source
    assert bars(seen) == [f"{weight / 100:.2f}" for weight in weights]
    assert css(seen.locator(".measure"), "--share") == [weight / 100 for weight in weights]
    assert seen.locator(".panes caption").inner_text() == "What “eat” reads in head 2.4"
    marked = seen.locator(".current").evaluate_all("all => all.map(one => one.getAttribute('y'))")
    assert marked == ["30"] * 8
    assert summary(seen) == (
        "In head 2.4, “eat” reads “cat” 0.95, “.” 0.04, “ate” 0.01. 2 of 8 heads read “cat” most. "
        "The next token is “-PAST”."
    )
    seen.locator(".row").last.click()
    assert summary(seen).endswith("The next token is “<eos>”.")
    choose_kind(seen, "encoder")
    assert "next token" not in summary(seen)


def test_only_in_the_decoder_later_positions_are_hatched_and_called_hidden(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    hatched = "all => all.map(one => [...one.children].filter(c => c.matches('.hidden')).length)"
    for kind in ("encoder", "cross", "decoder"):
        choose_kind(seen, kind)
        rows = seen.locator(".row").evaluate_all(hatched)
        assert rows == ([6, 5, 4, 3, 2, 1, 0] if kind == "decoder" else [0] * len(rows))
        drawn = head(seen, 0, 0).locator(".hidden").count()
        assert drawn == (21 if kind == "decoder" else 0)
    seen.locator(".row").nth(2).click()
    assert bars(seen)[3:] == ["hidden"] * 4
    assert "hidden" not in bars(seen)[:3]


def test_keys_choose_and_both_attentions_of_the_decoder_keep_query_and_head(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator(".choices input").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    for _ in range(5):  # from the first head of a layer to the second of the next
        page.keyboard.press("ArrowRight")
    assert large(seen) == LONG["decoder"][1][1]
    page.keyboard.press("Tab")
    start = query(seen)
    page.keyboard.press("ArrowDown")
    assert query(seen) == (start + 1) % 12
    assert page.evaluate("window.scrollY") < 900
    choose_kind(seen, "cross")
    assert query(seen) == (start + 1) % 12
    assert large(seen) == LONG["cross"][1][1]
    seen.locator("select").select_option(index=1)
    assert large(seen) == SHORT["cross"][1][1]
    assert head(seen, 1, 1).get_by_role("radio", name="Head 2.2").is_checked()
