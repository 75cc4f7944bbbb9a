import pytest
import torch

from bottomup.attention import sliding_window_mask


def drawn(mask: torch.Tensor) -> list[str]:
    return ["".join("x" if cell else "." for cell in row) for row in mask.tolist()]


def test_a_window_by_hand():
    assert drawn(sliding_window_mask(5, 2)) == ["x....", "xx...", ".xx..", "..xx.", "...xx"]


def test_sinks_by_hand():
    assert drawn(sliding_window_mask(5, 2, sinks=1)) == [
        "x....",
        "xx...",
        "xxx..",
        "x.xx.",
        "x..xx",
    ]


def test_the_last_queries_have_the_last_rows():
    whole = sliding_window_mask(7, 3, sinks=2)
    assert torch.equal(sliding_window_mask(7, 3, sinks=2, first=5), whole[5:])


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="first: expected a position among 5 keys, got 5"):
        sliding_window_mask(5, 2, first=5)
