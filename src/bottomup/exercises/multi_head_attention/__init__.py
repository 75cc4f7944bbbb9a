"""Exercises of chapter 03, multi-head attention: one module an exercise."""

from bottomup.exercises.multi_head_attention.lin_penalty import LIN_PENALTY
from bottomup.exercises.multi_head_attention.multi_head_attention import MULTI_HEAD_ATTENTION
from bottomup.exercises.multi_head_attention.prune_head import PRUNE_HEAD
from bottomup.exercises.multi_head_attention.split_merge_heads import SPLIT_MERGE_HEADS
from bottomup.exercises.multi_head_attention.two_heads_by_hand import TWO_HEADS_BY_HAND

# in the order of the chapter
EXERCISES = (
    SPLIT_MERGE_HEADS,
    MULTI_HEAD_ATTENTION,
    LIN_PENALTY,
    PRUNE_HEAD,
    TWO_HEADS_BY_HAND,
)

__all__ = ["EXERCISES"]
