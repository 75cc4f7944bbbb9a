"""The attention of all layers in a browser: maps, bars and words are those of the payload."""

import json
from itertools import product

import pytest
from playwright.sync_api import Locator

from tests.explorables.conftest import Open
from tests.explorables.demo import LAYERS
from tests.explorables.viewer import figure, shows_focus, summary
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


def large(seen: Locator) -> list[list[int]]:
    """The numbers of the large map [query, key]; an empty cell is a zero."""
    rows = seen.locator(".row").all()
    return [[int(text or 0) for text in row.locator(".cell").all_inner_texts()] for row in rows]


def small(seen: Locator, layer: int, index: int) -> list[list[int]]:
    """The weights of a small map [query, key], read off where its cells stand."""
    drawn = (
        head(seen, layer, index)
        .locator("rect.weight")
        .evaluate_all(
            "all => all.map(one => ['y', 'x', 'fill-opacity'].map(name => +one.getAttribute(name)))"
        )
    )
    rows = seen.locator(".row")
    weights = [[0] * rows.first.locator(".cell").count() for _ in range(rows.count())]
    for y, x, opacity in drawn:
        weights[int(y / 10)][int(x / 10)] = round(100 * opacity)
    return weights


def bars(seen: Locator) -> dict[str, str]:
    """What stands in the bar of each key."""
    keys = seen.locator(".panes tbody th").all_inner_texts()
    return dict(zip(keys, seen.locator(".panes tbody td").all_inner_texts(), strict=True))


def query(seen: Locator) -> int:
    checked = seen.locator(".row input").evaluate_all("all => all.map(one => one.checked)")
    assert sum(checked) == 1
    return checked.index(True)


def test_every_map_shows_the_weights_of_the_payload(open_page: Open):
    seen = figure(open_page(HTML))
    for number, kind in product((0, 1), KINDS):
        seen.locator("select").select_option(index=number)
        choose_kind(seen, kind)
        check_maps(seen, [LONG, SHORT][number], kind)


def check_maps(seen: Locator, sentence: dict, kind: str) -> None:
    queries, keys = (sentence[side] for side in KINDS[kind])
    assert seen.locator(".word").all_inner_texts() == queries
    assert seen.locator(".keys span").all_inner_texts() == keys
    for layer, index in [(0, 0), (0, 3), (1, 2)]:
        weights = sentence[kind][layer][index]
        assert small(seen, layer, index) == weights
        head(seen, layer, index).click()
        assert large(seen) == weights
        assert seen.locator(".panes .title").first.inner_text() == (
            f"Head {layer + 1}.{index + 1} in hundredths: query rows, key columns"
        )


