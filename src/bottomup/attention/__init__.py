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
from bottomup.attention.weights import masked_softmax

__all__ = [
    "AdditiveAttention",
    "ConcatAttention",
    "DotAttention",
    "GeneralAttention",
    "additive_attention",
    "additive_scores",
    "concat_scores",
    "dot_scores",
    "general_scores",
    "masked_softmax",
]
