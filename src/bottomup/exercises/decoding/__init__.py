"""Exercises of chapter 06, decoding and evaluation: one module an exercise."""

from bottomup.exercises.decoding.beam_step import BEAM_STEP
from bottomup.exercises.decoding.bleu_clipping import BLEU_CLIPPING
from bottomup.exercises.decoding.kv_cache_append import KV_CACHE_APPEND
from bottomup.exercises.decoding.ragged_prefixes import RAGGED_PREFIXES
from bottomup.exercises.decoding.top_p import TOP_P

# in the order of the chapter
EXERCISES = (KV_CACHE_APPEND, TOP_P, BEAM_STEP, RAGGED_PREFIXES, BLEU_CLIPPING)

__all__ = ["EXERCISES"]
