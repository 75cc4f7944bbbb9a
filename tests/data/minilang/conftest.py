"""One corpus for all tests of this folder."""

import pytest

from bottomup.data.minilang import Corpus, SentencePair, load


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return load(4_001, seed=0)


@pytest.fixture(scope="session")
def pairs(corpus: Corpus) -> tuple[SentencePair, ...]:
    return corpus.train + corpus.validation + corpus.test
