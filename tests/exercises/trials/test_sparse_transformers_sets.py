"""The sets of strided and fixed attention, of chapter 07: by hand, against masks, typical slips."""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.attention import fixed_masks, strided_masks
from bottomup.exercises import catalog
from bottomup.exercises.sparse_transformers.fixed_sets import FUTURE
from bottomup.exercises.sparse_transformers.strided_sets import ENDS
from tests.exercises.trials.verdicts import is_plain, named, report_on, wrong_answers

FIXED_SETS = catalog()["fixed-sets"]
STRIDED_SETS = catalog()["strided-sets"]
fixed_sets = FIXED_SETS.solution
strided_sets = STRIDED_SETS.solution


def test_position_7_of_eleven_by_hand():
    assert strided_sets(7, 3, 11) == ({5, 6, 7}, {1, 4, 7})
    assert strided_sets(2, 5, 13) == ({0, 1, 2}, {2})


def test_positions_7_and_9_of_twelve_by_hand():
    assert fixed_sets(7, 4, 1, 12) == ({4, 5, 6, 7}, {3, 7})
    assert fixed_sets(9, 4, 2, 12) == ({8, 9}, {2, 3, 6, 7})


def test_a_block_that_is_cut_keeps_the_summaries_at_its_places():
    assert fixed_sets(18, 7, 3, 19) == ({14, 15, 16, 17, 18}, {4, 5, 6, 11, 12, 13, 18})


def rows(masks: tuple[torch.Tensor, torch.Tensor], i: int) -> tuple[set[int], ...]:
    return tuple(set(mask[i].nonzero().flatten().tolist()) for mask in masks)


@given(st.integers(1, 19), st.integers(1, 23), st.data())
def test_the_sets_are_the_rows_of_the_masks(size: int, n: int, data: st.DataObject):
    i, summary = data.draw(st.integers(0, n - 1)), data.draw(st.integers(1, size))
    assert strided_sets(i, size, n) == rows(strided_masks(n, size), i)
    assert fixed_sets(i, size, summary, n) == rows(fixed_masks(n, size, summary), i)


def test_the_printed_window_has_another_set_but_the_same_union():
    by_slug = {each.slug: each.wrong for each in STRIDED_SETS.misconceptions}
    printed = by_slug["window-one-too-wide"]
    for case in STRIDED_SETS.cases:
        inputs = case.inputs.values()
        assert set.union(*printed(*inputs)) == set.union(*strided_sets(*inputs))
    assert printed(7, 3, 11) == ({4, 5, 6, 7}, {1, 4, 7})


# ---- Strided


def with_numpy(i, stride, n):
    j = np.arange(n)
    past = j <= i
    return j[past & (i - j < stride)], np.flatnonzero(past & ((i - j) % stride == 0))


def with_generators(i, stride, n):
    return (j for j in range(i + 1) if j > i - stride), (i - s for s in range(0, i + 1, stride))


def with_one_tensor(i, stride, n):
    both = torch.stack(strided_masks(n, stride))[:, i]
    return [mask.nonzero().squeeze(1) for mask in both]


def with_recursion(i, stride, n):
    if i < stride:
        return frozenset(range(i + 1)), (i,)
    _window, column = with_recursion(i - stride, stride, n)
    return frozenset(range(i - stride + 1, i + 1)), (*column, i)


def with_filters(i, stride, n):
    return (
        sorted(range(i + 1), reverse=True)[:stride],
        list(filter(lambda j: not (i - j) % stride, range(i + 1))),
    )


def with_scalars_of_tensors(i, stride, n):
    position = torch.arange(n)
    window = [position[j] for j in range(max(0, i - stride + 1), i + 1)]
    return window, list(position[i % stride : i + 1 : stride])


@pytest.mark.parametrize(
    "answer",
    [with_numpy, with_generators, with_one_tensor, with_recursion, with_filters,
     with_scalars_of_tensors],
)  # fmt: skip
def test_other_ways_to_the_strided_sets_pass(answer: Callable[..., Any]):
    assert report_on(STRIDED_SETS, answer).passed


