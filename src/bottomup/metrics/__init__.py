"""Metrics of predictions, translations and alignments."""

from bottomup.metrics.alignment import (
    GoldLink,
    LinkPair,
    alignment_error_rate,
    link_accuracy,
    links_from_weights,
    split_gold,
)
from bottomup.metrics.bits import bits_per_character, perplexity
from bottomup.metrics.bleu import bleu

__all__ = [
    "GoldLink",
    "LinkPair",
    "alignment_error_rate",
    "bits_per_character",
    "bleu",
    "link_accuracy",
    "links_from_weights",
    "perplexity",
    "split_gold",
]
