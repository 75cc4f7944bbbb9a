import pytest
import torch

from bottomup.attention import sliding_window_mask
from bottomup.masks import causal_mask


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


def test_without_a_width_it_is_the_causal_mask(device):
    mask = sliding_window_mask(7, device=device)
    assert torch.equal(mask, causal_mask(7, device=device))
    assert mask.device.type == device.type


def test_the_last_queries_have_the_last_rows():
    whole = sliding_window_mask(7, 3, sinks=2)
    assert torch.equal(sliding_window_mask(7, 3, sinks=2, first=5), whole[5:])


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_reach_through_layers(layers):
    width, n = 3, 11
    steps = sliding_window_mask(n, width).double()
    reached = torch.linalg.matrix_power(steps, layers)[-1] > 0
    assert reached.sum() == layers * (width - 1) + 1


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="width: expected an integer of at least 1, got 0"):
        sliding_window_mask(5, 0)
    with pytest.raises(ValueError, match="first: expected a position among 5 keys, got 5"):
        sliding_window_mask(5, 2, first=5)
    with pytest.raises(TypeError, match="sinks"):
        sliding_window_mask(5, 2, sinks=1.5)