STRIDED_SLIPS = {
    "later-positions-in-both": [
        lambda i, w, n: (
            [j for j in range(n) if i - j < w],
            [j for j in range(n) if (i - j) % w == 0],
        ),
        lambda i, w, n: (
            range(max(0, i - w + 1), min(n, i + w)),
            [j for j in range(n) if (i - j) % w == 0],
        ),
    ],
    "later-positions-in-the-column": [
        lambda i, w, n: (range(max(0, i - w), i + 1), [j for j in range(n) if (i - j) % w == 0]),
        lambda i, w, n: (range(max(0, i - w + 1), i + 1), range(i % w, n, w)),
    ],
    "later-positions-in-the-window": lambda i, w, n: (
        range(i, min(n, i + w)),
        range(i % w, i + 1, w),
    ),
    "window-one-too-wide": [
        lambda i, w, n: (range(max(0, i - w), i + 1), range(i % w, i + 1, w)),
        lambda i, w, n: (range(i - w, i + 1), range(i % w, i + 1, w)),
    ],
    "own-position-missing": lambda i, w, n: (range(max(0, i - w), i), range(i % w, i, w)),
    "below-zero": [
        lambda i, w, n: (range(i - w + 1, i + 1), range(i % w, i + 1, w)),
        lambda i, w, n: (list(range(n))[i - w + 1 : i + 1], range(i % w, i + 1, w)),
    ],
    "first-position-missing": lambda i, w, n: (range(max(0, i - w + 1), i + 1), range(i, 0, -w)),
    "column-from-zero": lambda i, w, n: (range(max(0, i - w + 1), i + 1), range(0, i + 1, w)),
    "row-for-the-window": lambda i, w, n: (range(i // w * w, i + 1), range(i % w, i + 1, w)),
    "sets-exchanged": lambda i, w, n: strided_sets(i, w, n)[::-1],
    "width-and-distance-exchanged": lambda i, w, n: strided_sets(i, max(1, n // w), n),
}


@wrong_answers(STRIDED_SLIPS)
def test_a_slip_in_the_strided_sets_is_named(wrong, mistake: str):
    assert named(STRIDED_SETS, wrong) == mistake


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


# ---- Fixed


def with_arrays(i, block, summary, n):
    j = np.arange(n)
    return (
        np.nonzero((j // block == i // block) & (j <= i))[0],
        np.nonzero(np.isin(j % block, np.arange(block - summary, block)) & (j <= i))[0],
    )


def with_chunks(i, block, summary, n):
    chunks = [chunk.tolist() for chunk in torch.arange(n).split(block)]
    own = [j for j in chunks[i // block] if j <= i]
    whole = [chunk[block - summary :] for chunk in chunks]
    return own, {j for chunk in whole for j in chunk if j <= i}


def with_places_from_the_end(i, block, summary, n):
    return (
        range(i - i % block, i + 1),
        (j for j in range(i + 1) if block - 1 - j % block < summary),
    )


def with_minus_one(i, block, summary, n):
    return range(i // block * block, i + 1), [j for j in range(i + 1) if -(j + 1) % block < summary]


@pytest.mark.parametrize(
    "answer", [with_arrays, with_chunks, with_places_from_the_end, with_minus_one]
)
def test_other_ways_to_the_fixed_sets_pass(answer: Callable[..., Any]):
    assert report_on(FIXED_SETS, answer).passed


def test_the_rows_of_the_library_s_masks_pass():
    def of_rows(masks, i):
        return [mask[i].nonzero().flatten() for mask in masks]

    assert report_on(STRIDED_SETS, lambda i, w, n: of_rows(strided_masks(n, w), i)).passed
    assert report_on(FIXED_SETS, lambda i, w, c, n: of_rows(fixed_masks(n, w, c), i)).passed


def own(i, block):
    return range(i - i % block, i + 1)


FIXED_SLIPS = {
    "both-sets-leak": lambda i, w, c, n: (
        [j for j in range(n) if j // w == i // w],
        [j for j in range(n) if j % w in range(w - c, w + 1)],
    ),
    "leaky-block": lambda i, w, c, n: (
        range(i // w * w, i // w * w + w),
        fixed_sets(i, w, c, n)[1],
    ),
    "leaky-summaries": lambda i, w, c, n: (own(i, w), [j for j in range(n) if j % w >= w - c]),
    "first-positions-of-a-block": lambda i, w, c, n: (
        own(i, w),
        [j for j in range(i + 1) if j % w < c],
    ),
    "one-summary-short": lambda i, w, c, n: (own(i, w), [j for j in range(i + 1) if j % w > w - c]),
    "one-summary-too-many": lambda i, w, c, n: (
        own(i, w),
        [j for j in range(i + 1) if j % w >= w - c - 1],
    ),
    "one-summary-a-block": [
        lambda i, w, c, n: (own(i, w), range(w - 1, i + 1, w)),
        lambda i, w, c, n: (own(i, w), range(w - c, i + 1, w)),
    ],
    "asks-the-reader-s-place": lambda i, w, c, n: (
        own(i, w),
        [j for j in range(i + 1) if i % w >= w - c],
    ),
    "own-block-s-summaries-missing": lambda i, w, c, n: (
        own(i, w),
        [b + w - k for b in range(0, i - i % w, w) for k in range(1, c + 1)],
    ),
    "no-summaries-in-a-cut-block": lambda i, w, c, n: (
        own(i, w),
        [s + w - k for s in range(0, n - w + 1, w) for k in range(1, c + 1) if s + w - k <= i],
    ),
    "last-positions-of-a-cut-block": [
        lambda i, w, c, n: (
            own(i, w),
            [j for chunk in torch.arange(n).split(w) for j in chunk[-c:].tolist() if j <= i],
        ),
        lambda i, w, c, n: (
            own(i, w),
            [j for chunk in torch.arange(i + 1).split(w) for j in chunk[-c:].tolist()],
        ),
    ],
    "window-for-the-block": lambda i, w, c, n: (
        range(max(0, i - w + 1), i + 1),
        fixed_sets(i, w, c, n)[1],
    ),
    "own-position-missing": lambda i, w, c, n: (range(i - i % w, i), fixed_sets(i, w, c, n)[1]),
    "sets-exchanged": lambda *given: fixed_sets(*given)[::-1],
}


@wrong_answers(FIXED_SLIPS)
def test_a_slip_in_the_fixed_sets_is_named(wrong, mistake: str):
    assert named(FIXED_SETS, wrong) == mistake


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


@pytest.mark.parametrize(
    "literal, inputs, highest",
    [
        (ENDS[0].variants[0], (7, 3, 11), 10),
        (FUTURE[2].wrong, (9, 4, 2, 12), 11),
    ],
)
def test_the_formulas_as_they_are_printed_read_the_future(
    literal: Callable[..., Any], inputs: tuple[int, ...], highest: int
):
    assert max(set.union(*literal(*inputs))) == highest
