"""A chapter on paper: light, without what only a screen can use, and nothing cut off."""

import re

import pytest
from playwright.sync_api import Page

from tests.site.visit import SETTLED, set_mode

CHAPTER = "chapters/08_representation_analysis"
LESSON = "chapters/02_self_attention"
KINDS = ("details.hint", "details.quiz-right", "details.quiz-wrong", ".wrong-answers details")
MOST_SHEETS = 27  # for chapter 03; with the letters of a screen it would take 45
A4 = {"width": 794, "height": 1123}  # pixels of a page at 96 an inch


def on_paper(page: Page, address: str) -> None:
    page.set_viewport_size(A4)
    page.emulate_media(media="print")
    page.goto(address)
    page.evaluate(SETTLED)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")


def test_a_dark_page_is_printed_light_on_few_sheets_and_stays_dark(page: Page, site: str) -> None:
    page.goto(f"{site}/chapters/03_multi_head_attention.html")
    page.evaluate(SETTLED)
    set_mode(page, "dark")
    mode = "document.documentElement.dataset.theme"
    page.evaluate(f"addEventListener('beforeprint', () => window.printed = {mode})")
    paper = page.pdf(format="A4", print_background=True)
    assert 0 < len(re.findall(rb"/Type\s*/Page\b", paper)) <= MOST_SHEETS
    assert page.evaluate("window.printed") == "light"
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_a_chapter_leaves_out_what_only_a_screen_can_use_and_cuts_nothing_off(
    page: Page, site: str
) -> None:
    on_paper(page, f"{site}/{CHAPTER}.html")
    for what in (".bd-sidebar-primary", ".bd-header-article", "details.hide", "details.hint",
                 ".wrong-answers"):  # fmt: skip
        found = page.locator(what)
        assert found.count() > 0
        assert found.evaluate_all("all => all.filter(e => e.checkVisibility()).length") == 0
    assert page.locator("article details.quiz-right > summary").first.is_visible()
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
    assert page.locator("article pre").count() > 50
    assert page.locator("article pre").evaluate_all(cut) == []
    remark = page.locator("article details:has(> summary:text('The same sum by hand'))").first
    assert remark.evaluate("fold => fold.open")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not remark.evaluate("fold => fold.open")


def test_what_a_lesson_shows_on_request_and_how_we_know_it_are_printed(
    page: Page, site: str
) -> None:
    on_paper(page, f"{site}/{LESSON}.html")
    for kind, inside in (("show", ".cell_output"), ("how-we-know", "h3, p")):
        fold = page.locator(f"article details.{kind}")
        assert fold.count() == page.locator(f"article details.{kind}[open]").count() > 0
        assert fold.first.locator(inside).first.is_visible()
    assert not page.locator("details.show > summary").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("article details:is(.show, .how-we-know)[open]").count() == 0


OPEN = """kind => [...document.querySelectorAll(`article ${kind}[open]`)]
  .map(fold => fold.querySelector("summary").textContent)"""
GIVES_AWAY = "details:is(.hint, .key, .quiz-right, .quiz-wrong, .wrong-answers *)"


@pytest.mark.parametrize("edition", ["", "ko/"])
@pytest.mark.parametrize("name", [LESSON, "book/concept_test", "book/how_to_use"])
def test_what_gives_an_answer_away_stays_shut_in_every_language(
    page: Page, site: str, edition: str, name: str
) -> None:
    page.goto(f"{site}/{edition}{name}.html", wait_until="domcontentloaded")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(OPEN, GIVES_AWAY) == []
    remarks = page.evaluate(OPEN, "details")
    assert not [
        title for title in remarks if re.match(r"(A )?(Hint|hint|Answer|[a-d]\))|힌트|답", title)
    ]


def test_the_korean_edition_opens_what_the_english_one_opens(page: Page, site: str) -> None:
    counts = []
    for edition in ("", "ko/"):
        page.goto(f"{site}/{edition}{CHAPTER}.html", wait_until="domcontentloaded")
        folds = {kind: page.locator(f"article {kind}").count() for kind in KINDS}
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        counts.append(folds | {"open": len(page.evaluate(OPEN, "details"))})
    assert counts[0] == counts[1] and min(counts[0].values()) > 0


def test_the_ledger_is_printed_open_and_closes_again(page: Page, site: str) -> None:
    on_paper(page, f"{site}/book/ledger.html")
    assert not page.locator(".ledger-filter").is_visible()
    heads = page.locator("table.ledger thead th").all_inner_texts()
    assert len(heads) == 3 and all(head.strip() for head in heads)
    rows = page.locator("table.ledger details")
    assert page.locator("table.ledger details[open]").count() == rows.count() > 200
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("table.ledger details[open]").count() == 0
