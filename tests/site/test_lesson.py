"""The form of a lesson on its page: what *Show* hides, the section *How we know*, and its marks."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import painted
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import (
    FIND_OVERFLOW,
    FIND_RAW_MATH,
    LEFTMOST_GLYPHS,
    PHONE,
    SCROLLING,
    SETTLED,
    set_mode,
)

CHAPTER = "chapters/02_self_attention"
FEWEST_FOLDS = 5
FINGER = 24  # pixels
OPEN_ALL = "all => all.forEach(fold => { fold.open = true })"
# A word that stands in the fold alone, as a reader would search for it.
ONLY_FOLDED = """fold => {
  const words = text => text.match(/\\b[a-z]{7,}\\b/g) ?? [];
  const prose = [...fold.querySelectorAll("p")].flatMap(each => words(each.textContent));
  const copy = document.querySelector("article").cloneNode(true);
  copy.querySelector("details.how-we-know").remove();
  const others = new Set(words(copy.textContent));
  return prose.find(word => !others.has(word) && !word.endsWith("ing"));
}"""
# Of each picture and figure in a fold that is open: its width, and how much wider than its column.
PICTURES = """() => {
  const kinds = ".bottomup-drawing svg, [data-mounted], .cell_output > img";
  const box = each => each.getBoundingClientRect();
  return [...document.querySelectorAll(`details:is(.show, .how-we-know) :is(${kinds})`)]
    .filter(each => each.checkVisibility())
    .map(each => [box(each).width, box(each).right - box(each.closest("details")).right]);
}"""


@pytest.fixture
def page(page: Page, site: str) -> Page:
    page.goto(f"{site}/{CHAPTER}.html")
    page.evaluate(SETTLED)
    return page


def shows(page: Page) -> Locator:
    return page.locator("article details.show")


def proofs(page: Page) -> Locator:
    return page.locator("section#how-we-know > details.how-we-know")


def marks(page: Page) -> Locator:
    return page.get_by_role("link", name="How we know", exact=True).locator("css=:scope.how-mark")


def is_open(fold: Locator, opened: bool = True) -> None:
    expect(fold).to_have_js_property("open", opened)


def open_all(page: Page) -> None:
    page.locator("article details:is(.show, .how-we-know)").evaluate_all(OPEN_ALL)
    painted(page)


def led_to(mark: Locator) -> str:
    address = mark.get_attribute("href")
    assert address is not None and address.startswith("#")
    return address


def test_outputs_are_folded_below_code_in_sight_and_open_by_key(page: Page) -> None:
    assert shows(page).count() >= FEWEST_FOLDS
    fold = page.locator("div.cell + details.show").first
    code = fold.locator("xpath=preceding-sibling::div[1]").locator("div.cell_input")
    expect(code).to_be_visible()
    expect(fold.locator(".cell_output").first).to_be_hidden()
    line = fold.locator("summary")
    expect(line).to_have_text("Show")
    box = line.bounding_box()
    assert box is not None and box["height"] >= FINGER
    line.focus()
    page.keyboard.press("Enter")
    expect(fold.locator(".cell_output").first).to_be_visible()
    expect(page.locator("div.cell + details.show[open]")).to_have_count(1)


def test_how_we_know_is_a_heading_and_a_line(page: Page) -> None:
    section = page.locator("section#how-we-know")
    expect(section.locator("> h2")).to_be_visible()
    is_open(proofs(page), False)
    assert section.locator("> *").count() == 2
    entries = proofs(page).locator("> section")
    expect(proofs(page).locator("> summary")).to_have_text(
        f"{entries.count()} entries: seeds, spreads, controls, code"
    )
    listed = page.locator(".bd-sidebar-secondary a[href^='#']")
    addresses = listed.evaluate_all("all => all.map(link => link.hash.slice(1))")
    assert "how-we-know" in addresses
    assert not set(addresses) & set(entries.evaluate_all("all => all.map(each => each.id)"))


def test_a_mark_opens_what_it_leads_to_also_a_second_time(page: Page) -> None:
    mark = marks(page).first
    heading = page.locator(f"{led_to(mark)} :is(h3, h4)").first
    for _ in range(2):
        mark.focus()
        page.keyboard.press("Enter")
        is_open(proofs(page))
        expect(heading).to_be_in_viewport()
        page.keyboard.press("Tab")  # goes on from there
        assert page.evaluate("""address => {
          const from = document.querySelector(address);
          const order = from.compareDocumentPosition(document.activeElement);
          return (order & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
        }""", led_to(mark))  # fmt: skip
        proofs(page).evaluate("fold => { fold.open = false }")


def test_an_address_opens_the_fold(page: Page, site: str) -> None:
    address = led_to(marks(page).last)
    page.goto("about:blank")
    page.goto(f"{site}/{CHAPTER}.html{address}")
    is_open(proofs(page))
    expect(page.locator(f"{address} :is(h3, h4)").first).to_be_in_viewport()
    proofs(page).evaluate("fold => { fold.open = false }")
    page.evaluate("location.hash = '#references'")
    is_open(proofs(page), False)
    page.go_back()
    is_open(proofs(page))


def test_every_mark_leads_into_the_fold_and_a_finger_hits_it(page: Page) -> None:
    assert page.locator("article a", has_text="※").count() == marks(page).count() > 0
    for size in (None, PHONE):
        if size:
            page.set_viewport_size(size)
        for mark in marks(page).all():
            assert mark.get_attribute("title") == "How we know"
            assert proofs(page).locator(led_to(mark)).count() == 1
            box = mark.bounding_box()
            assert box is not None and min(box["width"], box["height"]) >= FINGER


def test_a_result_of_the_search_is_in_sight(page: Page, site: str) -> None:
    word = proofs(page).evaluate(ONLY_FOLDED)
    assert word
    page.goto(f"{site}/search.html?q={word}")
    page.locator(f"#search-results a[href*='{CHAPTER}']").first.click()
    page.wait_for_url(f"**/{CHAPTER}.html*")
    is_open(proofs(page))
    expect(page.locator(".how-we-know .highlighted").first).to_be_visible()


def test_what_is_opened_is_drawn_accessible_and_reached_by_keys(page: Page) -> None:
    assert page.evaluate(PICTURES) == []
    open_all(page)
    assert page.evaluate(FIND_RAW_MATH) == []
    code = proofs(page).locator("div.cell_input:visible")
    assert code.locator("button.copybtn").count() == code.count()
    sizes = page.evaluate(PICTURES)
    assert sizes and all(width > 100 and excess <= 1 for width, excess in sizes)
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
    page.set_viewport_size(PHONE)
    for mode in ("dark", "light"):
        set_mode(page, mode)
        assert page.evaluate(FIND_OVERFLOW) == [], mode
    painted(page)
    assert all(place >= -0.5 for place in page.evaluate(LEFTMOST_GLYPHS))
    assert [box for box in page.evaluate(SCROLLING) if box[1:] != ["right", 0]] == []


def test_the_korean_page_folds_the_same(page: Page, site: str) -> None:
    kinds = ("details.show", "details.how-we-know", "a.how-mark")
    counts = [page.locator(f"article {kind}").count() for kind in kinds]
    page.goto(f"{site}/ko/{CHAPTER}.html")
    assert [page.locator(f"article {kind}").count() for kind in kinds] == counts
    expect(page.locator("details.show > summary").first).to_have_text("펼쳐 보기")
    expect(page.get_by_role("link", name="근거", exact=True).first).to_be_visible()
