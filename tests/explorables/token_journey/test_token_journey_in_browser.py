"""The journey of a token in a browser: every reading is the payload's, the switch cuts the sums."""

import json

import pytest
from playwright.sync_api import Locator

from bottomup.analysis import journey
from bottomup.data import make_batch
from bottomup.explorables import token_journey
from bottomup.models import Transformer, TransformerConfig
from tests.browser import painted
from tests.explorables.conftest import Open
from tests.explorables.demo import JOURNEY
from tests.explorables.viewer import css, figure, summary
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE

pytestmark = pytest.mark.slow

HTML = JOURNEY._repr_html_()
PAYLOAD = json.loads(JOURNEY.data)
ENCODER, DECODER = PAYLOAD["sides"]


def written(value: float) -> str:
    digits = 2 if abs(value) < 10 else 1
    return f"{value:.{digits}f}".replace("-0.00", "0.00").replace("-", "−")


def track(seen: Locator, side: int) -> Locator:
    return seen.locator("table.track").nth(side)


def cells(seen: Locator, side: int) -> list[list[str]]:
    """What stands below each station's name."""
    bodies = track(seen, side).locator("tbody").all()
    return [body.locator("td").all_inner_texts() for body in bodies]


def expected(side: dict, place: int, setting: int) -> list[list[str]]:
    rows = []
    for station in side["stations"]:
        if not station["readings"]:
            number = f"number {side['ids'][place]}"
            rows.append([number if station["part"] == "tokens" else "largest below"])
            continue
        read = station["readings"][setting]
        row = [written(read["length"][place]), written(read["apart"][place])]
        for name in side["cosines"]:
            text = written(read[name][place])
            small = read["share"][place] < 0.05
            row.append(f"({text})" if small else text + "★" * read[f"{name}_nearest"][place])
        rows.append(row)
    return rows


def choose(seen: Locator, group: str, place: int) -> None:
    seen.get_by_role("group", name=group).get_by_role("radio").nth(place).check()


def cut(seen: Locator, off: bool = True) -> None:
    choose(seen, "Residual connections", int(off))


def test_every_token_shows_its_readings_and_each_side_keeps_its_own(open_page: Open):
    page = open_page(HTML)
    seen = figure(page)
    for setting in (0, 1):
        cut(seen, off=bool(setting))
        for place in range(len(ENCODER["tokens"])):
            choose(seen, "Source token", place)
            assert cells(seen, 0) == expected(ENCODER, place, setting)
        for place in range(len(DECODER["tokens"])):
            choose(seen, "Target token that the decoder reads", place)
            assert cells(seen, 1) == expected(DECODER, place, setting)
    shown = seen.locator("td.measure").all_inner_texts()
    small = [text for text in shown if text.startswith("(")]  # whose cosines say little
    assert small and not any("★" in text for text in small)
    assert any("★" in text for text in shown)
    before = cells(seen, 1)
    seen.get_by_role("group", name="Source token").get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    assert cells(seen, 0) == expected(ENCODER, 1, 1)
    assert cells(seen, 1) == before


def test_stations_show_shape_and_formula_and_the_switch_cuts_the_line_at_sublayers(open_page: Open):
    seen = figure(open_page(HTML))
    heads = track(seen, 1).locator("tbody th")
    texts = heads.all_inner_texts()
    assert texts[0] == "Tokens [7] numbers in the vocabulary"
    assert texts[1] == "Embedding [7, 8] √8 · the token's row of the table"
    assert texts[3] == "Layer 1: self-attention x + Attention(N(x))"  # of the same shape
    assert texts[-1] == "Logits [7, 11] x · each of the 11 rows of the table"
    assert seen.locator(".cut").count() == 0
    cut(seen)
    assert seen.locator(".cut").count() == 2 + 3
    assert heads.nth(4).inner_text() == "Layer 1: cross-attention Attention(N(x), memory)"
    assert heads.nth(4).evaluate("one => getComputedStyle(one).borderLeftStyle") == "dotted"
    cut(seen, off=False)
    assert seen.locator(".cut").count() == 0


def test_bars_are_as_long_as_their_numbers(open_page: Open):
    seen = figure(open_page(HTML))
    station = ENCODER["stations"][2]["readings"][0]
    shares = css(track(seen, 0).locator("tbody").nth(2).locator("td"), "--share")
    longest = PAYLOAD["longest"]
    wanted = [station["length"][0] / longest, station["apart"][0] / longest]
    wanted += [abs(station[name][0]) for name in ("word", "place")]
    assert shares == pytest.approx(wanted)
    cut(seen)
    striped = "one => getComputedStyle(one).backgroundImage.startsWith('repeating')"
    for bar in track(seen, 1).locator(".measure").all():
        assert bar.evaluate(striped) == ("−" in bar.inner_text())
    assert track(seen, 1).locator(".negative").count() > 0


