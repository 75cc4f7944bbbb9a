"""Every released page of the Korean edition is Korean, and leads to its English twin.

What is not translated yet is English under a mark, and what the package does not say in Korean yet
is English without one: neither turns a test red (`python -m tools.translate check --release` does).
"""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bottomup import i18n
from tests.browser import Windows
from tests.site.pages import chapter_pages
from tests.site.visit import DESKTOP
from tools.translate import drawn, source, strings
from tools.translate.kept import PLACE, REFERENCE
from tools.translate.pages import all_pages, released

LANGUAGE = "ko"
PAGES = {page.name: page for page in all_pages()}
# Both forms of a particle, of which a reader should see the one that fits.
BOTH_FORMS = re.compile(r"[은는이가을를와과]\([은는이가을를와과]\)|\(으\)로")
# Where English stays: code, figures, formulae, what cells print; names of pages not released.
SKIPPED = {"nav", "script", "style", "pre", "code", "svg", "math", "title"}
SKIPPED_CLASSES = {"math", "cell_output", "output", "citation", "bottomup-drawing", "in-english"}
MOST_BYTES_OF_PLOTS = 3_000_000
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# A word that a script looked up in vain, in any figure of the page.
FIND_UNDEFINED = """() => [...document.querySelectorAll("[data-explorable]")]
  .filter(figure => !figure.shadowRoot || /undefined|NaN/.test(figure.shadowRoot.textContent))
  .map(figure => figure.dataset.explorable)"""
WORD = re.compile(r"[^\W\d_]{2,}")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,]+){5}")


class Read(HTMLParser):
    """Collects the texts of blocks outside code and figures."""

    blocks: tuple[str, ...] = ("p", "li", "td", "h1", "h2", "h3", "summary", "dd", "dt")
    skipped = SKIPPED_CLASSES
    left_out = SKIPPED

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []  # with whether what is inside is left out
        self.texts: list[str] = [""]

    def is_left_out(self, tag: str, own: dict[str, str | None]) -> bool:
        """Say whether what is in an element is not read."""
        return tag in self.left_out or bool(self.skipped & set((own.get("class") or "").split()))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append((tag, self.is_left_out(tag, dict(attrs))))
        if tag in self.blocks:
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        names = [name for name, _ in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]
        if tag in self.blocks:
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        # A word left out may stand between two others.
        self.texts[-1] += " – " if any(hidden for _, hidden in self.open) else data


@cache
def behind() -> list[re.Pattern[str]]:
    """Return what the package still says in English, as patterns of words."""
    done = i18n.read(strings.catalogue(LANGUAGE))
    left = [message for message, _ in strings.messages() if message not in done]
    words = (WORD.findall(PLACE.sub(" ", message)) for message in left)
    return [re.compile(r"\b.*?".join(map(re.escape, each))) for each in words if each]


def english_sentences(html: str) -> list[str]:
    """Return the blocks of a page that hold an English sentence, unmarked, and no Hangul."""
    found = Read()
    found.feed(html)
    texts = (" ".join(text.split()) for text in found.texts)
    # Sentences of the mini-language begin with a small letter.
    wordy = (text for text in texts if SENTENCE.search(text) and not text[0].islower())
    several = (text for text in wordy if len(set(text.split())) > 3)  # and no row of links alike
    return [t for t in several if not re.search("[가-힣]", t) and not REFERENCE.match(t)]


@pytest.mark.parametrize("name", sorted(released(LANGUAGE)))
def test_a_page_is_korean_marks_what_is_not_and_leads_to_its_english_twin(built: Path, name: str):
    page, twin = built / LANGUAGE / f"{name}.html", built / f"{name}.html"
    text = page.read_text("utf-8")
    assert f'<html lang="{LANGUAGE}"' in text
    for here, language, there in ((page, "en", twin), (twin, LANGUAGE, page)):
        link = rf'class="[^"]*language-link" href="([^"]+)" hreflang="{language}"'
        (address,) = re.findall(link, here.read_text("utf-8"))
        assert (here.parent / address).resolve() == there.resolve()
    found = english_sentences(text)
    assert [each for each in found if not any(said.search(each) for said in behind())] == []
    messages = source.untranslated(PAGES[name], LANGUAGE)
    line = source.still_english(len(messages))
    assert (line in text) if line else ("not-translated" not in text)
    marks = re.findall(r'<\w+ class="[^"]*\bin-english\b[^"]*" lang="en"', text)
    assert len(marks) == len(messages)


