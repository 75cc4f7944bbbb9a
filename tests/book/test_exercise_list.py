"""The page of exercises: what its directive makes of the catalog and the chapters."""

import json
import re
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import nbformat
import pytest
from docutils import nodes
from exercise_list import listing, places
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bottomup.classroom.report import exercise_numbers
from bottomup.exercises import catalog
from tools.notebooks.paths import all_chapters, chapter_number
from tools.records import prose_of

FIRST = replace(
    catalog()["causal-mask"],
    slug="first-one",
    title="The first one",
    difficulty=1,
    importance=2,
    minutes=5,
)
SECOND = replace(
    FIRST, slug="second-one", title="Half & half", difficulty=4, importance=3, minutes=17
)
TESTED = replace(FIRST, test_minutes=9)
CELLS = [
    new_markdown_cell("# A chapter\n\n## 1. A section"),
    new_markdown_cell(
        "### Exercise 3b.1: Half & half\n\n*Difficulty 4, importance 3 of 5, 17 minutes.* Do it."
    ),
    new_code_cell("### Exercise 3b.9: Not a heading"),
    new_markdown_cell("### Exercise 3b.2: The first one\n\nAnd that."),
]


@cache
def prose(chapter: str) -> str:
    (path,) = [path for path in all_chapters() if chapter_number(path) == chapter]
    return prose_of(path)


@pytest.fixture
def chapter(tmp_path: Path) -> places.Chapter:
    path = tmp_path / "03b_toy.ipynb"
    nbformat.write(new_notebook(cells=CELLS), path)
    return places.read_chapter("03b", path)


def test_title_and_exercises_are_read_off_the_headings_of_a_chapter(chapter: places.Chapter):
    assert (chapter.number, chapter.title) == ("03b", "A chapter")
    assert list(chapter.places.items()) == [
        ("Half & half", places.Place("3b.1", "exercise-3b-1-half-half")),
        ("The first one", places.Place("3b.2", "exercise-3b-2-the-first-one")),
    ]


def test_an_exercise_without_a_heading_is_an_error_that_names_those_there_are(
    chapter: places.Chapter,
):
    with pytest.raises(ValueError, match="chapter 03b has no exercise 'Another'.*'Half & half'"):
        chapter.place("Another")


def test_a_section_lists_the_exercises_in_the_order_of_the_chapter(chapter: places.Chapter):
    section = listing.chapter_section(chapter, [FIRST, SECOND], "03b.html")
    assert section["ids"] == ["chapter-03b"]
    title, about, rows = section.children
    assert title.astext() == "Chapter 03b: A chapter"
    assert about.astext() == "Exercises: 2. Minutes: 22. Read the chapter"
    assert [link["refuri"] for link in about.findall(nodes.reference)] == ["03b.html"]
    assert [row.astext() for row in rows.children] == [
        "3b.1 Half & half difficulty 4, importance 3 of 5, 17 minutes",
        "3b.2 The first one difficulty 1, importance 2 of 5, 5 minutes",
    ]
    assert [row["ids"] for row in rows.children] == [
        ["exercise-second-one"],
        ["exercise-first-one"],
    ]


def test_a_test_stands_below_its_exercise_and_leads_to_its_own_place():
    place = places.Place("3b.2", "exercise-3b-2-the-first-one")
    exercise, test = listing.entries(TESTED, place, "03b.html")
    assert (exercise["ids"], exercise["classes"]) == (["exercise-first-one"], [])
    assert (test["ids"], test["classes"]) == (["test-first-one"], ["exercise-test"])
    assert test.astext() == "The test of 3b.2 9 minutes"
    (link,) = test.findall(nodes.reference)
    assert link["refuri"] == "03b.html#the-test-of-exercise-3b-2"


def test_the_sentences_on_all_exercises_add_up_their_minutes():
    assert listing.summary([FIRST, SECOND] * 5).astext() == (
        "10 exercises, 110 minutes in all, which is about 2 hours."
    )
    assert (
        listing.summary([TESTED, SECOND])
        .astext()
        .endswith("For 1 of them you also write the test: 9 minutes more.")
    )
    said = listing.ticked([TESTED, SECOND])
    assert said.astext().startswith("Ticked off: 0 of 2 exercises, 0 of 1 tests, 0 of 31 minutes.")
    numbers = [(node["classes"], node.astext()) for node in said.findall(nodes.inline)]
    names = ("exercise-ticked-count", "exercise-ticked-tests", "exercise-ticked-minutes")
    assert numbers == [([name], "0") for name in names]


def test_the_progress_of_the_browser_knows_how_many_mistakes_a_test_is_to_catch():
    html = listing.progress([TESTED, SECOND]).astext()
    about = re.search(r'data-about="([^"]*)"', html)
    assert about is not None
    assert json.loads(unescape(about[1]))["mistakes"] == {"first-one": len(FIRST.mistakes)}
    assert '<code>progress(add="bottomup_progress.json")</code>' in html
    assert re.findall(r"<button[^>]*>([^<]*)<", html) == ["Export progress", "Import progress"]


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_the_tests_of_a_chapter_stand_where_the_list_leads(path: Path):
    number = chapter_number(path)
    headings = re.findall(r"^#### (The test of exercise .+)$", prose(number), re.MULTILINE)
    chapter = places.read_chapter(number, path)
    anchors = [
        chapter.place(exercise.title).test_anchor
        for exercise in catalog().values()
        if exercise.chapter == number and exercise.test_minutes
    ]
    assert [nodes.make_id(heading) for heading in headings] == anchors


def test_the_report_of_a_class_numbers_exercises_as_their_chapters_do():
    chapters = {
        chapter_number(path): places.read_chapter(chapter_number(path), path)
        for path in all_chapters()
    }
    assert exercise_numbers() == {
        slug: chapters[each.chapter].place(each.title).number for slug, each in catalog().items()
    }
