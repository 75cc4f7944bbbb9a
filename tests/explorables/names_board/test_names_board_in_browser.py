"""The names board in a browser: bars, lines and sentences are those of the scores."""

import pytest
from playwright.sync_api import Locator

from tests.explorables.conftest import Open
from tests.explorables.demo import NAME_SCORES, NAMES
from tests.explorables.viewer import figure, summary

pytestmark = pytest.mark.slow

HTML = NAMES._repr_html_()


def bars(seen: Locator, kind: str) -> list[str]:
    return seen.locator(f".row .measure.{kind}").all_inner_texts()


def written(score: float) -> str:
    return f"{score:.2f}".replace("-0.00", "0.00").replace("-", "−")


def test_the_bars_are_the_scores_of_the_chosen_names_and_station(open_page: Open):
    seen = figure(open_page(HTML))
    for first, last in ((0, 0), (1, 1)):
        seen.locator("select").nth(0).select_option(index=first)
        seen.locator("select").nth(1).select_option(index=last)
        for station in (0, 2):
            seen.locator("input[type=range]").fill(str(station))
            for kind in ("intact", "frozen"):
                scores = getattr(NAME_SCORES, kind)[first, last, station]
                assert bars(seen, kind) == [written(score) for score in scores]
                striped = seen.locator(f".row .measure.{kind}.negative").count()
                assert striped == (scores < 0).sum()


def test_a_persons_own_profession_is_chosen_and_a_mixed_name_s_highest(open_page: Open):
    seen = figure(open_page(HTML))
    chosen = seen.locator(".row:has(:checked) .word")
    assert chosen.inner_text() == "acting"
    seen.get_by_role("button", name="Bartholomews Featherstone").click()
    assert chosen.inner_text() == "mathematics"
    assert seen.locator("select").nth(1).input_value() == "Featherstone"
    assert "Nobody" not in summary(seen)
    seen.get_by_role("button", name="Anna King").click()
    assert "Nobody on this board is called Anna King." in summary(seen)
    most = NAME_SCORES.intact[0, 1, -1].argmax()
    assert chosen.inner_text() == NAME_SCORES.professions[most]


def test_a_press_on_the_chart_goes_to_the_nearest_station(open_page: Open):
    seen = figure(open_page(HTML))
    chart = seen.locator(".chart")
    chart.click(position={"x": 40, "y": 60})
    assert "Anna Fischer, after the embedding: " in summary(seen)
    assert seen.locator("input[type=range]").input_value() == "0"
    assert seen.locator(".chart .others polyline").count() == 2
    aloud = chart.get_attribute("aria-label")
    scores = ", ".join(map(written, NAME_SCORES.intact[0, 0, :, 0]))
    assert aloud.startswith(f"acting, station by station. Intact: {scores}. Frozen: ")
