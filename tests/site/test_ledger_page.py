"""The ledger's table in a browser: chosen by chapter, verdict and words, sorted, linked.

First on a page of claims made up here, then on that of the built site.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from docutils.core import publish_doctree, publish_from_doctree
from playwright.sync_api import Locator, Page, ViewportSize, expect

from bottomup import results
from bottomup.experiments import Claim, EverySeedAbove, Kind
from tests.site.accessibility import findings_in_both_modes
from tests.site.pages import ROOT
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE, served

SCRIPT = ROOT / "book/_static/ledger.js"
LEDGER = "book/ledger"
HOLDS, FAILS, UNDECIDED = (2.0, 3.0, 4.0), (0.0, 0.0, 0.0), (0.0, 3.0, 4.0)
# Number, sentence, paper, what is measured, values.
MADE_UP = (
    ("01.1", "Attention helps.", "Zhou (2001), section 3.10", "BLEU", FAILS),
    ("01b.1", "Windows help.", "Zhou (2001), section 3.2", "BLEU", HOLDS),
    ("02.1a", "Depth helps.", "Ångström (1999)", "perplexity", UNDECIDED),
    ("02.1b", "Depth hurts attention.", "Bo (2010)", "accuracy", HOLDS),
    ("02.2", "Heads agree.", "Bo (2010)", "entropy of the weights", FAILS),
)
ALL = ["01.1", "01b.1", "02.1a", "02.1b", "02.2"]


def made_up(
    number: str, sentence: str, source: str, measured: str, values: tuple[float, ...]
) -> Claim:
    return Claim(
        id=number,
        kind=Kind.PAPER,
        sentence=sentence,
        source=source,
        paper_value="holds and fails",  # words of a verdict, where none is looked for
        measured=measured,
        rule=EverySeedAbove(1.0),
        values=values,
        record="toy/tiny",
        section="How it grows",
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page with the table of `MADE_UP`, served on this machine."""
    from ledger import controls, table  # in book/_ext, which conftest.py adds to the path

    claims = [made_up(*facts) for facts in MADE_UP]
    page = publish_doctree("")
    page += [controls.controls(claims), table.claims_table([(claim, None) for claim in claims])]
    html = publish_from_doctree(page, writer_name="html5").decode()
    folder = tmp_path_factory.mktemp("ledger")
    script = SCRIPT.read_text("utf-8")
    folder.joinpath("ledger.html").write_text(f"{html}<script>{script}</script>", "utf-8")
    with served(folder) as origin:
        yield f"{origin}/ledger.html"


def shown(page: Page) -> list[str]:
    """The claims that are shown, in their order."""
    return page.locator("table.ledger tbody tr:visible .ledger-number").all_inner_texts()


def are_open(page: Page) -> list[str]:
    """The claims whose details show, in their order."""
    return page.locator("table.ledger tr:has(details[open]) .ledger-number").all_inner_texts()


def count(page: Page) -> Locator:
    return page.locator(".ledger-shown")


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def query(page: Page) -> str:
    return page.url.partition("ledger.html")[2]


def test_a_verdict_and_a_chapter_choose_together(page: Page, address: str) -> None:
    page.goto(f"{address}?chapter=99&verdict=maybe&sort=-colour")  # which name nothing
    assert shown(page) == ALL
    expect(page.get_by_label("Chapter").locator("option:checked")).to_have_text("all")
    page.goto(address)
    assert shown(page) == ALL
    expect(count(page)).to_have_text("5 of 5 claims shown.")
    page.get_by_label("Verdict").select_option("holds")
    expect(count(page)).to_have_text("2 of 5 claims shown.")
    assert shown(page) == ["01b.1", "02.1b"]
    page.get_by_label("Chapter").select_option("02")
    expect(count(page)).to_have_text("1 of 5 claims shown.")
    assert shown(page) == ["02.1b"]
    assert query(page) == "?chapter=02&verdict=holds"
    page.get_by_label("Chapter").select_option("01")  # not 01b as well
    expect(count(page)).to_have_text("0 of 5 claims shown.")
    page.get_by_role("button", name="Show all").click()
    expect(count(page)).to_have_text("5 of 5 claims shown.")
    assert shown(page) == ALL
    assert query(page) == ""