def test_an_english_sentence_is_seen_and_code_is_none():
    sentence = "This sentence is still in English."
    hidden = (
        f'<section class="mathjax_ignore"><pre>{sentence}</pre><p>우리말이다.</p>{{}}</section>'
    )
    assert english_sentences(hidden.format("")) == []
    assert english_sentences(hidden.format(f'<p class="in-english" lang="en">{sentence}</p>')) == []
    assert english_sentences(hidden.format(f"<p>{sentence}</p>")) == [sentence]


@pytest.mark.parametrize("name", ["book/index", *chapter_pages()])
def test_its_figures_work(windows: Windows, site: str, name: str):
    window = windows.take(viewport=DESKTOP, color_scheme="light")
    page = window.page
    page.goto(f"{site}/{LANGUAGE}/{name}.html")
    for live in page.locator("[data-live-input]").all():
        live.focus()  # the model comes, and with it the panels
    expect(page.locator("[data-live-ready]")).to_have_count(
        page.locator("[data-live-input]").count()
    )
    assert page.evaluate(FIND_UNDEFINED) == []
    assert window.errors == []
    windows.give_back(window)


# Names that stand in Korean titles.
NAMES = re.compile("Binder|Colab|JupyterLab|GitHub|PDF")


TITLES = """buttons => buttons.flatMap(button => [
  ...["title", "aria-label", "data-bs-original-title", "data-tooltip"]
    .map(name => button.getAttribute(name)),
  button.querySelector("svg title")?.textContent,
])"""


def test_what_its_buttons_are_called_is_korean(windows: Windows, site: str):
    window = windows.take(viewport=DESKTOP, color_scheme="light")
    window.page.goto(f"{site}/{LANGUAGE}/chapters/02_self_attention.html")
    expect(window.page.locator(".copybtn").first).to_be_attached()
    titles = window.page.locator(".bd-header-article button, .copybtn").evaluate_all(TITLES)
    windows.give_back(window)
    said = {title for title in titles if title}
    assert {"복사", "클립보드에 복사", "왼쪽 목차 여닫기", "오른쪽 목차 여닫기"} <= said
    assert [title for title in said if re.search("[A-Za-z]{2}", NAMES.sub("", title))] == []


@pytest.mark.parametrize("name", sorted(released(LANGUAGE)))
def test_a_particle_fits_the_sound_before_it(built: Path, name: str):
    found = ReadAll()
    found.feed((built / LANGUAGE / f"{name}.html").read_text("utf-8"))
    assert [text for text in found.texts if BOTH_FORMS.search(text)] == []


@pytest.mark.parametrize("edition, other", [("", f"/{LANGUAGE}"), (f"/{LANGUAGE}", "")])
def test_the_link_to_the_other_language_keeps_query_and_place(
    page: Page, site: str, edition: str, other: str
):
    page.goto(f"{site}{edition}/book/ledger.html?chapter=05#claims")
    page.locator(".language-link").click()
    page.wait_for_url(f"{site}{other}/book/ledger.html?chapter=05*")
    assert page.url.endswith("#claims")
    shown = page.locator("table.ledger tbody tr:visible")
    assert {row.get_attribute("class").split()[0] for row in shown.all()} == {"chapter-05"}


def test_the_link_to_the_other_language_leads_to_the_section_that_is_read(page: Page, site: str):
    page.goto(f"{site}/{LANGUAGE}/chapters/02_self_attention.html")
    page.evaluate(  # at once: what is drawn late moves the text
        """() => {
          document.querySelector("#masks").scrollIntoView({ behavior: "instant" });
          document.querySelector(".language-link").click();
        }"""
    )
    page.wait_for_url(f"{site}/chapters/02_self_attention.html#masks")


