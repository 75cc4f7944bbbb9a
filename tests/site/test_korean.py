"""Every released page of the Korean edition: it is Korean, and leads where it should."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tools.translate.pages import released

LANGUAGE = "ko"
# Where English stays: code, figures, formulae, what cells print.
SKIPPED = {"script", "style", "pre", "code", "svg", "math", "title"}
SKIPPED_CLASSES = ("math", "cell_output", "output", "bibliography", "references", "launch")
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}\b[ ,]+){5}")
PAPER = re.compile(r"(?:[A-Z]\.[ -])+\w")


class Read(HTMLParser):
    """Collects addresses of links, and the texts of blocks outside code and figures."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.texts: list[str] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag == "a" and own.get("href"):
            self.links.append(str(own["href"]))
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
            tag in SKIPPED or any(part in names for part in SKIPPED_CLASSES)
            for tag, names in self.open
        )
        if not hidden:
            self.texts[-1] += data


def read(path: Path) -> Read:
    found = Read()
    found.feed(path.read_text("utf-8"))
    return found


@pytest.fixture(params=sorted(released(LANGUAGE)))
def page(request: pytest.FixtureRequest, built: Path) -> Path:
    return built / LANGUAGE / f"{request.param}.html"


def test_it_is_korean_and_leads_to_its_english_twin(page: Path, built: Path):
    text = page.read_text("utf-8")
    assert f'<html lang="{LANGUAGE}"' in text
    twin = built / page.relative_to(built / LANGUAGE)
    for here, language in ((page, "en"), (twin, LANGUAGE)):
        (address,) = re.findall(
            rf'class="[^"]*language-link" href="([^"]+)" hreflang="{language}"',
            here.read_text("utf-8"),
        )
        other = twin if here == page else page
        assert (here.parent / address).resolve() == other.resolve()


def test_its_links_lead_to_places_that_are_there(page: Path):
    missing = []
    for link in read(page).links:
        parts = urlsplit(link)
        if parts.scheme or not (parts.path or parts.fragment):
            continue
        goal = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        goal = goal / "index.html" if goal.is_dir() else goal
        if not goal.exists():
            missing.append(link)
        elif parts.fragment and goal.suffix == ".html":
            text = goal.read_text("utf-8")
            if f'id="{unquote(parts.fragment)}"' not in text and parts.fragment != "":
                missing.append(link)
    assert missing == []


def test_it_has_no_english_sentence_outside_code_and_figures(page: Path):
    english = [
        " ".join(text.split())
        for text in read(page).texts
        if SENTENCE.search(text) and not re.search("[가-힣]", text) and not PAPER.match(text.strip())
    ]
    assert english == []
