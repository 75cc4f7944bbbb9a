from collections import Counter
from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import END_OF_WORD, count_pairs, encode_word, learn_merges, merge_pair

COUNTS = {"low": 5, "lower": 2, "slow": 3}


def test_pairs_are_counted_with_the_frequency_of_their_word():
    words = {("a", "b", "a", "b"): 3, ("b", "a"): 2, ("a",): 7}
    assert count_pairs(words) == {("a", "b"): 6, ("b", "a"): 5}


@pytest.mark.parametrize(
    "words, pair, merged",
    [
        (["l o w", "s l o l o", "o l"], "l o", ["lo w", "s lo lo", "o l"]),
        (["a a", "a a a", "a a a a a"], "a a", ["aa", "aa a", "aa aa a"]),  # from the left
        (["ba b", "a bb"], "a b", ["ba b", "a bb"]),  # tokens are compared as wholes
        (["b a", "b"], "a b", ["b a", "b"]),  # the pair has an order, and does not cross words
    ],
)
def test_a_merge_joins_every_occurrence_and_leaves_its_input(words, pair, merged):
    given = [word.split() for word in words]
    assert merge_pair(given, tuple(pair.split())) == [word.split() for word in merged]
    assert given == [word.split() for word in words]


def test_merges_are_learned_by_frequency_and_ties_by_alphabet():
    # (l, o) and (o, w) both come 10 times; then (lo, w) 10 and (low, _) 8
    learned = learn_merges(COUNTS, merges=3)
    assert learned == [("l", "o"), ("lo", "w"), ("low", END_OF_WORD)]
    assert learn_merges({"ab": 1}, merges=10) == [("a", "b"), ("ab", "_")]  # each word is a token
    assert learn_merges(COUNTS, merges=0) == learn_merges({}, merges=3) == []


def test_a_word_is_encoded_by_the_merges_in_their_order():
    merges = learn_merges(COUNTS, merges=3)
    assert encode_word("slow", merges) == ["s", "low_"]
    assert encode_word("lowest", merges) == ["low", "e", "s", "t", "_"]
    assert encode_word("owl", merges) == ["o", "w", "l", "_"]
    assert encode_word("low", merges[::-1]) == ["lo", "w", "_"]


words = st.text("abc", min_size=1, max_size=7)


@given(st.dictionaries(words, st.integers(1, 5), max_size=7), words, st.integers(0, 11))
def test_the_tokens_of_a_word_spell_it(counts: dict[str, int], word: str, merges: int):
    tokens = encode_word(word, learn_merges(counts, merges=merges))
    assert "".join(tokens) == word + END_OF_WORD
    assert "" not in tokens


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=7), max_size=5))
def test_a_merge_removes_one_token_for_each_new_one(words: list[list[str]]):
    merged = merge_pair(words, ("a", "b"))
    before, after = Counter(chain(*words)), Counter(chain(*merged))
    new = after["ab"]
    assert after == before - Counter({"a": new, "b": new}) + Counter({"ab": new})
    assert not any(pair == ("a", "b") for word in merged for pair in pairwise(word))
