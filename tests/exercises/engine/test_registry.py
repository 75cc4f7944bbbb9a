import subprocess
import sys
from importlib import import_module

import pytest

from bottomup.exercises import catalog
from bottomup.exercises.engine.registry import CHAPTERS, find, places

FROM_ONE_CHAPTER = """
import sys
from bottomup.exercises import check, hint, progress, solution
from bottomup.attention import masked_softmax

assert check("masked-softmax", masked_softmax).passed
hint("masked-softmax"), solution("masked-softmax"), progress().solved
try:
    check("maked-softmax", masked_softmax)
except ValueError as error:
    assert "such as 'masked-softmax'" in str(error)
print(*(name for name in sys.modules if name.startswith("bottomup.exercises.")))
"""


def test_the_catalog_is_ordered_by_chapter_and_keyed_by_slug():
    exercises = catalog()
    assert [exercise.slug for exercise in exercises.values()] == list(exercises)
    assert list(exercises)[:6:5] == ["stable-softmax", "bahdanau-step"]
    chapters = [exercise.chapter for exercise in exercises.values()]
    assert chapters == sorted(chapters)
    rooms = [import_module(f"bottomup.exercises.{folder}") for folder in CHAPTERS]
    assert sorted(places()) == sorted(slug for room in rooms for slug in room.EXERCISES)


@pytest.mark.slow
def test_what_asks_for_one_exercise_loads_that_one():
    asked = [sys.executable, "-c", FROM_ONE_CHAPTER]
    loaded = subprocess.run(asked, check=True, capture_output=True, encoding="utf-8").stdout.split()
    parts = [name.split(".")[2:] for name in loaded]
    assert [part for part in parts if part[0] in CHAPTERS and len(part) > 1] == [
        ["attention", "masked_softmax"],
        ["attention", "masked_softmax", "cases"],
    ]


@pytest.mark.parametrize(
    "slug, suggestion",
    [("masked_softmax", "such as 'masked-softmax'"), ("zzz", "'masked-softmax', "), (3, "got 3")],
)
def test_an_exercise_is_loaded_once_and_an_unknown_slug_names_close_matches(slug, suggestion):
    assert find("masked-softmax") is find("masked-softmax") is catalog()["masked-softmax"]
    with pytest.raises(ValueError, match=suggestion):
        find(slug)
