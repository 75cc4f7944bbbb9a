"""Byte-pair encoding: sub-word tokens learned from counts of words.

A word begins as its characters and an end mark. Learning repeats one step: count adjacent tokens,
merge the most frequent pair everywhere. Encoding replays the merges in the order learned. No pair
crosses the border of a word. Characters are those of a word's composed form, NFC. Chapter 00 merges
a handful of words by hand.

Source: Sennrich, Haddow and Birch (2016), section 3.2, algorithm 1.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from bottomup.checks import check_integer
from bottomup.data.vocabulary import composed

TokenPair = tuple[str, str]
END_OF_WORD = "_"


def count_pairs(words: Mapping[tuple[str, ...], int]) -> Counter[TokenPair]:
    """Count how often each token stands directly before another within a word.

    ``count[a, b] = sum over words of count(word) * |{i : word[i] = a, word[i + 1] = b}|``

    Args:
        words: how often each word occurs, a word being a tuple of tokens.

    Source: Sennrich, Haddow and Birch (2016), section 3.2, algorithm 1. Chapter 00 derives it.
    """
    pairs: Counter[TokenPair] = Counter()
    for word, count in words.items():
        _check_tokens(word)
        check_integer("words", count, at_least=1)
        for pair in pairwise(word):
            pairs[pair] += count
    return pairs


def merge_pair(words: Iterable[Sequence[str]], pair: TokenPair) -> list[list[str]]:
    """Replace ``left, right`` by the one token ``left + right``, in every word.

    Occurrences are found from left to right and share no token: merging ("a", "a") in a a a gives
    aa a. Tokens are compared as wholes, and the words stay apart.

    Args:
        words: the words, each a sequence of tokens.
        pair: the two tokens (left, right), in this order.

    Source: Sennrich, Haddow and Birch (2016), section 3.2, algorithm 1. Chapter 00 derives it.
    """
    left, right = _checked_pair(pair)
    merged = []
    for word in words:
        _check_tokens(word)
        tokens: list[str] = []
        for token in word:
            if token == right and tokens[-1:] == [left]:
                tokens[-1] = left + right
            else:
                tokens.append(token)
        merged.append(tokens)
    return merged


def learn_merges(counts: Mapping[str, int], *, merges: int) -> list[TokenPair]:
    """Learn up to `merges` pairs, in order; it ends early when every word is one token.

    Each step takes the most frequent pair; of equally frequent ones, the first in alphabetical
    order, which the paper leaves open.

    Args:
        counts: how often each word occurs.
        merges: how many pairs to learn.

    Source: Sennrich, Haddow and Birch (2016), section 3.2, algorithm 1. Chapter 00 derives it.
    """
    check_integer("merges", merges, at_least=0)
    words: dict[tuple[str, ...], int] = {}
    for word, count in counts.items():
        characters = tuple(_characters(word))
        words[characters] = words.get(characters, 0) + count
    learned: list[TokenPair] = []
    for _step in range(merges):
        pairs = count_pairs(words)
        if not pairs:
            break
        learned.append(min(pairs, key=lambda pair: (-pairs[pair], pair)))
        merged = merge_pair(words, learned[-1])
        words = dict(zip(map(tuple, merged), words.values(), strict=True))
    return learned


def encode_word(word: str, merges: Iterable[TokenPair]) -> list[str]:
    """Split a word into sub-word tokens; joined, they give the word and its end mark.

    Args:
        word: the word, without white space or end mark.
        merges: the pairs in the order in which they were learned.

    Source: Sennrich, Haddow and Birch (2016), section 3.2, algorithm 1. Chapter 00 derives it.
    """
    tokens = _characters(word)
    for pair in merges:
        (tokens,) = merge_pair([tokens], pair)
    return tokens


def _characters(word: str) -> list[str]:
    if not isinstance(word, str):
        raise TypeError(f"word: expected a string, got {word!r}")
    if not word or END_OF_WORD in word:
        raise ValueError(f"word: expected characters other than {END_OF_WORD!r}, got {word!r}")
    return [*composed(word), END_OF_WORD]


def _check_tokens(word: Sequence[str]) -> None:
    if isinstance(word, str):
        raise TypeError(f"words: expected each word as a sequence of tokens, got {word!r}")


def _checked_pair(pair: TokenPair) -> TokenPair:
    if not isinstance(pair, tuple | list) or not all(isinstance(token, str) for token in pair):
        raise TypeError(f"pair: expected two tokens of type str, got {pair!r}")
    if len(pair) != 2 or "" in pair:
        raise ValueError(f"pair: expected two tokens, none of them empty, got {pair!r}")
    return pair[0], pair[1]
