"""The plans for teachers: they fit into lessons, and their reading is that of the chapters.

`tools.exercises.lessons` writes the minutes of exercises, and `tests/tools/test_lessons.py` asks
whether the page has them.
"""

import re

import pytest

from tools.exercises.lessons import minutes_by_number
from tools.notebooks.paths import ROOT
from tools.records import prose_of

PAGE = ROOT.joinpath("book/teaching.md").read_text(encoding="utf-8")
LESSON = re.compile(
    r"^(?P<name>.+)\n: (?P<reading>\d+) minutes of reading, \d+ of running, \d+ of exercises"
    r"(?: \([^)]+\))?: (?P<all>\d+) in all\.$",
    re.MULTILINE,
)
LESSONS = list(LESSON.finditer(PAGE))
CHAPTER = re.compile(r"\(\.\./chapters/(.+)\.ipynb\)$")
WHOLE = [lesson for lesson in LESSONS if CHAPTER.search(lesson["name"])]  # a chapter each
LONGEST = 75  # of 90: the rest is for the question and for talk


def stated(chapter: str) -> int:
    """The minutes of reading that a chapter states at its top."""
    prose = prose_of(ROOT / "chapters" / f"{chapter}.ipynb")
    (found,) = re.findall(r"Reading takes about (an hour|\d+ minutes)", prose)
    return 60 if found == "an hour" else int(found.split()[0])


def test_there_are_plans_of_one_three_and_nine_lessons_that_leave_time_to_talk():
    assert len(LESSONS) == 1 + 3 + 9
    assert len(WHOLE) == 9
    assert max(int(lesson["all"]) for lesson in LESSONS) <= LONGEST


@pytest.mark.parametrize("lesson", WHOLE, ids=lambda lesson: lesson["name"][:40])
def test_a_lesson_on_a_whole_chapter_reads_as_long_and_places_each_exercise(lesson: re.Match[str]):
    chapter = CHAPTER.search(lesson["name"])[1]
    text = PAGE[lesson.start() :].split("\n\n")[0]
    reading, is_cut = int(lesson["reading"]), "longer than a lesson" in text
    assert reading < stated(chapter) if is_cut else reading == stated(chapter)
    assert is_cut or "Leave out" not in text
    lines = text.splitlines()
    said = [line for line in lines if line.startswith((": Homework", f": {lesson['reading']} min"))]
    placed = re.findall(r"\b\d\.\d\b", " ".join(said))
    own = f"{int(chapter.split('_')[0])}."
    assert sorted(placed) == sorted(each for each in minutes_by_number() if each.startswith(own))


def test_the_plan_for_one_chapter_fills_ninety_minutes():
    spans = [(int(a), int(b)) for a, b in re.findall(r"^\| (\d+)–(\d+) \|", PAGE, re.MULTILINE)]
    assert [end for _, end in spans[:-1]] == [start for start, _ in spans[1:]]
    assert (spans[0][0], spans[-1][1]) == (0, 90)
    for start, end, number in re.findall(r"^\| (\d+)–(\d+) \| Exercise (4\.\d)", PAGE, re.M):
        assert int(end) - int(start) == minutes_by_number()[number]
