"""Masks by hand, and the errors for lengths and sizes that make no sense."""

import pytest
import torch

from bottomup.masks import (
    causal_mask,
    fixed_masks,
    padding_mask,
    strided_masks,
    window_mask,
)


def test_padding_mask_by_hand():
    mask = padding_mask(torch.tensor([2, 0, 3]))
    assert mask.shape == (3, 1, 3)
    assert mask[:, 0].int().tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 1]]


def test_padding_mask_takes_a_width():
    assert padding_mask(torch.tensor([1]), width=4).int().tolist() == [[[1, 0, 0, 0]]]
    assert padding_mask(torch.tensor([0])).int().tolist() == [[[0]]]


def test_causal_mask_by_hand():
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert causal_mask(1).tolist() == [[True]]


def test_window_mask_by_hand():
    assert window_mask(4, 1).int().tolist() == [
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [0, 1, 1, 1],
        [0, 0, 1, 1],
    ]
    assert torch.equal(window_mask(3, 0), torch.eye(3, dtype=torch.bool))


@pytest.mark.parametrize(
    ("lengths", "width", "error", "message"),
    [
        ([2, 5], 4, ValueError, r"lengths: expected lengths in \[0, 4\], got \[2, 5\]"),
        ([-1], None, ValueError, r"lengths: expected lengths in"),
        ([2.0], None, TypeError, "lengths: expected dtype torch.int64, got torch.float32"),
        ([[2]], None, ValueError, r"lengths: expected axes \[batch\]"),
        ([2], 0, ValueError, "width: expected an integer of at least 1, got 0"),
    ],
)
def test_padding_mask_names_what_is_wrong(lengths, width, error, message):
    with pytest.raises(error, match=message):
        padding_mask(torch.tensor(lengths), width)


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="n: expected an integer of at least 1, got 0"):
        causal_mask(0)
    with pytest.raises(TypeError, match="n: expected an integer, got 2.5"):
        window_mask(2.5, 1)
    with pytest.raises(ValueError, match="width: expected an integer of at least 0, got -1"):
        window_mask(3, -1)


def test_strided_masks_by_hand():
    window, column = strided_masks(5, 2)
    assert window.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert column.int().tolist() == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [1, 0, 1, 0, 1],
    ]


def test_the_papers_window_has_one_position_more_and_the_same_union():
    window, column = strided_masks(11, 3)
    wider, same = strided_masks(11, 3, paper_window=True)
    assert (window[-1].sum(), wider[-1].sum()) == (3, 4)
    assert torch.equal(same, column)
    assert torch.equal(window | column, wider | column)
    # i and, in the paper's window, i - l stand in both sets
    assert (window & column).sum() == 11
    assert (wider & column).sum() == 11 + 8


def test_fixed_masks_by_hand():
    own, summaries = fixed_masks(5, 3, 1)
    assert own.int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert summaries.int().tolist() == [[0] * 5, [0] * 5, *[[0, 0, 1, 0, 0]] * 3]
    assert fixed_masks(5, 3, 2)[1].int().tolist() == [
        [0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        *[[0, 1, 1, 0, 0]] * 2,
        [0, 1, 1, 0, 1],
    ]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: strided_masks(0, 2), ValueError, "n: expected an integer of at least 1, got 0"),
        (lambda: strided_masks(5, 0), ValueError, "stride: expected an integer of at least 1"),
        (lambda: strided_masks(5, 2.0), TypeError, "stride: expected an integer, got 2.0"),
        (lambda: fixed_masks(5, 0), ValueError, "block: expected an integer of at least 1"),
        (lambda: fixed_masks(5, 3, 0), ValueError, "summary: expected an integer of at least 1"),
        (
            lambda: fixed_masks(5, 3, 4),
            ValueError,
            r"summary: expected an integer in \[1, block=3\]",
        ),
    ],
)
def test_sparse_masks_name_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()
