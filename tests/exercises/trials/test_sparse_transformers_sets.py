"""The sets of strided and fixed attention, of chapter 07: against masks, and words of reports."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.attention import fixed_masks, strided_masks
from bottomup.exercises import Exercise, catalog
from bottomup.exercises.engine.checking import examine
from tests.exercises.trials.verdicts import is_plain

FIXED_SETS = catalog()["fixed-sets"]
STRIDED_SETS = catalog()["strided-sets"]
fixed_sets = FIXED_SETS.solution
strided_sets = STRIDED_SETS.solution


def wrong_answers_to(exercise: Exercise, mistake: str) -> tuple[Callable[..., Any], ...]:
    return next(each.answers for each in exercise.mistakes if each.slug == mistake)


def rows(masks: tuple[torch.Tensor, torch.Tensor], i: int) -> tuple[set[int], ...]:
    return tuple(set(mask[i].nonzero().flatten().tolist()) for mask in masks)


@given(st.integers(1, 19), st.integers(1, 23), st.data())
def test_the_sets_are_the_rows_of_the_masks(size: int, n: int, data: st.DataObject):
    i, summary = data.draw(st.integers(0, n - 1)), data.draw(st.integers(1, size))
    assert strided_sets(i, size, n) == rows(strided_masks(n, size), i)
    assert fixed_sets(i, size, summary, n) == rows(fixed_masks(n, size, summary), i)


def test_the_rows_of_the_library_s_masks_pass():
    def of_rows(masks, i):
        return [mask[i].nonzero().flatten() for mask in masks]

    assert examine(STRIDED_SETS, lambda i, w, n: of_rows(strided_masks(n, w), i)).passed
    assert examine(FIXED_SETS, lambda i, w, c, n: of_rows(fixed_masks(n, w, c), i)).passed


def test_the_printed_window_has_another_set_but_the_same_union():
    printed = wrong_answers_to(STRIDED_SETS, "window-one-too-wide")[0]
    for case in STRIDED_SETS.cases:
        inputs = case.inputs.values()
        assert set.union(*printed(*inputs)) == set.union(*strided_sets(*inputs))
    assert printed(7, 3, 11) == ({4, 5, 6, 7}, {1, 4, 7})


def test_the_formulas_as_they_are_printed_read_the_future():
    strided = wrong_answers_to(STRIDED_SETS, "later-positions-in-the-column")[1]
    fixed = wrong_answers_to(FIXED_SETS, "both-sets-leak")[0]
    assert max(set.union(*strided(7, 3, 11))) == 10
    assert max(set.union(*fixed(9, 4, 2, 12))) == 11


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *given: set.union(*strided_sets(*given)), "type set, expected 2 values"),
        (lambda i, w, n: [mask[i] for mask in strided_masks(n, w)],
         "It returned a mask of truth values as the window, expected positions: whole numbers, "
         "such as {2, 5}. Take the positions where it is true: `mask.nonzero()`, flattened."),
        (lambda i, w, n: [mask[i].numpy() for mask in strided_masks(n, w)], "a mask of truth"),
        (lambda i, w, n: [mask[i].nonzero() for mask in strided_masks(n, w)],
         "It returned a tensor of shape (3, 1) as the window, expected positions: whole numbers, "
         "such as {2, 5}. `nonzero()` gives a row for each position: flatten it."),
        (lambda *given: [torch.tensor(sorted(part)).float() for part in strided_sets(*given)],
         "It returned a tensor of floats as the window, expected positions: whole numbers, such as "
         "{2, 5}. Positions are counted with whole numbers: convert"),
        (lambda i, w, n: [mask[i].numpy().nonzero() for mask in strided_masks(n, w)],
         "a value of type tuple that holds arrays as the window"),
        (lambda i, w, n: [mask[i].tolist() for mask in strided_masks(n, w)],
         "a value of type list that holds truth values as the window"),
        (lambda i, w, n: strided_masks(n, w), "It returned a tensor of shape (11, 11) as the"),
        (lambda i, w, n: (["5", "6", "7"], {1, 4, 7}), "of type list that holds other things as"),
        (lambda *given: [[float(j) for j in part] for part in strided_sets(*given)],
         "a value of type list that holds floats"),
        (lambda i, w, n: (i, i), "It returned a number as the window"),
        (lambda i, w, n: (strided_sets(i, w, n)[0], None), "It returned None as the column"),
        (lambda *given: [[*part, max(part)] for part in strided_sets(*given)],
         "The window has 7 more than once."),
        (lambda i, w, n: ({i}, strided_sets(i, w, n)[1]), "The window lacks 5, 6."),
        (lambda i, w, n: (count(), count(i, -w)), "The window has 0, 1, 2, 3, 4, 8, 9, 10, … too"),
        (lambda i, w, n: strided_sets(i + 1, w, n),
         "The window lacks 5. The window has 8 too many."),
        (lambda i, w, n: (range(200), range(200)),
         "The window has 0, 1, 2, 3, 4, 8, 9, 10, … too many."),
    ],
)  # fmt: skip
def test_other_strided_sets_get_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(STRIDED_SETS, answer, sentence)


def own(i, block):
    return range(i - i % block, i + 1)


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *given: set.union(*fixed_sets(*given)), "type set, expected 2 values"),
        (lambda i, w, c, n: (own(i, w), {j // w for j in fixed_sets(i, w, c, n)[1]}),
         "The set of summaries lacks 3, 7. The set of summaries has 0, 1 too many."),
        (lambda i, w, c, n: (range(w), fixed_sets(i, w, c, n)[1]),
         "The own block lacks 4, 5, 6, 7. The own block has 0, 1, 2, 3 too many."),
        (lambda i, w, c, n: {"own": own(i, w), "summaries": ()}, "type dict, expected 2 values"),
        (lambda i, w, c, n: (own(i, w), set()), "The set of summaries lacks 3, 7."),
    ],
)  # fmt: skip
def test_other_fixed_sets_get_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(FIXED_SETS, answer, sentence)