def test_answers_stand_with_and_without_for_the_chosen_token(open_page: Open):
    seen = figure(open_page(HTML))
    for place in (0, 4):
        choose(seen, "Target token that the decoder reads", place)
        token = DECODER["tokens"][place]
        assert seen.get_by_text(f"What comes behind “{token}”").count() == 1
        for setting in (0, 1):
            rows = seen.locator(".answers table").nth(setting).locator("tbody tr").all()
            found = [row.locator("th, td").all_inner_texts() for row in rows]
            assert found == [
                [word + (" (the true one)" if right else ""), f"{share:.2f}"]
                for word, share, right in PAYLOAD["answers"][setting][place]
            ]


def test_summary_says_what_the_memory_holds_and_what_comes_next(open_page: Open):
    seen = figure(open_page(HTML))
    cut(seen)
    choose(seen, "Source token", 1)
    choose(seen, "Target token that the decoder reads", 2)
    read = ENCODER["stations"][-1]["readings"][1]
    word, share, right = PAYLOAD["answers"][1][2][0]
    verdict = "right" if right else f"the true one is “{PAYLOAD['expected'][2]}”"
    assert summary(seen).replace("\u00a0", " ") == (
        f"Without residual connections the memory of “{ENCODER['tokens'][1]}” has the cosine "
        f"{written(read['word'][1])} with its own word and {written(read['place'][1])} with its "
        f"own place; {100 * read['share'][1]:.0f} % of its length tells it from the other "
        f"positions. Behind “{DECODER['tokens'][2]}” the model then expects “{word}”, "
        f"probability {share:.2f}: {verdict}."
    )


def test_tracks_stand_side_by_side_where_there_is_room_and_a_choice_moves_nothing(open_page: Open):
    for size in (DESKTOP, PHONE):
        seen = figure(open_page(HTML, viewport=size))
        before = [track(seen, side).bounding_box()["y"] for side in (0, 1)]
        assert (before[0] == before[1]) == (size == DESKTOP)
        cut(seen)
        choose(seen, "Source token", 2)
        choose(seen, "Target token that the decoder reads", 3)
        assert track(seen, 0).bounding_box()["y"] == before[0]


def as_in_the_chapter() -> str:
    """Two layers a side, seven source and eleven target tokens."""
    config = TransformerConfig(
        source_vocabulary=400, target_vocabulary=430, d_model=64, encoder_layers=2,
        decoder_layers=2, num_heads=4, d_ff=128,
    )  # fmt: skip
    model = Transformer(config)
    batch = make_batch([(list(range(4, 10)), list(range(5, 15)))])
    made = token_journey(
        journey(model, batch), journey(model, batch, residual=False),
        source_words="the cat ate two".split() * 100,
        target_words="cat -TOP apple two -CL".split() * 86,
    )  # fmt: skip
    return made._repr_html_()


def test_all_is_on_one_screen_and_explained_above(open_page: Open):
    seen = figure(open_page(f"<div style='width: 688px'>{as_in_the_chapter()}</div>"))
    assert seen.bounding_box()["height"] <= 800
    about = seen.locator(".about")
    assert "Word, place, next: cosine of the rest" in about.inner_text()
    assert "★ no other word" in about.inner_text()
    box = about.bounding_box()
    assert box["y"] + box["height"] <= track(seen, 0).bounding_box()["y"]


def test_on_a_phone_a_choice_is_on_one_screen_with_what_it_changes(open_page: Open):
    room = "<div style='height: 3000px'></div>"
    page = open_page(as_in_the_chapter() + room, viewport=PHONE)
    seen = figure(page)
    chooser, answers = (seen.locator(name).bounding_box() for name in (".target", ".predicted"))
    switch = seen.locator(".controls").bounding_box()["height"]
    assert answers["y"] + answers["height"] - chooser["y"] + switch <= PHONE["height"]
    seen.locator(".predicted").evaluate("one => one.scrollIntoView({ block: 'end' })")
    painted(page)
    before = seen.locator(".track").last.inner_text()
    cut(seen)  # it has stayed in sight
    assert 0 <= seen.locator(".controls").bounding_box()["y"] < 10
    assert seen.locator(".track").last.inner_text() != before


def test_the_longest_words_and_the_most_tokens_fit(open_page: Open):
    config = TransformerConfig(
        source_vocabulary=16, target_vocabulary=16, d_model=512, encoder_layers=1,
        decoder_layers=1, num_heads=2, d_ff=8, norm="post",
    )  # fmt: skip
    model = Transformer(config)
    batch = make_batch([(list(range(4, 15)), list(range(5, 16)))])
    words = [f"{number:02d}eat.HON/drink.HON/take.H" for number in range(16)]
    assert len(words[0]) == 26
    made = token_journey(
        journey(model, batch), journey(model, batch, residual=False),
        source_words=words, target_words=words,
    )  # fmt: skip
    page = open_page(made._repr_html_(), viewport=PHONE)
    assert page.evaluate(FIND_OVERFLOW) == []
    inside = """one => [...one.querySelectorAll("th, td")].every(
      cell => cell.scrollWidth <= cell.clientWidth)"""
    for table in figure(page).locator("table").all():
        assert table.evaluate(inside)
