from functools import partial

import pytest
import torch

from bottomup.attention import (
    GroupedCache,
    GroupedQueryAttention,
    MultiHeadAttention,
    alibi_bias,
    grouped_attention,
    sliding_window_mask,
)
from bottomup.blocks import rotate_positions
from tests.drawn import randn

BATCH, HEADS, GROUPS, N, KEYS, D_KEY, D_VALUE = 2, 6, 3, 5, 7, 11, 13


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
    query, _, _ = drawn()
    with pytest.raises(ValueError, match="groups: expected a divisor of heads=6, got 4"):
        grouped_attention(query, randn(BATCH, 4, KEYS, D_KEY), randn(BATCH, 4, KEYS, D_VALUE))
    with pytest.raises(ValueError, match="num_groups: expected a divisor of num_heads=6, got 4"):
        GroupedQueryAttention(12, HEADS, 4)
