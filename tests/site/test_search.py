"""Search leads to the page that explains a term, in English and in Korean."""

import re

import pytest
from playwright.sync_api import Page, expect

RESULTS = "#search-results ul.search > li > a:first-child"
FIRST = 3  # a reader looks at the first few results
# A Korean search finds what has some of the words.
ENDED = {
    "": re.compile("^Your search did not match any documents"),
    "/ko": re.compile("^검색이 완료되었으며"),
}

CHAPTERS = {
    "byte pair": "chapters/00_warm_up",
    "additive attention": "chapters/01_attention",
    "causal mask": "chapters/02_self_attention",
    "superposition": "chapters/04_mlp_and_superposition",
    "KV cache": "chapters/06_decoding",
    "mutual information": "chapters/08_representation_analysis",
    "induction head": "chapters/09_circuits",
}
KOREAN = {
    "어텐션 가중치": "attention weights",
    "자기 어텐션": "self-attention",
    "빔 서치": "beam search",
    "귀납 헤드": "induction head",
}


def found(page: Page, site: str, term: str) -> list[str]:
    """Return where the first results for a term lead, best first."""
    page.goto(f"{site}/search.html?q={term}")
    expect(page.locator("#search-results p.search-summary")).to_be_visible()
    expect(page.locator(RESULTS).first).to_be_visible()
    links = page.locator(RESULTS).all()[:FIRST]
    return [(link.get_attribute("href") or "").replace(".html", "") for link in links]


def entry_comes_once_and_under_its_own_names(page: Page, term: str) -> None:
    titles = [text for text in page.locator(RESULTS).all_inner_texts() if "Glossary" in text]
    assert titles and all(text.startswith("Glossary: ") for text in titles), titles
    assert len(titles) == len(set(titles)), titles
    assert term in titles[0]


@pytest.mark.parametrize("term", CHAPTERS)
def test_a_term_leads_to_its_chapter(page: Page, site: str, term: str) -> None:
    pages = [address.split("?")[0].split("#")[0] for address in found(page, site, term)]
    assert CHAPTERS[term] in pages


@pytest.mark.parametrize("term", KOREAN)
def test_a_korean_term_leads_to_its_entry_which_comes_once(
    page: Page, site: str, term: str
) -> None:
    first = found(page, site, term)[0]
    assert first.startswith("book/glossary")
    entry_comes_once_and_under_its_own_names(page, term)
    page.goto(f"{site}/{first.replace('book/glossary', 'book/glossary.html')}")
    page.wait_for_url("**#*")
    entry = page.evaluate(
        """() => {
          let node = document.getElementById(decodeURIComponent(location.hash.slice(1)));
          while (node.previousElementSibling?.tagName === "DT") node = node.previousElementSibling;
          return node.firstChild.textContent;
        }"""
    )
    assert entry.strip() == KOREAN[term]


def test_a_term_in_many_entries_shows_each_of_them_once(page: Page, site: str) -> None:
    found(page, site, "어텐션")
    entry_comes_once_and_under_its_own_names(page, "어텐션")


def test_the_glossary_itself_is_found_where_no_entry_is(page: Page, site: str) -> None:
    assert "book/glossary" in found(page, site, "glossary")
    results = page.locator(RESULTS)
    assert results.filter(has_text=re.compile(r"^Glossary$")).count() == 1


@pytest.mark.parametrize(
    "language, words",
    [
        ("", "attention constructor"),
        ("", "__proto__"),
        ("/ko", "어텐션 constructor"),
    ],
)
def test_a_search_ends_at_names_that_every_object_of_javascript_has(
    page: Page, site: str, language: str, words: str
) -> None:
    page.goto(f"{site}{language}/search.html?q={words}")
    said = page.locator("#search-results p.search-summary")
    expect(said).to_have_text(ENDED[language])
