from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import SPECIAL_TOKENS, UNK, Vocabulary

tokens = st.text(min_size=1, max_size=3).filter(lambda token: token not in SPECIAL_TOKENS)
sentences = st.lists(st.lists(tokens, max_size=7), max_size=7)


@given(sentences)
def test_decode_undoes_encode(corpus: list[list[str]]):
    vocabulary = Vocabulary.build(corpus)
    for sentence in corpus:
        assert vocabulary.decode(vocabulary.encode(sentence)) == sentence


@given(sentences, st.integers(1, 3))
def test_build_keeps_exactly_the_frequent_tokens(corpus: list[list[str]], min_count: int):
    vocabulary = Vocabulary.build(corpus, min_count=min_count)
    counts = Counter(token for sentence in corpus for token in sentence)
    for token, count in counts.items():
        assert (token in vocabulary) == (count >= min_count)
        assert (vocabulary.encode([token]) == [UNK]) == (count < min_count)


@given(sentences)
def test_build_sorts_by_frequency_then_alphabet(corpus: list[list[str]]):
    counts = Counter(token for sentence in corpus for token in sentence)
    kept = Vocabulary.build(corpus).tokens[len(SPECIAL_TOKENS) :]
    assert list(kept) == sorted(counts, key=lambda token: (-counts[token], token))


@given(sentences)
def test_build_does_not_depend_on_the_order_of_sentences(corpus: list[list[str]]):
    assert Vocabulary.build(corpus).tokens == Vocabulary.build(corpus[::-1]).tokens
