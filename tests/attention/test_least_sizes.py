"""The least size of everything that attention can be made of."""

from functools import partial

import pytest
import torch

from bottomup import attention as A
from tests import least

MULTI, GROUPED = A.MultiHeadAttention(2, 1), A.GroupedQueryAttention(2, 1, 1)
SCORES, CENTER, HEADS = torch.zeros(1, 1), torch.zeros(1), torch.zeros(1, 2, 1, 1)
PARALLEL = {"query": HEADS, "key": HEADS, "value": HEADS}
PATTERN = A.SparsePattern(kind="window", width=1)
LEAST = [
    (A.AdditiveAttention, {"d_query": 1, "d_key": 1, "d_attention": 1}),
    (A.GeneralAttention, {"d_query": 1, "d_key": 1}),
    (A.ConcatAttention, {"d_query": 1, "d_key": 1, "d_attention": 1}),
    (A.LocationAttention, {"d_query": 1, "max_positions": 1}),
    (partial(A.LocalAttention, A.DotAttention(), center="predicted"),
     {"half_width": 1, "d_query": 1}),
    (partial(A.window_around, CENTER), {"key_count": 1, "half_width": 1}),
    (partial(A.one_hot_positions, torch.tensor([0])), {"keys": 1}),
    (partial(A.location_scores, query=SCORES, W_a=SCORES), {"key_count": 1}),
    (A.SelfAttention, {"d_model": 1, "d_key": 1}),
    (A.MultiHeadAttention, {"d_model": 1, "num_heads": 1, "d_head": 1, "d_value": 1}),
    (partial(A.split_heads, SCORES), {"num_heads": 1}),
    (A.GroupedQueryAttention, {"d_model": 1, "num_heads": 1, "num_groups": 1, "d_head": 1}),
    (partial(A.RelativeAttention, d_model=2), {"num_heads": 1}),
    (partial(A.KeyValueCache, MULTI), {"batch": 1, "max_length": 1}),
    (partial(A.GroupedCache, GROUPED), {"batch": 1, "max_length": 1}),
    (A.IntraAttention, {"d_word": 1, "d_feature": 1, "max_distance": 0}),
    (partial(A.distance_bias, CENTER), {"n": 1}),
    (A.LSTMN, {"d_word": 1, "d_state": 1, "d_attention": 1}),
    (A.StructuredSelfAttention, {"d_state": 1, "d_attention": 1, "hops": 1}),
    (A.alibi_slopes, {"num_heads": 1}),
    (A.alibi_bias, {"num_heads": 1, "length": 1}),
    (A.sliding_window_mask, {"n": 1, "width": 1, "sinks": 0, "first": 0}),
    (A.strided_masks, {"n": 1, "stride": 1}),
    (A.fixed_masks, {"n": 1, "block": 1, "summary": 1}),
    (A.causal_scores, {"n": 1}),
    (A.strided_scores, {"n": 1, "stride": 1}),
    (A.fixed_scores, {"n": 1, "block": 1, "summary": 1}),
    (A.strided_mask_mod, {"stride": 1}),
    (A.fixed_mask_mod, {"block": 1, "summary": 1}),
    (partial(A.strided_attention, **PARALLEL), {"stride": 1}),
    (partial(A.window_attention, **PARALLEL), {"width": 1}),
    (partial(A.column_attention, **PARALLEL), {"stride": 1}),
    (partial(A.block_attention, **PARALLEL), {"block": 1}),
    (partial(A.summary_attention, **PARALLEL), {"block": 1, "summary": 1}),
    (partial(A.sparse_attention, **PARALLEL, pattern=PATTERN), {"layer": 0}),
    (partial(A.SparsePattern, kind="fixed"), {"width": 1, "summary": 1}),
    (PATTERN.mask, {"n": 1, "num_heads": 1, "layer": 0}),
    (partial(A.SparseSelfAttention, pattern=PATTERN), {"d_model": 1, "num_heads": 1, "layer": 0}),
]  # fmt: skip


@pytest.mark.parametrize("make, sizes", LEAST)
def test_the_least_sizes_are_taken_and_one_less_is_refused(make, sizes):
    least.holds(make, **sizes)
