"""What a Korean reader types leads to the page that explains it, in the Korean edition."""

from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect

QUERIES = yaml.safe_load(Path(__file__).with_name("korean_queries.yml").read_text("utf-8"))
FIRST = "#search-results ul.search > li > a:first-child"
# The first result of each query, as the page would show it.
ASK = """queries => queries.map(query => {
  const [page, title] = Search._performSearch(...Search._parseQuery(query)).at(-1) ?? ["", ""];
  return [page, title];
})"""


def place(page: str, title: str) -> str:
    """Return a result as the list of queries names it."""
    if page == "book/glossary" and ": " in title:
        return f"glossary: {title.partition(': ')[2].partition(' · ')[0]}"
    return page.removeprefix("chapters/").partition("_")[0] if "chapters/" in page else page


@pytest.mark.parametrize("name, misses", [("forty", 2), ("more", 10), ("held out", 7)])
def test_nearly_every_query_leads_first_to_its_page(page: Page, site: str, name: str, misses: int):
    page.goto(f"{site}/ko/search.html?q=어텐션")
    expect(page.locator(FIRST).first).to_be_visible()
    queries = QUERIES[name]
    found = dict(zip(queries, page.evaluate(ASK, [*queries]), strict=True))
    wrong = {
        query: result for query, result in found.items() if place(*result) not in queries[query]
    }
    assert len(wrong) <= misses, wrong


@pytest.mark.parametrize(
    "typed, found",
    [
        ("멀티헤드 어텐션", "멀티 헤드 어텐션"),
        ("마스크를 씌우는 법", "셀프 어텐션 > 8. 마스크"),
        ("교사강요", "용어집: teacher forcing"),
        ("헤드는 몇 개가 좋을까", "멀티 헤드 어텐션 > 11. 헤드는 몇 개가 좋은가"),
    ],
)
def test_what_is_typed_into_the_box_is_found(page: Page, site: str, typed: str, found: str):
    page.goto(f"{site}/ko/search.html")
    box = page.locator("#search-documentation input[name=q], form.bd-search input[name=q]").last
    box.fill(typed)
    box.press("Enter")
    expect(page.locator(FIRST).first).to_contain_text(found)


def test_an_excerpt_shows_the_words_and_not_their_pairs(page: Page, site: str):
    page.goto(f"{site}/ko/search.html?q=잔차 스트림")
    marked = page.locator("#search-results .context .highlighted")
    expect(marked.first).to_be_visible()
    assert {"잔차", "스트림"} >= set(marked.all_inner_texts())
