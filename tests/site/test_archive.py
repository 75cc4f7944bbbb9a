"""The site as one file: whole, and at work when opened from a folder, without a server."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from offline_site import archive
from playwright.sync_api import expect

from tests.browser import Windows
from tests.site.visit import DESKTOP, SETTLED


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    with ZipFile(built / archive.NAME) as packed:
        packed.extractall(folder)
    return folder / archive.FOLDER


def test_the_archive_holds_every_page_as_it_is_served(built: Path, unpacked: Path) -> None:
    ours = (path for path in built.rglob("*.html") if built / archive.OTHER not in path.parents)
    pages = {path.relative_to(built) for path in ours}
    assert len(pages) > 30
    assert {path.relative_to(unpacked) for path in unpacked.rglob("*.html")} == pages
    names = {path.name for path in unpacked.rglob("*")}
    assert names & archive.NOT_FOR_READERS == set()  # neither itself nor what only a build reads
    chapter = Path("book/api/attention.html")  # without a link to another edition
    assert unpacked.joinpath(chapter).read_bytes() == built.joinpath(chapter).read_bytes()


@pytest.mark.parametrize(
    "address, depth, link, packed",
    [
        ("https://a/b/", 1, "../ko/x/y.html", "https://a/b/ko/x/y.html"),
        ("https://a/b/", 1, "../x/y.html", "../x/y.html"),
        ("https://a/b/ko/", 1, "../../x/y.html#z", "https://a/b/x/y.html#z"),
        ("https://a/b/ko/", 1, "../x/y.html", "../x/y.html"),
        ("https://a/b/ko/", 0, "../index.html", "https://a/b/index.html"),
    ],
)
def test_a_link_to_the_other_edition_leads_to_the_published_one(
    address: str, depth: int, link: str, packed: str
) -> None:
    html = f'<a href="{link}">'.encode()
    assert archive.with_address(html, depth, address) == f'<a href="{packed}">'.encode()


def test_how_to_use_offers_the_archive(built: Path) -> None:
    html = built.joinpath("book/how_to_use.html").read_text("utf-8")
    (address,) = re.findall(r'<a href="([^"]*)" download', html)
    assert built.joinpath("book", address).resolve() == built.joinpath(archive.NAME).resolve()


def test_pages_and_search_work_from_a_folder(windows: Windows, unpacked: Path) -> None:
    window = windows.take(viewport=DESKTOP, color_scheme="light")
    tab = window.page
    for page in ("book/index", "chapters/03_multi_head_attention", "book/ledger"):
        tab.goto(unpacked.joinpath(f"{page}.html").as_uri())
        tab.evaluate(SETTLED)
        expect(tab.locator("article h1")).to_be_visible()
        explorables = tab.locator("[data-explorable]")
        assert explorables.count() == tab.locator("[data-explorable][data-mounted]").count()
        assert (explorables.count() > 0) == page.startswith(("chapters/", "book/index"))
        assert tab.locator(".math:not(:has(mjx-container))").count() == 0
    tab.goto(unpacked.joinpath("search.html").as_uri() + "?q=superposition")
    chapter = tab.locator('#search-results a[href*="chapters/04_mlp_and_superposition.html"]')
    expect(chapter.first).to_be_visible()
    expect(tab.locator("#search-results .search-summary")).to_contain_text("found")
    assert tab.locator("#search-results p.context").count() == 0  # an excerpt needs a server
    assert window.errors == []
    windows.give_back(window)
