"""What holds for every input: weights sum to one, and the order of the keys does not matter."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import AdditiveAttention, masked_softmax
from tests.drawn import global_seed, seeded
from tests.properties.strategies import seeds, sizes


@settings(max_examples=50)
@given(query=sizes, key=sizes, seed=seeds, spread=st.floats(min_value=1e-3, max_value=1e3))
def test_weights_sum_to_one_over_allowed_keys_and_to_zero_where_none_is(query, key, seed, spread):
    generator = seeded(seed)
    scores = torch.randn(query, key, generator=generator, dtype=torch.float64) * spread
    mask = torch.rand(query, key, generator=generator) < 0.5
    weights = masked_softmax(scores, mask)
    assert torch.allclose(weights.sum(-1), mask.any(-1).double(), atol=1e-12)
    assert (weights[~mask] == 0).all()
    assert (weights >= 0).all()


@settings(max_examples=50)
@given(query=sizes, key=sizes, seed=seeds, shift=st.floats(min_value=-50, max_value=50))
def test_a_constant_added_to_a_row_of_scores_changes_nothing(query, key, seed, shift):
    scores = torch.randn(query, key, generator=seeded(seed), dtype=torch.float64)
    assert torch.allclose(masked_softmax(scores), masked_softmax(scores + shift), atol=1e-12)


@settings(max_examples=50)
@given(query=sizes, key=sizes, d_query=sizes, d_key=sizes, seed=seeds)
def test_shuffled_keys_give_shuffled_weights_and_the_same_output(query, key, d_query, d_key, seed):
    generator = seeded(seed)
    queries = torch.randn(query, d_query, generator=generator, dtype=torch.float64)
    keys = torch.randn(key, d_key, generator=generator, dtype=torch.float64)
    with global_seed(seed):
        attention = AdditiveAttention(d_query, d_key, 3).double()
    order = torch.randperm(key, generator=generator)
    output, weights = attention(queries, keys, keys)
    shuffled_output, shuffled_weights = attention(queries, keys[order], keys[order])
    assert torch.allclose(shuffled_weights, weights[:, order], atol=1e-12)
    assert torch.allclose(shuffled_output, output, atol=1e-12)
