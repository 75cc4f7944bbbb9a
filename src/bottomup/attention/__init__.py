"""Attention functions and modules. Each returns ``(output, weights)``."""

from bottomup.attention.additive import AdditiveAttention, additive_attention, additive_scores
from bottomup.attention.luong import (
    ConcatAttention,
    DotAttention,
    GeneralAttention,
    concat_scores,
    dot_scores,
    general_scores,
)
from bottomup.attention.module import ScoredAttention
from bottomup.attention.weights import attend, masked_softmax

__all__ = [
    "AdditiveAttention",
    "ConcatAttention",
    "DotAttention",
    "GeneralAttention",
    "ScoredAttention",
    "additive_attention",
    "additive_scores",
    "attend",
    "concat_scores",
    "dot_scores",
    "general_scores",
    "masked_softmax",
]
