"""What holds for multi-head attention of any size: order, the sum over heads, counts, pruning."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention import (
    MultiHeadAttention,
    attention_for,
    merge_heads,
    prune_heads,
    scaled_dot_product_attention,
    split_heads,
)
from bottomup.masks import causal_mask
from tests.attention.heads import multi_head_attention
from tests.drawn import global_seed, learned, randn, seeded
from tests.properties.strategies import seeds

sizes = st.integers(min_value=1, max_value=5)
flags = st.booleans()
each = settings(max_examples=40)


def draw_mask(seed: int, *shape: int) -> Tensor:
    return torch.rand(shape, generator=seeded(seed)) < 0.6


def layer_of(seed: int, d_model: int, num_heads: int, d_head: int, d_value: int, bias: bool = True):
    """A module in float64 whose biases are not zero."""
    with global_seed(seed):
        return learned(
            MultiHeadAttention(d_model, num_heads, d_head=d_head, d_value=d_value, bias=bias)
        ).double()


@each
@given(leading=st.lists(sizes, max_size=2), n=sizes, heads=sizes, width=sizes, seed=seeds)
def test_merging_undoes_splitting(leading, n, heads, width, seed):
    x = randn(*leading, n, heads * width, seed=seed)
    split = split_heads(x, heads)
    assert split.shape == (*leading, heads, n, width)
    assert torch.equal(merge_heads(split), x)
    assert torch.equal(split_heads(merge_heads(split), heads), split)


@each
@given(
    batch=sizes, query=sizes, key=sizes, d_model=sizes, heads=sizes, d_head=sizes, d_value=sizes,
    seed=seeds, need_weights=flags,
)  # fmt: skip
def test_the_output_is_the_sum_over_heads_of_single_attentions(
    batch, query, key, d_model, heads, d_head, d_value, seed, need_weights
):
    layer = layer_of(seed, d_model, heads, d_head, d_value)
    queries = randn(batch, query, d_model, seed=seed)
    keys = randn(batch, key, d_model, seed=seed + 1)
    mask = draw_mask(seed, batch, query, key)
    output, _ = layer(queries, keys, keys, mask, attend=attention_for(need_weights))
    total = layer.W_O.bias.expand_as(output)
    for h in range(heads):
        narrow = slice(h * d_head, (h + 1) * d_head)
        wide = slice(h * d_value, (h + 1) * d_value)
        read, _ = scaled_dot_product_attention(
            layer.W_Q(queries)[..., narrow],
            layer.W_K(keys)[..., narrow],
            layer.W_V(keys)[..., wide],
            mask,
        )
        total = total + read @ layer.W_O.weight[:, wide].T
    torch.testing.assert_close(output, total, rtol=0, atol=1e-11)


@each
@given(batch=sizes, n=sizes, heads=sizes, d_head=sizes, seed=seeds, need_weights=flags)
def test_without_a_mask_the_output_follows_the_order_of_the_input(
    batch, n, heads, d_head, seed, need_weights
):
    layer = layer_of(seed, 6, heads, d_head, d_head)
    x = randn(batch, n, 6, seed=seed)
    order = torch.randperm(n, generator=seeded(seed))
    output, weights = layer(x, x, x, None, attend=attention_for(need_weights))
    moved = x[:, order]
    shuffled, shuffled_weights = layer(
        moved, moved, moved, None, attend=attention_for(need_weights)
    )
    torch.testing.assert_close(shuffled, output[:, order], rtol=0, atol=1e-11)
    if weights is not None:
        expected = weights[:, :, order][..., order]
        torch.testing.assert_close(shuffled_weights, expected, rtol=0, atol=1e-11)


@each
@given(heads=sizes, d_head=sizes, seed=seeds, need_weights=flags)
def test_the_order_of_the_heads_does_not_matter(heads, d_head, seed, need_weights):
    given_maps = [randn(heads, d_head, 6, seed=seed + i) for i in range(3)]
    W_O, x = randn(6, heads, d_head, seed=seed), randn(2, 4, 6, seed=seed + 3)
    order = torch.randperm(heads, generator=seeded(seed))

    def attention(maps: list[Tensor], out: Tensor) -> Tensor:
        W_Q, W_K, W_V = (matrix.flatten(0, 1) for matrix in maps)
        options = {"num_heads": heads, "options": {"attend": attention_for(need_weights)}}
        return multi_head_attention(
            x, x, x, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=out.flatten(1), **options
        )[0]

    shuffled = attention([matrix[order] for matrix in given_maps], W_O[:, order])
    torch.testing.assert_close(shuffled, attention(given_maps, W_O), rtol=1e-10, atol=1e-10)


@each
@given(d_head=sizes, heads=sizes, bias=flags)
def test_the_number_of_parameters_does_not_depend_on_the_number_of_heads(d_head, heads, bias):
    d_model = heads * d_head
    one, several = (
        sum(p.numel() for p in MultiHeadAttention(d_model, h, bias=bias).parameters())
        for h in (1, heads)
    )
    assert one == several == 4 * d_model**2 + bias * 4 * d_model


@each
@given(
    batch=sizes, query=sizes, key=sizes, heads=sizes, d_head=sizes, d_value=sizes, bias=flags,
    seed=seeds, need_weights=flags,
)  # fmt: skip
def test_pruning_is_exact(
    batch, query, key, heads, d_head, d_value, bias, seed, need_weights
):  # fmt: skip
    layer = layer_of(seed, 7, heads, d_head, d_value, bias)
    on = draw_mask(seed, heads)
    on[seed % heads] = True
    queries, keys = randn(batch, query, 7, seed=seed), randn(batch, key, 7, seed=seed + 1)
    mask = draw_mask(seed + 2, batch, query, key)
    removed = [h for h in range(heads) if not on[h]]
    smaller, weights = prune_heads(layer, removed)(
        queries, keys, keys, mask, attend=attention_for(need_weights)
    )
    masked, all_weights = layer(
        queries, keys, keys, mask, head_mask=on, attend=attention_for(need_weights)
    )
    torch.testing.assert_close(smaller, masked, rtol=0, atol=1e-12)
    if weights is not None:
        torch.testing.assert_close(weights, all_weights[:, on], rtol=0, atol=1e-12)


@each
@given(
    n=st.integers(min_value=2, max_value=20),
    past=st.integers(min_value=1, max_value=19),
    heads=sizes,
    seed=seeds,
    need_weights=flags,
)
def test_editing_the_future_leaves_the_past_as_it_was(n, past, heads, seed, need_weights):
    past = min(past, n - 1)
    layer = layer_of(seed, 6, heads, 3, 2)
    x, other = randn(2, n, 6, seed=seed), randn(2, n, 6, seed=seed + 1)
    edited = torch.cat([x[:, :past], other[:, past:]], dim=1)
    mask = causal_mask(n)
    before, _ = layer(x, x, x, mask, attend=attention_for(need_weights))
    after, _ = layer(edited, edited, edited, mask, attend=attention_for(need_weights))
    torch.testing.assert_close(after[:, :past], before[:, :past], rtol=0, atol=1e-13)
    assert not torch.allclose(after[:, past:], before[:, past:])
