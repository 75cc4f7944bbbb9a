"""What the translation experiments share: the mini-language as numbers, and its measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from torch import nn

from bottomup.data import Pair, Vocabulary, minilang
from bottomup.experiments.shared.recurrent import Translator, decode
from bottomup.metrics import bleu

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
