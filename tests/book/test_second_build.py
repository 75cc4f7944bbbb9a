"""A build after a change equals one from nothing."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import second_build
from docutils import nodes
from second_build import inputs, shared

from tests.book import rebuild

PAGES = (
    "book/index",
    "book/teaching",
    "book/glossary",
    "book/ledger",
    "book/bibliography",
    "book/api/masks",
    "chapters/00_warm_up",
    "chapters/02b_intra_attention",
)
TOGETHER = ("a chapter", "the glossary", "a docstring", "a style sheet", "a record")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small copy of the book, built."""
    folder = tmp_path_factory.mktemp("book")
    rebuild.copy_sources(folder)
    rebuild.cut(folder, PAGES)
    assert len(rebuild.pages_read(rebuild.build(folder))) == len(PAGES)
    return folder


@pytest.mark.slow
def test_nothing_changed_gives_the_same_site_and_reads_no_page(book: Path):
    before = rebuild.contents(book)
    assert rebuild.pages_read(rebuild.build(book)) == []
    assert rebuild.differing(before, rebuild.contents(book)) == []
    assert "book/glossary.html" in before
    assert '"term-' in book.joinpath("_build/html/searchindex.js").read_text("utf-8")


@pytest.mark.slow
def test_a_sentence_is_written_into_its_page_alone_and_leaves_nothing_when_taken_back(book: Path):
    page = "chapters/02b_intra_attention"
    before, path = rebuild.contents(book), book / f"{page}.ipynb"
    text = path.read_text("utf-8")
    rebuild.EDITS["a sentence"](book)
    printed = rebuild.build(book)
    assert rebuild.pages_read(printed) == [page]
    assert rebuild.pages_written(printed) == [PAGES[0], page]
    for name in ("searchindex.js", f"{page}.html"):
        assert "floccinaucin" in book.joinpath("_build/html", name).read_text("utf-8")
    path.write_text(text, "utf-8")
    assert rebuild.pages_written(rebuild.build(book)) == [PAGES[0], page]
    assert rebuild.differing(before, rebuild.contents(book)) == []


@pytest.mark.slow
def test_edits_give_the_site_of_a_build_from_nothing_which_a_warning_makes_the_next_one(book: Path):
    for name in TOGETHER:
        rebuild.EDITS[name](book)
    read = rebuild.pages_read(rebuild.build(book))
    shows_code = {"book/api/masks", "book/index", "book/ledger"}
    assert set(read) == {*shows_code, "book/glossary", "chapters/00_warm_up"}
    site = book / "_build/html"
    search = site.joinpath("searchindex.js").read_text("utf-8")
    assert '"anotherterm"' in search
    assert "antidisestablish" in search
    assert "Another title" in site.joinpath("book/glossary.html").read_text("utf-8")

    rebuild.EDITS["a page less"](book)
    assert len(rebuild.pages_read(rebuild.build(book))) == len(PAGES) - 1
    again = rebuild.contents(book)
    assert [name for name in again if "teaching" in name] == []

    path = book / "book/glossary.md"
    text = path.read_text("utf-8")
    path.write_text(text + "\n```{no-such-directive}\n```\n", "utf-8")
    with pytest.raises(RuntimeError, match="no-such-directive"):
        rebuild.build(book, "-W")
    assert not list(book.rglob("environment.pickle"))  # so that the next build gives it again
    path.write_text(text, "utf-8")
    assert len(rebuild.pages_read(rebuild.build(book, "-W"))) == len(PAGES) - 1
    assert rebuild.differing(again, rebuild.contents(book)) == []


def test_only_a_folder_that_sphinx_made_is_emptied(tmp_path: Path):
    mine = tmp_path / "mine.txt"
    tmp_path.joinpath("book").mkdir()
    mine.touch()
    second_build.empty(tmp_path)
    assert mine.exists()
    tmp_path.joinpath(".buildinfo").touch()
    second_build.empty(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".buildinfo"]


def test_of_a_chapter_the_headings_count_where_exercises_are_listed(tmp_path: Path):
    chapter = tmp_path / "chapters/00_a.ipynb"
    chapter.parent.mkdir()

    def digest(*lines: str) -> str:
        cells = [
            {"cell_type": "markdown", "source": [f"{line}\n" for line in lines]},
            {"cell_type": "code", "source": [f"# {lines}"]},
        ]
        chapter.write_text(json.dumps({"cells": cells}), "utf-8")
        inputs.digest.cache_clear()
        return inputs.digest(tmp_path, "headings")

    assert digest("# One", "prose") == digest("# One", "another prose")
    assert digest("# One", "prose") != digest("# Two", "prose")


def test_what_pages_tell_each_other_is_compared_whatever_its_order():
    title = nodes.title("", "One")
    kept = {"a": title, "b": {"x", "y"}}
    assert shared.plain(kept) == shared.plain({"b": {"y", "x"}, "a": title.deepcopy()})
    assert shared.plain(kept) != shared.plain(kept | {"a": nodes.title("", "Two")})
    assert shared.plain([1, 2]) != shared.plain([2, 1])
    assert shared.of_others({"wordcount": 7, "code": ["f"], "inputs": {}}) == {"code": ["f"]}


@pytest.mark.parametrize("path", ["book/_ext/mine/__init__.py", "_config.yml", "requirements.txt"])
def test_what_pages_are_read_with_is_compared(tmp_path: Path, path: str):
    app = SimpleNamespace(srcdir=tmp_path, doctreedir=tmp_path / "doctrees")
    kept = app.doctreedir / "environment.pickle"
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("before", "utf-8")

    def is_kept() -> bool:
        kept.parent.mkdir(exist_ok=True)
        kept.touch()
        inputs.digest.cache_clear()
        second_build.forget_other_settings(app, None)
        return kept.exists()

    assert not is_kept()  # nobody knows what it was read with
    assert is_kept()
    file.write_text("after", "utf-8")
    assert not is_kept()
