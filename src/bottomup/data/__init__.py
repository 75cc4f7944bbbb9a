"""Vocabularies, batches and data sets."""

from bottomup.data.batching import Batch, BatchStream, Pair, make_batch
from bottomup.data.sequences import SequenceTask
from bottomup.data.vocabulary import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, Vocabulary

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "SPECIAL_TOKENS",
    "UNK",
    "Batch",
    "BatchStream",
    "Pair",
    "SequenceTask",
    "Vocabulary",
    "make_batch",
]