def test_a_chapter_opens_as_a_korean_notebook_that_answers_in_korean(built: Path):
    html = (built / LANGUAGE / "chapters/02_self_attention.html").read_text("utf-8")
    places = re.findall(
        r'href="(https://(?:colab|mybinder)[^"]+02_self_attention.ipynb[^"]*)"', html
    )
    assert len(places) > 10
    assert all("/blob/korean/" in place or "/korean?" in place for place in places)
    notebook = json.loads(
        (built / LANGUAGE / "_sources/chapters/02_self_attention.ipynb").read_text("utf-8")
    )
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert 'os.environ["BOTTOMUP_LANGUAGE"] = "ko"' in "".join(first["source"])
    assert "korean" in (built / LANGUAGE / "book/elsewhere.html").read_text("utf-8")


def test_plots_are_korean_drawings_and_weigh_little(built: Path):
    pictures = [*(built / LANGUAGE / "_images").glob("*.svg")]
    assert len(pictures) > 30
    assert sum(picture.stat().st_size for picture in pictures) < MOST_BYTES_OF_PLOTS


# ---- English in a Korean text

RUN = re.compile(r"[A-Za-z][A-Za-z'’-]+(?:[ ,:;]+[A-Za-z][A-Za-z'’-]+){2,}")
LATIN = re.compile(r"[A-Za-z'’-]+")
# What is English on a Korean page, and why.
ALLOWED = re.compile(
    r"[“\"][^”\"]*[”\"]"  # quoted: sentences, sections of papers
    r"|\([A-Za-z][^()]*\)"  # a term's English name, where it is first used; romanised Korean
    r"|(?<=[가-힣][.?])[a-z ]+[.?]"  # Korean of the small language in Latin letters
    r"|\[[^\]]*\]"  # axes of a tensor
    r"|[A-Z][\w.]+(?:, [A-Z][\w.]+)*,? (?:et al|and others|and [A-Z]\w+)"  # authors
)
NAMED = {"em", "i", "q", "cite", "dt"}  # examples and titles; names of glossary entries
APART = {
    "bd-sidebar-primary",
    "bd-sidebar-secondary",
    "bd-footer",
    "navbar-brand",
    "ledger-details",
}
SOURCES = {"references", "where-to-read-on"}  # sections that list papers
# Words of examples that are not of the small language, and what the clinic's cells print.
EXAMPLES = set(
    "red blue green cup hat coat which storm closes airport new york is city mat on los angeles "
    "grandmother attention".split()
)
# A page that quotes notes, half in English, and one whose tables explain what its cells print.
WITH_ENGLISH = {"book/first_notes", "chapters/11_clinic"}


class ReadAll(Read):
    """Collects the texts of blocks outside code, names and lists of papers, figures included."""

    blocks = (*Read.blocks, "text", "desc", "figcaption", "caption", "th", "option", "label", "div")
    skipped = (SKIPPED_CLASSES | APART) - {"cell_output", "output", "bottomup-drawing"}
    left_out = SKIPPED - {"svg"} | NAMED

    def is_left_out(self, tag: str, own: dict[str, str | None]) -> bool:
        return super().is_left_out(tag, own) or own.get("id") in SOURCES or own.get("lang") == "en"


def english_runs(html: str, known: set[str]) -> list[str]:
    """Return where three words of English stand in a row, but for what is allowed."""
    found = ReadAll()
    found.feed(html)
    texts = (ALLOWED.sub("–", " ".join(text.split())) for text in found.texts)
    runs = (run for text in texts for run in RUN.findall(text))
    return [
        run
        for run in runs
        if not all(word[0].isupper() or word.lower() in known for word in LATIN.findall(run))
    ]


@pytest.mark.parametrize("name", sorted(released(LANGUAGE) - WITH_ENGLISH - {"book/bibliography"}))
def test_no_english_is_left_but_what_is_named_here(built: Path, name: str):
    known = {word.lower() for word in drawn.example_words()} | EXAMPLES
    html = (built / LANGUAGE / f"{name}.html").read_text("utf-8")
    assert english_runs(html, known) == []


def test_a_run_of_english_is_seen_where_it_is_not_allowed():
    hidden = (
        "<pre>one two three</pre><p>값 <em>one two three</em> 홉(two words more) [a, bc, de]</p>"
    )
    assert english_runs(hidden, set()) == []
    assert english_runs("<p>값 one two three 이다</p>", set()) == ["one two three"]
    assert english_runs("<svg><text>one two three</text></svg>", {"one", "two", "three"}) == []
    assert english_runs("<svg><text>one two three</text></svg>", set()) == ["one two three"]