@pytest.mark.parametrize(
    "words, found",
    [
        ("ATTENTION", ["01.1", "02.1b"]),  # the sentence
        ("zhou", ["01.1", "01b.1"]),  # the paper
        ("entropy", ["02.2"]),  # what is measured
        (" bleu  windows ", ["01b.1"]),  # every word, wherever it stands
        ("02.1", ["02.1a", "02.1b"]),  # the number
        ("holds", []),  # neither the verdict nor the paper's value
    ],
)
def test_words_are_looked_for_in_claim_paper_and_measure(
    page: Page, address: str, words: str, found: list[str]
) -> None:
    page.goto(address)
    page.get_by_label("Words in claim").fill(words)
    expect(count(page)).to_have_text(f"{len(found)} of 5 claims shown.")
    assert shown(page) == found


def test_the_head_of_a_column_sorts_and_turns_the_order(page: Page, address: str) -> None:
    page.goto(address)
    assert head(page, "Claim").get_attribute("aria-sort") == "ascending"
    head(page, "Paper").get_by_role("button").click()
    # Letters in the order of the alphabet, numbers by their size, equals by the claim's number.
    assert shown(page) == ["02.1a", "02.1b", "02.2", "01b.1", "01.1"]
    assert head(page, "Paper").get_attribute("aria-sort") == "ascending"
    assert head(page, "Claim").get_attribute("aria-sort") is None
    head(page, "Paper").get_by_role("button").click()
    assert shown(page) == ["01.1", "01b.1", "02.1b", "02.2", "02.1a"]
    assert head(page, "Paper").get_attribute("aria-sort") == "descending"
    assert query(page) == "?sort=-paper"
    head(page, "Verdict").get_by_role("button").click()  # in the order of their list
    assert shown(page) == ["02.1a", "01b.1", "02.1b", "01.1", "02.2"]


