"""Masks by hand, and the errors for lengths and sizes that make no sense."""

import pytest
import torch

from bottomup.masks import (
    causal_mask,
    padding_mask,
    window_mask,
)


def test_padding_mask_by_hand():
    mask = padding_mask(torch.tensor([2, 0, 3]))
    assert mask.shape == (3, 1, 3)
    assert mask[:, 0].int().tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 1]]
    assert padding_mask(torch.tensor([1]), width=4).int().tolist() == [[[1, 0, 0, 0]]]
    assert padding_mask(torch.tensor([0])).int().tolist() == [[[0]]]


def test_causal_and_window_mask_by_hand():
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert causal_mask(1).tolist() == [[True]]
    window = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert window_mask(4, 1).int().tolist() == window
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
