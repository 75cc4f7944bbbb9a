"""Exercises of chapter 07, sparse Transformers: one module an exercise."""

from bottomup.exercises.sparse_transformers.blocked_local import BLOCKED_LOCAL
from bottomup.exercises.sparse_transformers.column_attention import COLUMN_ATTENTION
from bottomup.exercises.sparse_transformers.fixed_sets import FIXED_SETS
from bottomup.exercises.sparse_transformers.merge_softmaxes import MERGE_SOFTMAXES
from bottomup.exercises.sparse_transformers.recompute import RECOMPUTE
from bottomup.exercises.sparse_transformers.strided_sets import STRIDED_SETS

# in the order of the chapter
EXERCISES = (
    STRIDED_SETS,
    FIXED_SETS,
    BLOCKED_LOCAL,
    COLUMN_ATTENTION,
    MERGE_SOFTMAXES,
    RECOMPUTE,
)

__all__ = ["EXERCISES"]