def test_a_view_is_the_same_where_its_address_is_opened(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Words in claim").fill("helps")
    head(page, "Claim").get_by_role("button").click()
    expect(count(page)).to_have_text("2 of 5 claims shown.")
    assert query(page) == "?words=helps&sort=-claim"
    page.reload()
    assert shown(page) == ["02.1a", "01.1"]
    expect(page.get_by_label("Words in claim")).to_have_value("helps")
    assert head(page, "Claim").get_attribute("aria-sort") == "descending"


def test_keys_choose_and_sort(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Chapter").focus()
    page.keyboard.press("End")
    page.keyboard.press("Tab")  # the kind
    page.keyboard.press("Tab")
    page.keyboard.type("held once")
    page.keyboard.press("Tab")
    page.keyboard.type("attention")
    page.keyboard.press("Enter")
    expect(count(page)).to_have_text("1 of 5 claims shown.")
    assert shown(page) == ["02.1b"]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # shows all
    expect(count(page)).to_have_text("5 of 5 claims shown.")
    page.keyboard.press("Tab")
    expect(page.locator(".ledger-open")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the head of the first column, which is sorted already
    assert shown(page) == ALL[::-1]
    page.locator("table.ledger summary").first.focus()
    page.keyboard.press("Enter")
    assert are_open(page) == ["02.2"]


def test_a_row_opens_when_it_is_pressed_and_a_button_opens_all_that_are_shown(
    page: Page, address: str
) -> None:
    page.goto(f"{address}?chapter=02")
    row, button = page.locator("#claim-02-2"), page.locator(".ledger-open")
    assert are_open(page) == []
    row.locator("summary").click()
    for text in ("holds and fails", "entropy of the weights", "Holds if above 1 in every seed"):
        expect(row.get_by_text(text)).to_be_visible()
    row.locator("summary").click()
    assert are_open(page) == []
    for text, opened in (("Close rows", ["02.1a", "02.1b", "02.2"]), ("Open rows", [])):
        button.click()
        assert are_open(page) == opened
        expect(button).to_have_text(text)


def test_a_link_to_a_claim_opens_it_and_clears_a_filter_that_hides_it(
    page: Page, address: str
) -> None:
    page.goto(f"{address}?verdict=fails&sort=-claim#claim-02-2")
    assert shown(page) == ["02.2", "01.1"]  # one that shows it stays
    assert are_open(page) == ["02.2"]
    page.goto(f"{address}?verdict=holds#claim-02-2")
    assert shown(page) == ALL
    assert query(page) == "#claim-02-2"
    expect(page.locator("#claim-02-2")).to_be_in_viewport()
    expect(page.locator("tr:target .ledger-number")).to_have_text("02.2")
    page.get_by_label("Verdict").select_option("holds")  # and a new choice drops the claim
    expect(count(page)).to_have_text("2 of 5 claims shown.")
    assert query(page) == "?verdict=holds"
    page.evaluate("location.hash = 'claim-02-2'")
    expect(count(page)).to_have_text("5 of 5 claims shown.")
    expect(page.locator("#claim-02-2")).to_be_in_viewport()
    page.go_back()
    expect(count(page)).to_have_text("2 of 5 claims shown.")
    expect(page.get_by_label("Verdict")).to_have_value("holds")


def test_a_file_opened_from_disk_can_be_filtered(page: Page, built: Path) -> None:
    page.goto(f"{built.joinpath(LEDGER).as_uri()}.html?verdict=fails")
    page.get_by_label("Words in claim").fill("xylophone")
    expect(count(page)).to_have_text(re.compile("^0 of "))
    assert query(page) == "?verdict=fails&words=xylophone"


# ---- The page of the built site


@pytest.fixture(scope="module")
def claims() -> list[Claim]:
    """The claims that have a row: all but those that cannot fail."""
    return [claim for claim in results.ledger() if claim.kind is not Kind.IDENTITY]


def standing(claims: list[Claim], verdict: str) -> list[Claim]:
    from ledger.kinds import standing_of

    return [claim for claim in claims if standing_of(claim) == verdict]


def test_without_a_script_the_table_is_whole(
    window: Callable[..., Page], site: str, claims: list[Claim]
) -> None:
    page = window(java_script_enabled=False)
    page.goto(f"{site}/{LEDGER}.html?verdict=fails")
    assert shown(page) == [claim.id for claim in claims]
    expect(page.locator(".ledger-filter")).to_be_hidden()
    assert page.locator("table.ledger button").count() == 0


# What tells the standings apart besides their colours: full, hatched, empty, shaded.
FILLS = """standings => standings.map(standing => {
  const part = document.createElement("span");
  part.className = `ledger-part ledger-${standing}`;
  document.querySelector(".ledger-bar").append(part);
  const { backgroundImage, backgroundColor } = getComputedStyle(part);
  return [backgroundImage.slice(0, 9), backgroundColor === "rgba(0, 0, 0, 0)"];
})"""


@pytest.mark.parametrize(
    ("screen", "tallest"), [(DESKTOP, 40), (PHONE, 60)], ids=["desktop", "phone"]
)
def test_the_built_page_is_chosen_sorted_and_accessible_on_any_screen(
    page: Page, site: str, claims: list[Claim], screen: ViewportSize, tallest: int
) -> None:
    page.set_viewport_size(screen)
    page.goto(f"{site}/{LEDGER}.html")
    found = [claim for claim in claims if claim.kind is Kind.PAPER]
    expect(page.locator(".ledger-summary")).to_contain_text(
        f"{len(found)} statements of papers again, under rules fixed before the reruns"
    )
    bar = page.locator(".ledger-bar")
    assert bar.evaluate("bar => bar.getBoundingClientRect().bottom") < screen["height"]
    expect(page.locator("#identities")).to_contain_text("follow from a definition")
    rows = page.locator("table.ledger tbody tr")
    heights = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    assert 24 <= min(heights) <= max(heights) <= tallest  # 24: what a finger or a pointer hits
    page.get_by_label("Verdict").select_option("fails")
    head(page, "Claim").get_by_role("button").click()
    failed = [claim.id for claim in standing(claims, "fails")]
    expect(count(page)).to_have_text(f"{len(failed)} of {len(claims)} claims shown.")
    assert shown(page) == failed[::-1]
    page.locator(".ledger-open").click()
    assert are_open(page) == failed[::-1]
    assert page.evaluate(FIND_OVERFLOW) == []
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
    assert page.evaluate(FILLS, ["confirmed", "not-confirmed", "undecided", "to-run"]) == [
        ["none", False], ["repeating", True], ["none", True], ["none", False]
    ]  # fmt: skip
