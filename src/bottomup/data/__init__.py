"""Vocabularies, sub-word tokens, batches and data sets."""

from bottomup.data.batching import Batch, BatchStream, Pair, TensorBatch, make_batch
from bottomup.data.byte_pairs import (
    END_OF_WORD,
    TokenPair,
    count_pairs,
    encode_word,
    learn_merges,
    merge_pair,
)
from bottomup.data.digits import DigitImages, digit_images
from bottomup.data.docstrings import Sentences, docstring_sentences
from bottomup.data.echoes import EchoTask
from bottomup.data.facts import Facts, held_out, make_facts
from bottomup.data.induction import (
    InductionBatch,
    InductionTask,
    successor_frequencies,
    successors,
)
from bottomup.data.joint_bpe import JointBPE
from bottomup.data.labelled import (
    Labelled,
    LabelledBatch,
    LabelledStream,
    make_labelled_batch,
)
from bottomup.data.masking import Corrupted, MaskedBatch, MaskedStream, corrupt, exchange
from bottomup.data.next_sentence import (
    Documents,
    SentencePair,
    documentation,
    next_sentence_pairs,
    overlap,
    pack,
)
from bottomup.data.pydoc import CharacterText, documentation_text
from bottomup.data.retrieval import PairRetrieval, RetrievalBatch
from bottomup.data.sequences import SequenceTask
from bottomup.data.token_batches import ImageStream, TokenBatch, WindowStream
from bottomup.data.vocabulary import BOS, EOS, PAD, SPECIAL_TOKENS, UNK, Vocabulary
from bottomup.data.wordpiece import Pieces, WordPiece

__all__ = [
    "BOS",
    "END_OF_WORD",
    "EOS",
    "PAD",
    "SPECIAL_TOKENS",
    "UNK",
    "Batch",
    "BatchStream",
    "CharacterText",
    "Corrupted",
    "DigitImages",
    "Documents",
    "EchoTask",
    "Facts",
    "ImageStream",
    "InductionBatch",
    "InductionTask",
    "JointBPE",
    "Labelled",
    "LabelledBatch",
    "LabelledStream",
    "MaskedBatch",
    "MaskedStream",
    "Pair",
    "PairRetrieval",
    "Pieces",
    "RetrievalBatch",
    "SentencePair",
    "Sentences",
    "SequenceTask",
    "TensorBatch",
    "TokenBatch",
    "TokenPair",
    "Vocabulary",
    "WindowStream",
    "WordPiece",
    "corrupt",
    "count_pairs",
    "digit_images",
    "docstring_sentences",
    "documentation",
    "documentation_text",
    "encode_word",
    "exchange",
    "held_out",
    "learn_merges",
    "make_batch",
    "make_facts",
    "make_labelled_batch",
    "merge_pair",
    "next_sentence_pairs",
    "overlap",
    "pack",
    "successor_frequencies",
    "successors",
]


def __dir__() -> list[str]:
    return __all__
