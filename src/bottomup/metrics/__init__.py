"""Metrics of predictions, translations and alignments."""

from bottomup.metrics.alignment import (
    GoldLink,
    LinkPair,
    alignment_error_rate,
    link_accuracy,
    links_from_weights,
    split_gold,
)
from bottomup.metrics.bits import bits_per_character, bits_per_token, perplexity
from bottomup.metrics.bleu import bleu
from bottomup.metrics.text_bleu import TextBLEU, bleu_of_counts, resampled_difference, text_bleu

__all__ = [
    "GoldLink",
    "LinkPair",
    "TextBLEU",
    "alignment_error_rate",
    "bits_per_character",
    "bits_per_token",
    "bleu",
    "bleu_of_counts",
    "link_accuracy",
    "links_from_weights",
    "perplexity",
    "resampled_difference",
    "split_gold",
    "text_bleu",
]


def __dir__() -> list[str]:
    return __all__
