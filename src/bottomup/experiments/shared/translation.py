"""What the translation experiments share: the mini-language as numbers, and its measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from torch import nn

from bottomup.data import BatchStream, Pair, Vocabulary, minilang
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.recurrent import Translator, decode, train
from bottomup.metrics import bleu
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig
from bottomup.training import History

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
LONGEST = 40  # tokens of a translation; no reference has as many

Bins = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Data:
    """The corpus as text and as token numbers."""

    test: tuple[minilang.SentencePair, ...]
    source_words: Vocabulary
    target_tokens: Vocabulary
    train: list[Pair]

    def encode(self, pairs: Sequence[minilang.SentencePair]) -> list[Pair]:
        """Return the token numbers of sentence pairs."""
        words, tokens = self.source_words, self.target_tokens
        return [(words.encode(pair.source), tokens.encode(pair.target)) for pair in pairs]


@dataclass(frozen=True, kw_only=True)
class TranslatorConfig:
    """The choices of an experiment that trains chapter 01's recurrent translator.

    Attributes:
        bins: ranges of source lengths (words, full stop included) that are tested, both ends
            included.
        steps: of every training.
        corpus_size: of the mini-language; its seed is 0.
        tokens_per_batch, warmup, learning_rate, d_embedding: as in the chapter.
        d_state: width of the encoder's states and of the decoder's.
    """

    bins: tuple[tuple[int, int], ...] = ((4, 7), (8, 11), (12, 15), (16, 20))
    steps: int = 600
    corpus_size: int = 60_000
    tokens_per_batch: int = 1024
    warmup: int = 50
    learning_rate: float = 3e-3
    d_embedding: int = 64
    d_state: int = 128


Config = TypeVar("Config", bound=TranslatorConfig)


def presets(kind: type[Config]) -> dict[str, Config]:
    """Return the configurations of an experiment of this kind by name."""
    return {
        "tiny": kind(
            bins=((4, 9), (10, 20)),
            steps=6,
            corpus_size=400,
            tokens_per_batch=32,
            warmup=2,
            d_embedding=5,
            d_state=8,
        ),
        "laptop": kind(steps=200),
        "recorded": kind(),
        "full": kind(steps=2400),
    }


def train_translator(
    config: TranslatorConfig, data: Data, pairs: list[Pair], *,
    attention: str, trial: Trial,
    kind: type[RNNSeq2Seq] = RNNSeq2Seq,
) -> tuple[RNNSeq2Seq, History]:  # fmt: skip
    """Train a translator of some kind on pairs of the corpus, under one seed."""
    return train(
        Seq2SeqConfig(
            source_vocabulary=len(data.source_words),
            target_vocabulary=len(data.target_tokens),
            attention=attention,
            d_embedding=config.d_embedding,
            d_state=config.d_state,
        ),
        BatchStream(
            pairs, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + trial.seed
        ),
        config,
        trial,
        steps=config.steps,
        kind=kind,
    )


@lru_cache(maxsize=1)
def load_data(size: int, seed: int) -> Data:
    """Generate the corpus, once for all variants that a process measures."""
    corpus = minilang.load(size, seed=seed)
    words = Vocabulary.build(pair.source for pair in corpus.train)
    tokens = Vocabulary.build(pair.target for pair in corpus.train)
    data = Data(corpus.test, words, tokens, [])
    data.train.extend(data.encode(corpus.train))
    return data


def translation_metrics(model: Translator, data: Data, bins: Bins) -> dict[str, Any]:
    """Return BLEU and exact match (share of sentences), over all and by source length.

    `bins` are ranges of lengths in words, both ends included.
    """
    written: list[list[str]] = []
    right: list[list[str]] = []
    scores: dict[str, tuple[float, float]] = {}
    for ends in bins:
        pairs = of_length(data.test, ends)
        numbers = decode(model, data.encode(pairs), max_length=LONGEST)
        translations = [data.target_tokens.decode(row) for row in numbers]
        references = [list(pair.target) for pair in pairs]
        scores[label(ends)] = _scores(translations, references)
        written += translations
        right += references
    score, exact = _scores(written, right)
    (first_bleu, first_exact), *_rest, (last_bleu, last_exact) = scores.values()
    return {
        "bleu": score,
        "exact": exact,
        "bleu_by_length": {label: both[0] for label, both in scores.items()},
        "exact_by_length": {label: both[1] for label, both in scores.items()},
        "bleu_fall": first_bleu - last_bleu,
        "exact_fall": first_exact - last_exact,
    }


def _scores(translations: list[list[str]], references: list[list[str]]) -> tuple[float, float]:
    same = sum(one == other for one, other in zip(translations, references, strict=True))
    return bleu(translations, references), same / len(references)


def of_length(
    pairs: Sequence[minilang.SentencePair], ends: Sequence[int]
) -> list[minilang.SentencePair]:
    """Return the pairs whose source length lies in a range, both ends included."""
    shortest, longest = ends
    return [pair for pair in pairs if shortest <= len(pair.source) <= longest]


def label(ends: Sequence[int]) -> str:
    """Name a range of lengths, ``4-7``."""
    return "{}-{}".format(*ends)


def parameter_count(model: nn.Module) -> int:
    """Return the number of parameters."""
    return sum(parameter.numel() for parameter in model.parameters())
