import pytest
import torch
from torch import nn

from bottomup.attention import MultiHeadAttention, prune_heads
from tests.attention.test_multi_head import HEADS, inputs, layer_of, randn
from tests.drawn import global_seed


def off(heads: list[int]) -> torch.Tensor:
    return torch.tensor([head not in heads for head in range(HEADS)])


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("heads", [[], [0], [1], [2], [0, 2], [2, 1]], ids=str)
def test_the_smaller_module_does_what_the_larger_does_with_heads_off(heads, bias):
    layer, tensors = layer_of(bias=bias), inputs()
    smaller = prune_heads(layer, heads)
    got, weights = smaller(*tensors)
    want, all_weights = layer(*tensors, head_mask=off(heads))
    torch.testing.assert_close(got, want, rtol=0, atol=1e-12)
    torch.testing.assert_close(weights, all_weights[:, off(heads)], rtol=0, atol=1e-12)
    assert smaller.num_heads == HEADS - len(heads)


def test_heads_can_be_pruned_one_after_the_other():
    layer, tensors = layer_of(), inputs()
    twice = prune_heads(prune_heads(layer, [0]), [1])  # the second of the two left: head 2
    torch.testing.assert_close(twice(*tensors), prune_heads(layer, [0, 2])(*tensors))


def test_parameters_leave_with_their_head():
    layer = MultiHeadAttention(12, 4, d_value=5)
    count = sum(p.numel() for p in layer.parameters())
    smaller = prune_heads(layer, [3])
    # rows of W_Q and W_K with their biases, rows of W_V with theirs, columns of W_O
    gone = 2 * 3 * (12 + 1) + 5 * (12 + 1) + 12 * 5
    assert sum(p.numel() for p in smaller.parameters()) == count - gone


def test_the_original_is_neither_changed_nor_shared():
    layer = layer_of()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    smaller = prune_heads(layer, [1])
    with torch.no_grad():
        for parameter in smaller.parameters():
            parameter.add_(1)
    assert all(torch.equal(value, before[name]) for name, value in layer.state_dict().items())


def test_the_random_numbers_of_the_program_go_on_as_before():
    layer = layer_of()
    with global_seed(5):
        expected = torch.rand(3)
        torch.manual_seed(5)
        prune_heads(layer, [0])
        assert torch.equal(torch.rand(3), expected)


def test_settings_dtype_device_and_training_mode_are_kept(device):
    layer = layer_of(dropout=0.25).to(device).eval()
    smaller = prune_heads(layer, [0])
    assert (smaller.dropout, smaller.training) == (0.25, False)
    assert (smaller.d_head, smaller.d_value) == (layer.d_head, layer.d_value)
    assert {(p.dtype, p.device) for p in smaller.parameters()} == {
        (p.dtype, p.device) for p in layer.parameters()
    }


def test_a_head_named_twice_is_removed_once():
    layer, x = layer_of(), randn(2, 5, 11)
    assert prune_heads(layer, [1, 1]).num_heads == HEADS - 1
    torch.testing.assert_close(
        prune_heads(layer, [1, 1])(x, x, x), prune_heads(layer, {1})(x, x, x)
    )


@pytest.mark.parametrize(
    "heads, message",
    [
        ([0, 1, 2], r"heads: expected at least one of 3 heads to stay, got \[0, 1, 2\]"),
        ([3], "heads: expected numbers below num_heads=3, got 3"),
        ([-1], "heads: expected an integer of at least 0, got -1"),
    ],
)
def test_heads_that_cannot_be_removed_are_refused(heads, message):
    with pytest.raises(ValueError, match=message):
        prune_heads(layer_of(), heads)


def test_other_modules_and_other_numbers_are_refused():
    with pytest.raises(TypeError, match="module: expected a MultiHeadAttention, got Linear"):
        prune_heads(nn.Linear(2, 2), [0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="heads: expected an integer, got 1.0"):
        prune_heads(layer_of(), [1.0])  # type: ignore[list-item]
    for heads in (None, 1):
        with pytest.raises(TypeError, match=f"heads: expected an iterable of numbers, got {heads}"):
            prune_heads(layer_of(), heads)  # type: ignore[arg-type]
