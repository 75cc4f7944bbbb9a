"""The plans for teachers: their minutes are those of the chapters and exercises, and they fit."""

import re

import pytest
from exercise_list import places

from bottomup.exercises import catalog
from tools.notebooks.paths import ROOT, all_chapters, chapter_number
from tools.records import prose_of

PAGE = ROOT.joinpath("book/teaching.md").read_text(encoding="utf-8")
LESSON = re.compile(
    r"^(?P<name>.+)\n: (?P<reading>\d+) minutes of reading, (?P<running>\d+) of running, "
    r"(?P<solving>\d+) of exercises(?: \((?P<exercises>[^)]+)\))?: (?P<all>\d+) in all\.$",
    re.MULTILINE,
)
LESSONS = list(LESSON.finditer(PAGE))
HOMEWORK = re.findall(r"^: Homework: (.+?) \((\d+) minutes\)", PAGE, re.MULTILINE)
CHAPTER = re.compile(r"\(\.\./chapters/(.+)\.ipynb\)$")
LONGEST = 75  # of 90: the rest is for the question and for talk


def minutes_by_number() -> dict[str, int]:
    """The minutes of each exercise by the number that it has in its chapter."""
    chapters = {
        chapter_number(path): places.read_chapter(chapter_number(path), path)
        for path in all_chapters()
    }
    return {
        chapters[each.chapter].place(each.title).number: each.minutes for each in catalog().values()
    }


MINUTES = minutes_by_number()


def total(numbers: str | None) -> int:
    return sum(MINUTES[number] for number in numbers.split(", ")) if numbers else 0


def stated(chapter: str) -> int:
    """The minutes of reading that a chapter states at its top."""
    prose = prose_of(ROOT / "chapters" / f"{chapter}.ipynb")
    (found,) = re.findall(r"Reading takes about (an hour|\d+ minutes)", prose)
    return 60 if found == "an hour" else int(found.split()[0])


def test_there_are_plans_of_one_three_and_nine_lessons():
    assert len(LESSONS) == len(HOMEWORK) == 1 + 3 + 9
    assert len([lesson for lesson in LESSONS if CHAPTER.search(lesson["name"])]) == 9


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson["name"][:40])
def test_the_minutes_of_a_lesson_add_up_and_leave_time_to_talk(lesson: re.Match[str]):
    parts = [int(lesson[part]) for part in ("reading", "running", "solving")]
    assert total(lesson["exercises"]) == parts[2]
    assert sum(parts) == int(lesson["all"]) <= LONGEST


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson["name"][:40])
def test_a_lesson_on_a_whole_chapter_reads_as_long_as_the_chapter_says(lesson: re.Match[str]):
    chapter = CHAPTER.search(lesson["name"])
    if chapter is None:
        return
    text = PAGE[lesson.end() :].split("\n\n")[0]
    reading = int(lesson["reading"])
    assert reading == stated(chapter[1]) or "longer than a lesson" in text
    assert reading <= stated(chapter[1])


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson["name"][:40])
def test_a_lesson_on_a_whole_chapter_places_each_exercise(lesson: re.Match[str]):
    chapter = CHAPTER.search(lesson["name"])
    if chapter is None:
        return
    lines = PAGE[lesson.start() :].split("\n\n")[0].splitlines()
    said = [line for line in lines if line.startswith((": Homework", f": {lesson['reading']} min"))]
    placed = re.findall(r"\b\d\.\d\b", " ".join(said))
    own = f"{int(chapter[1].split('_')[0])}."
    assert sorted(placed) == sorted(number for number in MINUTES if number.startswith(own))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson["name"][:40])
def test_a_whole_chapter_is_cut_only_where_time_is_short(lesson: re.Match[str]):
    text = PAGE[lesson.end() :].split("\n\n")[0]
    if CHAPTER.search(lesson["name"]) and "longer than a lesson" not in text:
        assert "Leave out" not in text


@pytest.mark.parametrize("numbers, minutes", HOMEWORK)
def test_the_minutes_of_homework_are_those_of_its_exercises(numbers: str, minutes: str):
    assert total(numbers) == int(minutes)


def test_the_plan_for_one_chapter_fills_ninety_minutes():
    spans = [(int(a), int(b)) for a, b in re.findall(r"^\| (\d+)–(\d+) \|", PAGE, re.MULTILINE)]
    assert [end for _, end in spans[:-1]] == [start for start, _ in spans[1:]]
    assert (spans[0][0], spans[-1][1]) == (0, 90)
    solved = dict(re.findall(r"^\| (\d+–\d+) \| Exercise (4\.\d)", PAGE, re.MULTILINE))
    for span, number in solved.items():
        start, end = map(int, span.split("–"))
        assert end - start == MINUTES[number]
    also = re.findall(r"(4\.\d) for those who want more \((\d+)\)", PAGE)
    assert also == [("4.6", str(MINUTES["4.6"]))]
    (homework,) = re.findall(
        r"^\| 85–90 \| Homework: ([\d., ]+) \((\d+) minutes\)", PAGE, re.MULTILINE
    )
    assert total(homework[0]) == int(homework[1])
    assert f"has {total('4.1, 4.2, 4.3, 4.4, 4.5, 4.6')} minutes of exercises" in PAGE
