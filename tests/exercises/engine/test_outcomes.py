"""Outcomes that were worked out before: a check says the same with them."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
import torch

from bottomup.exercises.engine import diagnose, outcomes, runner
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.outcomes import Outcomes, Run, Wrong
from bottomup.exercises.engine.registry import find


@pytest.fixture
def nothing_known() -> Iterator[None]:
    def forget() -> None:
        outcomes.LOADED.clear()
        diagnose._wrong_answers.cache_clear()
        runner._expected_values.cache_clear()

    forget()
    yield
    forget()


def test_what_was_saved_is_loaded_with_equal_tensors_once(nothing_known: None):
    tensor = torch.tensor([[1.5, float("nan")], [-0.0, 1e-30]])
    values = (
        tensor,
        tensor.double(),
        torch.tensor([True, False]),
        torch.zeros(0, 3),
        tensor.half(),
        Fraction(1, 3),
    )
    names = np.array([["a", "b"]], dtype=object)
    wrong = Wrong(
        (Run(tensor.clone(), None), Run(None, IndexError("here"))), (True, True), (False, False)
    )
    outcomes.load("some", outcomes.saved(Outcomes((*values, names), (wrong,))))
    read = outcomes.LOADED["some"]
    for got, expected in zip(read.expected[:5], values[:5], strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)
    assert read.expected[5] == Fraction(1, 3)
    assert (read.expected[6] == names).all()
    assert read.wrong[0].wrong == (True, True)
    first, second = read.wrong[0].runs
    assert first.value is read.expected[0]
    assert isinstance(second.error, IndexError)


@pytest.mark.parametrize("slug", ["stable-softmax", "bleu-clipping", "whitening"])
def test_a_report_is_the_same_and_nothing_of_the_catalogue_is_run(
    slug: str, nothing_known: None, monkeypatch: pytest.MonkeyPatch
):
    exercise = find(slug)
    answers = [mistake.forms[-1].answer for mistake in exercise.mistakes]
    answers = [*answers, exercise.solution, *exercise.also_wrong]
    before = [repr(examine(exercise, answer)) for answer in answers]
    kept = outcomes.saved(diagnose.outcomes(exercise))
    diagnose._wrong_answers.cache_clear()
    runner._expected_values.cache_clear()
    outcomes.load(slug, kept)
    monkeypatch.delattr(runner, "attempt")  # what runs the solution
    monkeypatch.delattr(diagnose, "attempt")  # and the wrong answers
    assert [repr(examine(exercise, answer)) for answer in answers] == before
