"""Every released page of the Korean edition is Korean, and leads to its English twin.

What is not translated yet is English under a mark, and what the package does not say in Korean yet
is English without one: neither turns a test red (`python -m tools.translate check --release` does).
"""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bottomup import i18n
from tests.browser import Windows
from tests.site.pages import chapter_pages
from tests.site.visit import DESKTOP
from tools.translate import source, strings
from tools.translate.kept import PLACE, REFERENCE
from tools.translate.pages import all_pages, released

LANGUAGE = "ko"
PAGES = {page.name: page for page in all_pages()}
# Where English stays: code, figures, formulae, what cells print; names of pages not released.
SKIPPED = {"nav", "script", "style", "pre", "code", "svg", "math", "title"}
SKIPPED_CLASSES = {"math", "cell_output", "output", "citation", "bottomup-drawing", "in-english"}
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# A word that a script looked up in vain, in any figure of the page.
FIND_UNDEFINED = """() => [...document.querySelectorAll("[data-explorable]")]
  .filter(figure => !figure.shadowRoot || /undefined|NaN/.test(figure.shadowRoot.textContent))
  .map(figure => figure.dataset.explorable)"""
WORD = re.compile(r"[^\W\d_]{2,}")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,]+){5}")


class Read(HTMLParser):
    """Collects the texts of blocks outside code and figures."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.texts: list[str] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag not in VOID:
            self.open.append((tag, own.get("class") or ""))
        if tag in ("p", "li", "td", "h1", "h2", "h3", "summary", "dd", "dt"):
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        names = [name for name, _ in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]
        if tag in ("p", "li", "td", "h1", "h2", "h3", "summary", "dd", "dt"):
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        hidden = any(
            tag in SKIPPED or SKIPPED_CLASSES & set(names.split()) for tag, names in self.open
        )
        if not hidden:
            self.texts[-1] += data


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
