"""Exercises of chapter 00, the warm-up: one module an exercise."""

from bottomup.exercises.warm_up.bpe_merge import BPE_MERGE
from bottomup.exercises.warm_up.padded_cross_entropy import PADDED_CROSS_ENTROPY
from bottomup.exercises.warm_up.stable_softmax import STABLE_SOFTMAX

EXERCISES = (STABLE_SOFTMAX, PADDED_CROSS_ENTROPY, BPE_MERGE)

__all__ = ["EXERCISES"]
