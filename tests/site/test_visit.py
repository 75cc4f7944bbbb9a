"""The checks themselves: each defect of a deliberately broken page is found and named."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser import Windows
from tests.site.links import broken_links, read_page
from tests.site.pages import newer_source
from tests.site.visit import DESKTOP, PHONE, served, visit

HEAD = "<head><title>t</title><link rel='icon' href='data:,'></head>"
PAGE = f"<!doctype html><html lang='en'>{HEAD}{{}}"

# Page -> its body, and the one kind of problem it must be found to have.
BROKEN = {
    "console": ("<script>console.error('boom')</script>", "console errors"),
    "warning": ("<script>console.warn('boom')</script>", "console errors"),
    "exception": ("<script>undefinedName()</script>", "console errors"),
    "remote": ("<script>fetch('http://127.0.0.2:9/x').catch(() => 0)</script>", "remote requests"),
    "missing": ("<script src='nowhere.js'></script>", "failed requests"),
    "image": ("<img src='notes.txt' alt=''>", "images"),
    "dollar": ("<p>the score $e_{ij}$ of a word</p>", "formulae"),
    "bracket": (r"<p>the score \(e_{ij}\) of a word</p>", "formulae"),
    "undrawn": ("<span class='math'>x</span>", "formulae"),
    "error": ("<mjx-merror>Undefined control sequence</mjx-merror>", "formulae"),
    "unnamed": (
        "<article class='bd-article'><img src='data:,'></article>",
        "accessibility, any mode",
    ),
    "faint": (
        "<style>[data-theme=dark] p { color: #ddd }</style>"
        "<article class='bd-article'><p>faint</p></article>",
        "accessibility, dark",
    ),
    "one faint of many": (
        "<style>.faint { color: #ddd }</style><article class='bd-article'>"
        + "<p>text</p>" * 9
        + "<details><summary>s</summary>"
        + "<p class='faint'>hidden</p>" * 9
        + "</details><p class='faint'>shown</p></article>",
        "accessibility, light",
    ),
    "wide in the dark": (
        "<style>html[data-theme=dark] p { width: 900px }</style><p>x</p>",
        "overflow, 390 px, dark",
    ),
    "wide": ("<main><p style='width: 800px'>wide</p></main>", "overflow, 390 px, light"),
}


@pytest.fixture(scope="module")
def broken_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("broken")
    for name, (body, _) in BROKEN.items():
        folder.joinpath(f"{name}.html").write_text(PAGE.format(f"<body>{body}</body>"), "utf-8")
    folder.joinpath("sound.html").write_text(
        PAGE.format("<body><p>It costs $5. <code>$x$</code></p></body>"), "utf-8"
    )
    folder.joinpath("notes.txt").write_text("no image", "utf-8")
    with served(folder) as address:
        yield address


@pytest.mark.parametrize("name", BROKEN)
def test_defect_is_found(page: Page, broken_site: str, name: str) -> None:
    assert BROKEN[name][1] in visit(page, f"{broken_site}/{name}.html").problems


def test_sound_page_has_no_problem(page: Page, broken_site: str) -> None:
    seen = visit(page, f"{broken_site}/sound.html")
    assert seen.problems == {}
    assert seen.title == "t"


def test_a_window_that_was_given_back_has_kept_nothing(windows: Windows, broken_site: str) -> None:
    address, settings = f"{broken_site}/sound.html", {"viewport": DESKTOP, "locale": "ko"}
    window = windows.take(**settings)
    page = window.page
    page.goto(address)
    page.evaluate("localStorage.a = sessionStorage.a = 1")
    page.evaluate("addEventListener('beforeunload', () => { sessionStorage.b = 1 })")
    page.set_viewport_size(PHONE)
    page.emulate_media(media="print")
    page.route("**/*", lambda route: route.abort())
    page.context.new_page()
    windows.give_back(window)
    assert windows.take(**settings) is window
    page.goto(address)
    assert page.context.pages == [page]
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    assert page.evaluate("[innerWidth, matchMedia('print').matches]") == [DESKTOP["width"], False]
    windows.give_back(window)


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("<a href='gone.html'>x</a>", "gone.html (no such file)"),
        ("<a href='other.html#gone'>x</a>", "other.html#gone (no such anchor)"),
        ("<a href='#gone'>x</a>", "#gone (no such anchor)"),
        ("<img src='gone.png' alt=''>", "gone.png (no such file)"),
        ("<a href='/etc/hostname'>x</a>", "/etc/hostname (leaves the site)"),
        ("<a href='/page.html'>x</a>", "/page.html (leaves the site)"),
        ("<video poster='gone.png'></video>", "gone.png (no such file)"),
        ("<img srcset='page.html 1x, gone.png 2x' alt=''>", "gone.png (no such file)"),
        ("<img srcset='gone.png' alt=''>", "gone.png (no such file)"),
        ("<a href='http://NOTES.md'>x</a>", "http://NOTES.md (the name of a file)"),
    ],
)
def test_broken_reference_is_found(tmp_path: Path, reference: str, problem: str) -> None:
    tmp_path.joinpath("page.html").write_text(PAGE.format(reference), "utf-8")
    tmp_path.joinpath("other.html").write_text(PAGE.format("<p id='here'>x</p>"), "utf-8")
    assert broken_links(tmp_path) == [f"page.html: {problem}"]


def test_sound_references_are_not_reported(tmp_path: Path) -> None:
    body = "<a href='page.html?v=1#a%20b'>x</a><a href='https://host/gone'>y</a><p id='a b'>z</p>"
    tmp_path.joinpath("page.html").write_text(PAGE.format(body), "utf-8")
    assert broken_links(tmp_path) == []
    assert read_page(tmp_path / "page.html").anchors == {"a b"}


def test_site_without_stamp_or_older_than_a_source_is_stale(tmp_path: Path) -> None:
    stamp = tmp_path / "html/.built"
    stamp.parent.mkdir()
    for name in ("book/page.md", "src/bottomup/part/style.css", "src/bottomup/part/script.js"):
        source = tmp_path / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("x", "utf-8")
        assert newer_source(tmp_path / "html", tmp_path) == source
        stamp.touch()
        assert newer_source(tmp_path / "html", tmp_path) is None
        os.utime(stamp, (1, 1))
        assert newer_source(tmp_path / "html", tmp_path) == source
        source.unlink()
        stamp.unlink()
