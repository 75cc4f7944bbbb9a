"""What is said about answers to the exercises of chapter 01, beside the name of a mistake."""

import pytest

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine


def test_a_projection_that_is_transposed_is_shown_on_a_case_to_follow_by_hand():
    exercise = catalog()["additive-score"]
    (mistake,) = (each for each in exercise.mistakes if each.slug == "projection-transposed")
    report = examine(exercise, mistake.answers[0])
    assert report.case == "two queries, two keys, all widths two"


@pytest.mark.parametrize("slug", ["additive-score", "general-score", "masked-softmax"])
def test_the_stub_says_that_the_dtype_stays(slug: str):
    assert "same" in catalog()[slug].stub
    assert "dtype" in catalog()[slug].stub
