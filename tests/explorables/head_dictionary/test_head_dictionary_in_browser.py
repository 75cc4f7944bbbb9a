"""The head's dictionary in a browser: what is recorded, and what is computed with a script."""

from pathlib import Path

import pytest
import torch
from playwright.sync_api import Locator, expect

from bottomup.experiments.pretrained.head_words import HeadWords
from bottomup.explorables.head_dictionary.script import _SCRIPT, words_payload
from tests.explorables.conftest import Open
from tests.explorables.demo import WORDS
from tests.explorables.viewer import PAGE, figure, summary

pytestmark = pytest.mark.slow

HTML = WORDS._repr_html_()
META = '<link rel="icon" href="data:,"><meta name="bottomup-model-head_dictionary" content="w.js">'


def rows(seen: Locator) -> list[tuple[str, str]]:
    found = seen.locator("tr:has(.measure)").all()
    return [(row.locator("th").inner_text(), row.locator("td").inner_text()) for row in found]


def test_recorded_words_answer_both_ways_and_lead_on(open_page: Open):
    seen = figure(open_page(HTML))
    assert rows(seen) == [("michael", "8.3"), ("andy", "6.7")]
    expect(
        seen.get_by_text("Recorded: 2 words can be asked, and 4,271 may answer.")
    ).to_be_visible()
    seen.get_by_role("radio", name="who looks for it").check()
    assert rows(seen) == [("king", "6.2"), ("sri", "−1.1")]
    assert seen.locator(".measure.negative").count() == 1
    seen.get_by_role("button", name="king: ask for it").click()
    assert seen.locator("input[type=text]").input_value() == "king"
    assert "looks most for “king”" in summary(seen)


def test_an_unknown_word_brings_words_near_it(open_page: Open):
    seen = figure(open_page(HTML))
    box = seen.locator("input[type=text]")
    box.fill(" Jorden ")
    assert summary(seen) == (
        "“jorden” is not one of the 2 words that can be asked here. Known words near it:"
    )
    assert rows(seen) == []
    seen.get_by_role("group", name="Known words near it:").get_by_role("button").click()
    assert rows(seen)[0] == ("michael", "8.3")
    box.fill("KING ")
    assert summary(seen).startswith("“king” looks most for ")
    box.fill("")
    assert summary(seen) == "Type a word."


def test_words_come_when_a_reader_uses_the_box_and_then_every_word_answers(windows, tmp_path: Path):
    draw = torch.Generator().manual_seed(5)
    query, key = (torch.randn(12, 3, generator=draw) for _ in range(2))
    known = HeadWords([f"word{chr(97 + n)}" for n in range(11)] + ["jordan"], query, key)
    page_html = PAGE.replace("<title>", f"{META}<title>").format(attributes="", body=HTML)
    (tmp_path / "page.html").write_text(page_html, encoding="utf-8")
    window = windows.take()
    page = window.page
    page.goto((tmp_path / "page.html").as_uri())
    seen = figure(page)
    box = seen.locator("[data-live-input]")
    box.focus()  # there is no script yet
    page.wait_for_timeout(200)
    assert rows(seen)[0] == ("michael", "8.3")
    window.errors.clear()
    text = _SCRIPT.format(
        notice="n", name="head_dictionary", payload=str(words_payload(known)).replace("'", '"')
    )
    (tmp_path / "w.js").write_text(text, encoding="utf-8")
    page.reload()
    seen.locator("[data-live-input]").focus()
    expect(page.locator("[data-live-ready]")).to_have_count(1)
    expect(seen.get_by_text("with the queries and keys of 12 words.")).to_be_visible()
    box.fill("worda")
    for way, wanted in (
        ("whom it looks for", known.scores[0]),
        ("who looks for it", known.scores[:, 0]),
    ):
        seen.get_by_role("radio", name=way).check()
        assert rows(seen)[0][0] == known.words[wanted.argmax()]
        assert len(rows(seen)) == 8
    windows.give_back(window)