def test_figure_starts_with_the_encoder_where_the_heads_differ_most(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    assert page.get_by_text("Cross-attention of layer 2").is_hidden()
    assert large(seen) == LONG["encoder"][0][0]
    heads = [weights for layer in LONG["encoder"] for weights in layer]
    most = [len({row.index(max(row)) for row in rows}) for rows in zip(*heads, strict=True)]
    assert query(seen) == most.index(max(most))


def test_bars_show_what_the_chosen_query_reads(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    choose_kind(seen, "cross")
    head(seen, 1, 3).click()
    seen.locator(".row").nth(3).click()
    weights = SHORT["cross"][1][3][3]
    expected = [f"{weight / 100:.2f}" for weight in weights]
    assert bars(seen) == dict(zip(SHORT["source"], expected, strict=True))
    widths = seen.locator(".measure").evaluate_all(
        "all => all.map(one => one.style.getPropertyValue('--share'))"
    )
    assert [float(width) for width in widths] == [weight / 100 for weight in weights]
    assert seen.locator(".panes caption").inner_text() == "What “eat” reads in head 2.4"
    marked = seen.locator(".current").evaluate_all("all => all.map(one => one.getAttribute('y'))")
    assert marked == ["30"] * 8


def test_only_in_the_decoder_later_positions_are_hatched_and_called_hidden(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    hatched = "all => all.map(one => [...one.children].filter(c => c.matches('.hidden')).length)"
    for kind in KINDS:
        choose_kind(seen, kind)
        rows = seen.locator(".row").evaluate_all(hatched)
        assert rows == ([6, 5, 4, 3, 2, 1, 0] if kind == "decoder" else [0] * len(rows))
        drawn = head(seen, 0, 0).locator(".hidden").count()
        assert drawn == (21 if kind == "decoder" else 0)
    choose_kind(seen, "decoder")
    seen.locator(".row").nth(2).click()
    assert list(bars(seen).values())[3:] == ["hidden"] * 4
    assert "hidden" not in list(bars(seen).values())[:3]


def test_summary_names_what_is_read_who_agrees_and_the_next_token(open_page: Open):
    seen = figure(open_page(HTML))
    seen.locator("select").select_option(index=1)
    choose_kind(seen, "cross")
    seen.locator(".row").nth(1).click()
    rows = [weights[1] for layer in SHORT["cross"] for weights in layer]
    order = sorted(range(5), key=lambda key: -rows[0][key])
    read = ", ".join(f"“{SHORT['source'][key]}” {rows[0][key] / 100:.2f}" for key in order[:3])
    count = sum(row.index(max(row)) == order[0] for row in rows)
    assert summary(seen) == (
        f"In head 1.1, “cat” reads {read}. {count} of 8 heads read “{SHORT['source'][order[0]]}” "
        "most. The next token is “-TOP”."
    )
    seen.locator(".row").last.click()
    assert summary(seen).endswith("The next token is “<eos>”.")
    choose_kind(seen, "encoder")
    assert "next token" not in summary(seen)


def test_both_attentions_of_the_decoder_keep_the_query_and_all_keep_the_head(open_page: Open):
    seen = figure(open_page(HTML))
    choose_kind(seen, "decoder")
    head(seen, 1, 1).click()
    seen.locator(".row").nth(7).click()
    choose_kind(seen, "cross")
    assert query(seen) == 7
    assert large(seen) == LONG["cross"][1][1]
    seen.locator("select").select_option(index=1)
    assert large(seen) == SHORT["cross"][1][1]
    assert head(seen, 1, 1).get_by_role("radio").is_checked()


def test_arrow_keys_move_over_kinds_heads_and_queries(open_page: Open):
    page = open_page(HTML + "<div style='height: 3000px'></div>")
    seen = figure(page)
    seen.locator(".choices input").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    for _ in range(4):  # from the first head of a layer to the first of the next
        page.keyboard.press("ArrowRight")
    assert large(seen) == LONG["decoder"][1][0]
    page.keyboard.press("Tab")
    start = query(seen)
    page.keyboard.press("ArrowDown")
    assert query(seen) == (start + 1) % 12
    assert page.evaluate("window.scrollY") < 900


def test_a_finger_chooses_kind_head_and_query(open_page: Open):
    seen = figure(open_page(HTML, has_touch=True, viewport=PHONE))
    seen.locator(".choices label").nth(2).tap()
    head(seen, 1, 2).tap()
    assert large(seen) == LONG["cross"][1][2]
    seen.locator(".row").nth(7).tap()
    assert query(seen) == 7


def test_four_heads_stand_side_by_side_on_a_phone(open_page: Open):
    seen = figure(open_page(HTML, viewport=PHONE))
    tops = {head(seen, 0, index).bounding_box()["y"] for index in range(4)}
    assert len(tops) == 1


def test_focus_is_seen(open_page: Open):
    page = open_page(HTML)
    for kind in (".small", ".row"):
        assert shows_focus(page, figure(page).locator(f"{kind}:has(:checked)"))


def test_parts_have_names(open_page: Open):
    seen = figure(open_page(HTML))
    assert seen.get_by_role("group", name="Attention", exact=True).count() == 1
    assert seen.get_by_role("group", name="Head to look at").count() == 1
    assert seen.get_by_role("radiogroup", name="Query, arrow keys move").count() == 1
    assert seen.get_by_role("radio", name="Head 2.3", exact=True).count() == 1
