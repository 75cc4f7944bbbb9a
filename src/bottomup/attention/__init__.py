"""Attention functions and modules. Each returns ``(output, weights)``.

The sparse ones return the output: they never form the matrix of weights.
"""

from bottomup.attention.additive import (
    AdditiveAttention,
    additive_attention,
    additive_scores,
)
from bottomup.attention.alibi import alibi_bias, alibi_slopes
from bottomup.attention.cache import (
    Cache,
    KeyValueCache,
    LayerCache,
    MemoryCache,
    cached_attention,
)
from bottomup.attention.fused import attention_for, fused_attention
from bottomup.attention.grouped import (
    GroupedCache,
    GroupedQueryAttention,
    grouped_attention,
)
from bottomup.attention.hard import (
    NOWHERE,
    HardAttention,
    expected_log_likelihood,
    gumbel_straight_through,
    one_hot_positions,
    position_log_probability,
    sample_positions,
)
from bottomup.attention.head_pruning import prune_heads
from bottomup.attention.intra_decoder import (
    intra_decoder_attention,
    temporal_attention,
    temporal_scores,
)
from bottomup.attention.intra_lstmn import (
    LSTMN,
    LSTMNCell,
    Tape,
    tape_attention,
)
from bottomup.attention.intra_sentence import (
    IntraAttention,
    decomposable_alignment,
    decomposable_scores,
    distance_bias,
    intra_attention,
    intra_scores,
)
from bottomup.attention.local import (
    LocalAttention,
    gaussian_around,
    local_attention,
    local_m_weights,
    local_p_weights,
    predicted_center,
    window_around,
)
from bottomup.attention.luong import (
    ConcatAttention,
    DotAttention,
    GeneralAttention,
    LocationAttention,
    concat_scores,
    dot_scores,
    general_scores,
    location_scores,
)
from bottomup.attention.multi_head import (
    MultiHeadAttention,
    merge_heads,
    split_heads,
)
from bottomup.attention.reinforce import (
    MovingBaseline,
    moving_baseline,
    reinforce_loss,
)
from bottomup.attention.relative import (
    RelativeAttention,
    relative_scores,
    relative_shift,
)
from bottomup.attention.scaled_dot_product import (
    scaled_dot_product_attention,
    scaled_dot_scores,
)
from bottomup.attention.scored import ScoredAttention, attend
from bottomup.attention.self_attention import SelfAttention
from bottomup.attention.sliding_window import sliding_window_mask
from bottomup.attention.sparse.attention import (
    block_attention,
    column_attention,
    fixed_attention,
    merge_attention,
    partial_attention,
    sparse_attention,
    strided_attention,
    summary_attention,
    window_attention,
)
from bottomup.attention.sparse.patterns import (
    SparsePattern,
    fixed_mask_mod,
    fixed_masks,
    strided_mask_mod,
    strided_masks,
)
from bottomup.attention.sparse.plans import (
    ScoreCount,
    causal_scores,
    fixed_scores,
    strided_scores,
)
from bottomup.attention.sparse.self_attention import SparseSelfAttention
from bottomup.attention.structured import (
    StructuredSelfAttention,
    overlap_penalty,
    structured_embedding,
    structured_weights,
)
from bottomup.attention.torch_weights import from_torch, to_torch
from bottomup.masks import masked_softmax

__all__ = [
    "LSTMN",
    "NOWHERE",
    "AdditiveAttention",
    "Cache",
    "ConcatAttention",
    "DotAttention",
    "GeneralAttention",
    "GroupedCache",
    "GroupedQueryAttention",
    "HardAttention",
    "IntraAttention",
    "KeyValueCache",
    "LSTMNCell",
    "LayerCache",
    "LocalAttention",
    "LocationAttention",
    "MemoryCache",
    "MovingBaseline",
    "MultiHeadAttention",
    "RelativeAttention",
    "ScoreCount",
    "ScoredAttention",
    "SelfAttention",
    "SparsePattern",
    "SparseSelfAttention",
    "StructuredSelfAttention",
    "Tape",
    "additive_attention",
    "additive_scores",
    "alibi_bias",
    "alibi_slopes",
    "attend",
    "attention_for",
    "block_attention",
    "cached_attention",
    "causal_scores",
    "column_attention",
    "concat_scores",
    "decomposable_alignment",
    "decomposable_scores",
    "distance_bias",
    "dot_scores",
    "expected_log_likelihood",
    "fixed_attention",
    "fixed_mask_mod",
    "fixed_masks",
    "fixed_scores",
    "from_torch",
    "fused_attention",
    "gaussian_around",
    "general_scores",
    "grouped_attention",
    "gumbel_straight_through",
    "intra_attention",
    "intra_decoder_attention",
    "intra_scores",
    "local_attention",
    "local_m_weights",
    "local_p_weights",
    "location_scores",
    "masked_softmax",
    "merge_attention",
    "merge_heads",
    "moving_baseline",
    "one_hot_positions",
    "overlap_penalty",
    "partial_attention",
    "position_log_probability",
    "predicted_center",
    "prune_heads",
    "reinforce_loss",
    "relative_scores",
    "relative_shift",
    "sample_positions",
    "scaled_dot_product_attention",
    "scaled_dot_scores",
    "sliding_window_mask",
    "sparse_attention",
    "split_heads",
    "strided_attention",
    "strided_mask_mod",
    "strided_masks",
    "strided_scores",
    "structured_embedding",
    "structured_weights",
    "summary_attention",
    "tape_attention",
    "temporal_attention",
    "temporal_scores",
    "to_torch",
    "window_around",
    "window_attention",
]


def __dir__() -> list[str]:
    return __all__
