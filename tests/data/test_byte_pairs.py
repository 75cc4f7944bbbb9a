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


def test_a_merge_joins_every_occurrence_in_every_word():
    words = [["l", "o", "w"], ["s", "l", "o", "l", "o"], ["o", "l"]]
    assert merge_pair(words, ("l", "o")) == [["lo", "w"], ["s", "lo", "lo"], ["o", "l"]]


@pytest.mark.parametrize("count, tokens", [(2, ["aa"]), (3, ["aa", "a"]), (5, ["aa", "aa", "a"])])
def test_occurrences_are_taken_from_the_left_and_share_no_token(count: int, tokens: list[str]):
    assert merge_pair([["a"] * count], ("a", "a")) == [tokens]


def test_tokens_are_compared_as_wholes():
    assert merge_pair([["ba", "b"], ["a", "bb"]], ("a", "b")) == [["ba", "b"], ["a", "bb"]]


def test_the_pair_has_an_order_and_does_not_cross_words():
    assert merge_pair([["b", "a"], ["b"]], ("a", "b")) == [["b", "a"], ["b"]]


def test_merging_leaves_its_input_as_it_was():
    words = [["a", "b"]]
    merge_pair(words, ("a", "b"))
    assert words == [["a", "b"]]


def test_merges_are_learned_by_frequency_and_ties_by_alphabet():
    # (l, o) and (o, w) both come 10 times; then (lo, w) 10 and (low, _) 8
    learned = learn_merges(COUNTS, merges=3)
    assert learned == [("l", "o"), ("lo", "w"), ("low", END_OF_WORD)]


def test_learning_ends_when_every_word_is_one_token():
    learned = learn_merges({"ab": 1}, merges=10)
    assert learned == [("a", "b"), ("ab", "_")]
    assert learn_merges(COUNTS, merges=0) == []
    assert learn_merges({}, merges=3) == []


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


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: merge_pair(["low"], ("l", "o")), TypeError, "a sequence of tokens, got 'low'"),
        (lambda: merge_pair([["l"]], "lo"), TypeError, "pair: expected two tokens"),
        (lambda: merge_pair([["l"]], ("l", 3)), TypeError, "pair: expected two tokens"),
        (lambda: merge_pair([["l"]], ("l",)), ValueError, "pair: expected two tokens"),
        (lambda: merge_pair([["l"]], ("l", "")), ValueError, "none of them empty"),
        (lambda: count_pairs({"low": 1}), TypeError, "a sequence of tokens, got 'low'"),
        (lambda: count_pairs({("a", "b"): 0}), ValueError, "at least 1, got 0"),
        (lambda: learn_merges({"": 1}, merges=1), ValueError, "word: expected characters"),
        (lambda: learn_merges({"a_": 1}, merges=1), ValueError, "other than '_', got 'a_'"),
        (lambda: learn_merges({"a": 1}, merges=-1), ValueError, "merges: expected an integer"),
        (lambda: encode_word(7, []), TypeError, "word: expected a string, got 7"),
    ],
)
def test_bad_words_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
