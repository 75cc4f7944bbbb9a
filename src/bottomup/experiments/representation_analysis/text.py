"""Chapter 08: the corpora as token numbers."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_choice
from bottomup.data import (
    SPECIAL_TOKENS,
    Pair,
    Vocabulary,
    docstring_sentences,
    minilang,
    multi30k,
)
from bottomup.experiments.representation_analysis.config import LONGEST, Config

RARE = 5  # words of real text that come less often are unknown
WORD = re.compile(r"\w+(?:'\w+)?|[^\w\s]")
# Captions held out of Multi30k's training part: a distance of wide networks asks for many tokens.
HELD_OUT = 5_000


@dataclass(frozen=True, eq=False)
class Text:
    """Sentences to train on and to measure, as pairs; without a translation the target is empty.

    Attributes:
        words, target_tokens: the vocabularies of both sides.
        train, test: token numbers.
    """

    words: Vocabulary
    target_tokens: Vocabulary
    train: list[Pair] = field(repr=False)
    test: list[Pair] = field(repr=False)

    @property
    def mask_id(self) -> int:
        """The mask token's number, the one behind all words."""
        return len(self.words)

    def counts(self, *, translation: bool = False) -> Int64[Tensor, " type"]:
        """Return how often each word comes in training; 0 for the unknown one."""
        side, vocabulary = (1, self.target_tokens) if translation else (0, self.words)
        counts = torch.bincount(_numbers(self.train, side), minlength=len(vocabulary))
        counts[: len(SPECIAL_TOKENS)] = 0  # so that they take no rank among the words
        return counts

    def frequency_loss(self, *, translation: bool = False) -> float:
        """Return the nats a word of a guess by frequencies in training, plus one for each."""
        counts = self.counts(translation=translation).double() + 1
        numbers = _numbers(self.test, int(translation))
        ordinary = numbers >= len(SPECIAL_TOKENS)
        return float(-(counts / counts.sum()).log()[numbers[ordinary]].mean())


def _numbers(pairs: list[Pair], side: int) -> Int64[Tensor, " word"]:
    return torch.tensor([word for pair in pairs for word in pair[side]])


@lru_cache(maxsize=1)
def _minilang(size: int, seed: int) -> Text:
    corpus = minilang.load(size, seed=seed)
    words = Vocabulary.build(pair.source for pair in corpus.train)
    tokens = Vocabulary.build(pair.target for pair in corpus.train)

    def encode(pairs: tuple[minilang.SentencePair, ...]) -> list[Pair]:
        return [(words.encode(pair.source), tokens.encode(pair.target)) for pair in pairs]

    return Text(words, tokens, encode(corpus.train), encode((*corpus.validation, *corpus.test)))


@lru_cache(maxsize=1)
def _docstrings() -> Text:
    corpus = docstring_sentences(longest=LONGEST - 1)
    words = Vocabulary.build(corpus.training, min_count=RARE)
    train, test = (
        [(words.encode(sentence), list[int]()) for sentence in part]
        for part in (corpus.training, corpus.test)
    )
    return Text(words, Vocabulary([]), train, test)


@lru_cache(maxsize=1)
def _multi30k() -> Text:
    corpus = multi30k.load()
    pairs = [
        tuple(WORD.findall(side.lower()) for side in pair)
        for pair in (*corpus.train, *corpus.validation, *corpus.test)
    ]
    short = [pair for pair in pairs if max(map(len, pair)) < LONGEST]
    size = len(short) - HELD_OUT - len(corpus.validation) - len(corpus.test)
    words, tokens = (
        Vocabulary.build((pair[side] for pair in short[:size]), min_count=RARE) for side in (0, 1)
    )
    encoded = [(words.encode(source), tokens.encode(target)) for source, target in short]
    return Text(words, tokens, encoded[:size], encoded[size:])


def load_text(config: Config) -> Text:
    """Return a corpus, once for all that a process measures; at most `config.sentences` to test.

    Raises:
        ValueError: a corpus of another name.
        FileNotFoundError, DownloadError: as `multi30k.load`.
    """
    corpora: dict[str, Callable[[], Text]] = {
        "minilang": lambda: _minilang(config.corpus_size, config.corpus_seed),
        "docstrings": _docstrings,
        "multi30k": _multi30k,
    }
    check_choice("corpus", config.corpus, corpora)
    text = corpora[config.corpus]()
    return Text(text.words, text.target_tokens, text.train, text.test[: config.sentences])
