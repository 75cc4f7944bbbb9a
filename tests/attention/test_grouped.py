from functools import partial

import pytest
import torch

from bottomup.attention import (
    GroupedCache,
    GroupedQueryAttention,
    MultiHeadAttention,
    alibi_bias,
    fused_attention,
    grouped_attention,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from bottomup.blocks import rotate_positions
from tests.drawn import randn

BATCH, HEADS, GROUPS, N, KEYS, D_KEY, D_VALUE = 2, 6, 3, 5, 7, 11, 13
EACH = HEADS // GROUPS


def drawn() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        randn(BATCH, HEADS, N, D_KEY),
        randn(BATCH, GROUPS, KEYS, D_KEY, seed=1),
        randn(BATCH, GROUPS, KEYS, D_VALUE, seed=2),
    )


def module(**options) -> GroupedQueryAttention:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return GroupedQueryAttention(12, HEADS, GROUPS, **options).double()


def test_heads_of_a_group_read_its_values():
    query = torch.zeros(4, 1, 2, dtype=torch.float64)  # every key gets the same weight
    key = randn(2, 3, 2)
    value = torch.tensor([[[1.0], [2], [6]], [[10], [20], [60]]], dtype=torch.float64)
    read, weights = grouped_attention(query, key, value)
    assert read.flatten().tolist() == pytest.approx([3, 3, 30, 30])
    assert weights.shape == (4, 1, 3)


@pytest.mark.parametrize("attend", [scaled_dot_product_attention, fused_attention])
def test_it_is_multi_head_attention_with_copies(attend):
    query, key, value = drawn()
    mask = sliding_window_mask(KEYS, 4, first=KEYS - N)
    read, weights = grouped_attention(query, key, value, mask, attend=attend)
    copies = (each.repeat_interleave(EACH, dim=1) for each in (key, value))
    expected, expected_weights = scaled_dot_product_attention(query, *copies, mask)
    torch.testing.assert_close(read, expected)
    if weights is not None:
        torch.testing.assert_close(weights, expected_weights)


def test_copies_in_another_order_agree_at_the_ends_alone():
    query, key, value = drawn()
    read, _ = grouped_attention(query, key, value)
    tiled = (each.repeat(1, EACH, 1, 1) for each in (key, value))
    wrong, _ = scaled_dot_product_attention(query, *tiled)
    differs = ((read - wrong).abs() > 1e-9).flatten(2).any(dim=-1).any(dim=0)
    assert differs.tolist() == [False, True, True, True, True, False]


def test_it_passes_gradcheck():
    inputs = (randn(1, 4, 2, 3), randn(1, 2, 3, 3, seed=1), randn(1, 2, 3, 2, seed=2))
    given = tuple(tensor.requires_grad_() for tensor in inputs)
    assert torch.autograd.gradcheck(lambda *each: grouped_attention(*each)[0], given)


def test_the_module_with_as_many_groups_as_heads_is_multi_head_attention(device):
    grouped = GroupedQueryAttention(12, 3, 3).double().to(device)
    plain = MultiHeadAttention(12, 3, bias=False).double().to(device)
    plain.load_state_dict(grouped.state_dict())
    x = randn(BATCH, N, 12).to(device)
    mask = sliding_window_mask(N, device=device)
    output, weights = grouped(x, mask)
    expected, expected_weights = plain(x, x, x, causal=True)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights, expected_weights)


def test_the_weights_are_counted_as_stated():
    attention = module()
    count = sum(parameter.numel() for parameter in attention.parameters())
    assert count == 2 * attention.d_head * 12 * (HEADS + GROUPS)
    assert module(d_head=5).W_V.weight.shape == (15, 12)


def test_queries_and_keys_are_turned_and_values_are_not():
    attention, x = module(), randn(BATCH, N, 12)
    attention.W_V.weight.data.zero_()
    turned, _ = attention(x, turn=rotate_positions)
    assert not turned.any()
    attention = module()
    plain, weights = attention(x)
    _moved, moved_weights = attention(x, turn=rotate_positions)
    assert (weights - moved_weights).abs().max() > 0.01
    same, _ = attention(x, turn=lambda heads: 1.0 * heads)
    torch.testing.assert_close(same, plain)


def test_a_bias_is_added_to_the_scores_of_each_head():
    attention, x = module(), randn(BATCH, N, 12)
    mask, bias = sliding_window_mask(N), alibi_bias(HEADS, N)
    _, plain = attention(x, mask)
    _, weights = attention(x, mask, bias=bias)
    expected = (plain.log() + bias).softmax(dim=-1)
    torch.testing.assert_close(weights, expected)


@pytest.mark.parametrize("steps", [[1] * 5, [2, 3], [4, 1]])
def test_a_cache_gives_the_rows_of_one_pass(steps):
    attention, x = module(), randn(BATCH, N, 12)
    expected, _ = attention(x, sliding_window_mask(N, 3), turn=rotate_positions)
    cache, first = GroupedCache(attention, batch=BATCH, max_length=N), 0
    for new in steps:
        end = first + new
        output, _ = attention(
            x[:, first:end],
            sliding_window_mask(end, 3, first=first),
            turn=partial(rotate_positions, first=first),
            cache=cache,
        )
        torch.testing.assert_close(output, expected[:, first:end])
        first = cache.length
    assert cache.numbers == 2 * BATCH * GROUPS * N * 2


def test_a_full_cache_says_so():
    attention, x = module(), randn(BATCH, N, 12)
    cache = GroupedCache(attention, batch=BATCH, max_length=N - 1)
    with pytest.raises(ValueError, match="cache: expected at most max_length=4 positions, got 5"):
        attention(x, cache=cache)


def test_wrong_sizes_are_refused():
    query, key, value = drawn()
    with pytest.raises(ValueError, match="groups: expected a divisor of heads=6, got 4"):
        grouped_attention(query, randn(BATCH, 4, KEYS, D_KEY), randn(BATCH, 4, KEYS, D_VALUE))
    with pytest.raises(ValueError, match="num_groups: expected a divisor of num_heads=6, got 4"):
        GroupedQueryAttention(12, HEADS, 4)
    with pytest.raises(ValueError, match="mask"):
        grouped_attention(query, key, value, torch.ones(N, N, dtype=torch.bool))
