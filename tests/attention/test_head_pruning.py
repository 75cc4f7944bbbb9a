import pytest
import torch
from torch import nn

from bottomup.attention import prune_heads
from tests.attention.test_multi_head import layer_of


def test_the_original_is_neither_changed_nor_shared():
    layer = layer_of()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    smaller = prune_heads(layer, [1])
    with torch.no_grad():
        for parameter in smaller.parameters():
            parameter.add_(1)
    assert all(torch.equal(value, before[name]) for name, value in layer.state_dict().items())


def test_settings_dtype_device_and_training_mode_are_kept(device):
    layer = layer_of(dropout=0.25).to(device).eval()
    smaller = prune_heads(layer, [0])
    assert (smaller.dropout, smaller.training) == (0.25, False)
    assert (smaller.d_head, smaller.d_value) == (layer.d_head, layer.d_value)
    assert {(p.dtype, p.device) for p in smaller.parameters()} == {
        (p.dtype, p.device) for p in layer.parameters()
    }


@pytest.mark.parametrize(
    "heads, message",
    [
        ([0, 1, 2], r"heads: expected at least one of 3 heads to stay, got \[0, 1, 2\]"),
        ([3], "heads: expected numbers below num_heads=3, got 3"),
    ],
)
def test_heads_that_cannot_be_removed_are_refused(heads, message):
    with pytest.raises(ValueError, match=message):
        prune_heads(layer_of(), heads)


def test_other_modules_and_other_numbers_are_refused():
    with pytest.raises(TypeError, match="module: expected a MultiHeadAttention, got Linear"):
        prune_heads(nn.Linear(2, 2), [0])  # type: ignore[arg-type]
    for heads in (None, 1):
        with pytest.raises(TypeError, match=f"heads: expected an iterable of numbers, got {heads}"):
            prune_heads(layer_of(), heads)  # type: ignore[arg-type]
