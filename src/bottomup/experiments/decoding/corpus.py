"""Chapter 06: sentence pairs as text, and as numbers of a joint vocabulary."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from bottomup.checks import check_choice
from bottomup.data import Pair, minilang, multi30k
from bottomup.data.joint_bpe import JointBPE

SAMPLE = 200  # sentence pairs of the mini-language, where it stands in for the real corpus

Pairs = Sequence[tuple[str, str]]


class Corpus(NamedTuple):
    """Pairs of source and target text."""

    train: Pairs
    validation: Pairs
    test: Pairs


@lru_cache(maxsize=1)
def load_corpus(name: str) -> Corpus:
    """Return Multi30k, or a few sentences of the mini-language that need no file.

    Raises:
        ValueError: another name.
        FileNotFoundError, DownloadError: as `multi30k.load`.
    """
    check_choice("corpus", name, ("multi30k", "minilang"))
    if name == "multi30k":
        real = multi30k.load()
        return Corpus(real.train, real.validation, real.test)
    small = minilang.load(SAMPLE, seed=0)
    parts = (small.train, small.validation, small.test)
    return Corpus(
        *[[(" ".join(pair.source), " ".join(pair.target)) for pair in part] for part in parts]
    )


@lru_cache(maxsize=2)
def learn_pieces(corpus: str, vocabulary: int) -> JointBPE:
    """Learn the joint vocabulary from both sides of the training sentences."""
    train = load_corpus(corpus).train
    return JointBPE.train([text for pair in train for text in pair], vocabulary=vocabulary)


def encode(pieces: JointBPE, texts: Pairs) -> list[Pair]:
    """Return the token numbers of sentence pairs."""
    return [(pieces.encode(source), pieces.encode(target)) for source, target in texts]
