"""The minutes in the plans for teachers follow the exercises."""

import pytest

from tools.exercises import lessons

PAGE = """# For teachers

Lesson 3: [Heads](../chapters/03_heads.ipynb)
: 45 minutes of reading, 1 of running, 20 of exercises (3.1, 3.3): 66 in all.
: The question, in [Two](../chapters/03_heads.ipynb#two-of-3.9): leaves 3.0 or 3.7?
: Homework: 3.2, 3.4 (30 minutes); 3.5 for those who want more (15 minutes).

Lesson 4: the whole machine
: 10 minutes of reading, 2 of running, 0 of exercises: 12 in all.
: Homework: 3.1, 4.1 (17 minutes).

[Heads](../chapters/03_heads.ipynb) takes an hour and has 65 minutes of exercises.

| 85–90 | Homework: 3.4 (20 minutes), 3.5 for those who want more (15) |
"""
MINUTES = {"3.1": 7, "3.2": 10, "3.3": 13, "3.4": 20, "3.5": 15, "4.1": 10, "13.1": 99}


def changed(minutes: dict[str, int]) -> list[str]:
    """Return the lines that another state of the exercises changes."""
    pairs = zip(PAGE.splitlines(), lessons.renewed(PAGE, minutes).splitlines(), strict=True)
    return [new for old, new in pairs if new != old]


def test_other_minutes_are_added_up_wherever_they_count():
    assert changed({**MINUTES, "3.1": 9, "3.5": 16}) == [
        ": 45 minutes of reading, 1 of running, 22 of exercises (3.1, 3.3): 68 in all.",
        ": Homework: 3.2, 3.4 (30 minutes); 3.5 for those who want more (16 minutes).",
        ": Homework: 3.1, 4.1 (19 minutes).",
        "[Heads](../chapters/03_heads.ipynb) takes an hour and has 68 minutes of exercises.",
        "| 85–90 | Homework: 3.4 (20 minutes), 3.5 for those who want more (16) |",
    ]


def test_a_new_exercise_is_homework_of_the_lesson_on_its_chapter():
    assert changed({**MINUTES, "3.6": 5}) == [
        ": Homework: 3.2, 3.4, 3.6 (35 minutes); 3.5 for those who want more (15 minutes).",
        "[Heads](../chapters/03_heads.ipynb) takes an hour and has 70 minutes of exercises.",
    ]


@pytest.mark.parametrize("number, line", [
    ("3.4", ": Homework: 3.2 (10 minutes); 3.5 for those who want more (15 minutes)."),
    ("3.3", ": 45 minutes of reading, 1 of running, 7 of exercises (3.1): 53 in all."),
])  # fmt: skip
def test_an_exercise_that_is_no_more_is_taken_out(number: str, line: str):
    page = PAGE.partition("| 85–90")[0]
    left = {each: count for each, count in MINUTES.items() if each != number}
    assert line in lessons.renewed(page, left).splitlines()


def test_the_book_s_page_is_as_the_exercises_say():
    page = lessons.PAGE.read_text("utf-8")
    assert lessons.renewed(page, lessons.minutes_by_number()) == page, "tools.exercises write"
