"""Mistakes in one merge of byte-pair encoding."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from bottomup.data import merge_pair
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

Words = list[list[str]]
Pair = tuple[str, str]
SECTION = _("A merge by hand")
EQUAL = _("a pair of equal tokens")


def _each(merge: Callable[[list[str], str, str], list[str]]) -> Callable[..., Words]:
    """A wrong answer that treats each word by itself."""
    return lambda words, pair: [merge(word, *pair) for word in words]


def _merged(word: list[str], left: str, right: str) -> list[str]:
    return merge_pair([word], (left, right))[0]


def _first_only(word: list[str], left: str, right: str) -> list[str]:
    for i in range(len(word) - 1):
        if word[i : i + 2] == [left, right]:
            return [*word[:i], left + right, *word[i + 2 :]]
    return list(word)


def _beside_the_old_list(word: list[str], left: str, right: str) -> list[str]:
    """The token before is looked up in the old list, where a merged right half still stands."""
    tokens = word[:1]
    for before, token in pairwise(word):
        if (before, token) == (left, right):
            tokens[-1] = left + right
        else:
            tokens.append(token)
    return tokens


def _first_of_all(words: Words, pair: Pair) -> Words:
    merged, done = [], False
    for word in words:
        tokens = list(word) if done else _first_only(word, *pair)
        done = done or tokens != word
        merged.append(tokens)
    return merged


def _right_half_kept(word: list[str], left: str, right: str) -> list[str]:
    """Every match starts a merged token; the scan goes on at the match's own right half."""
    found = [word[i : i + 2] == [left, right] for i in range(len(word))]
    return [left + right if hit else token for token, hit in zip(word, found, strict=True)]


def _overlapping(word: list[str], left: str, right: str) -> list[str]:
    """Every match gives a token, also where it shares one with the match before."""
    tokens = []
    for i, token in enumerate(word):
        if word[i : i + 2] == [left, right]:
            tokens.append(left + right)
        elif i == 0 or word[i - 1 : i + 1] != [left, right]:
            tokens.append(token)
    return tokens


def _from_the_right(word: list[str], left: str, right: str) -> list[str]:
    tokens: list[str] = []
    for token in reversed(word):
        if token == left and tokens[-1:] == [right]:
            tokens[-1] = left + right
        else:
            tokens.append(token)
    return tokens[::-1]


def _as_text(word: list[str], left: str, right: str) -> list[str]:
    return " ".join(word).replace(f"{left} {right}", left + right).split()


def _reversed(word: list[str], left: str, right: str) -> list[str]:
    return _merged(word, right, left)


def _either_order(word: list[str], left: str, right: str) -> list[str]:
    return _reversed(_merged(word, left, right), left, right)


def _neighbours(
    are_merged: Callable[[str, str, str, str], bool], join: Callable[[str, str], str]
) -> Callable[[list[str], str, str], list[str]]:
    """A wrong answer that merges other neighbours, or joins them in another way."""

    def merge(word: list[str], left: str, right: str) -> list[str]:
        tokens: list[str] = []
        for token in word:
            if tokens and are_merged(tokens[-1], token, left, right):
                tokens[-1] = join(tokens[-1], token)
            else:
                tokens.append(token)
        return tokens

    return merge


_by_spelling = _neighbours(lambda a, b, left, right: a + b == left + right, lambda a, b: a + b)
_backwards = _neighbours(lambda a, b, left, right: (a, b) == (left, right), lambda a, b: b + a)


def _across(words: Words, pair: Pair) -> Words:
    """The words are one row of tokens; a merged token stays with the word in which it begins."""
    row = [(number, token) for number, word in enumerate(words) for token in word]
    merged: Words = [[] for _word in words]
    i = 0
    while i < len(row):
        number, token = row[i]
        found = tuple(token for _number, token in row[i : i + 2]) == tuple(pair)
        merged[number].append("".join(pair) if found else token)
        i += 2 if found else 1
    return merged


def _one_row(words: Words, pair: Pair) -> Words:
    return merge_pair([[token for word in words for token in word]], pair)


def _without_the_last(word: list[str], left: str, right: str) -> list[str]:
    tokens, i = [], 0
    while i < len(word) - 1:
        found = word[i : i + 2] == [left, right]
        tokens.append(left + right if found else word[i])
        i += 2 if found else 1
    return tokens


def _grown(word: list[str], left: str, right: str) -> list[str]:
    tokens: list[str] = []
    for token in word:
        if tokens and tokens[-1].endswith(left) and token == right:
            tokens[-1] += right
        else:
            tokens.append(token)
    return tokens


def _with_the_pair(words: Words, pair: Pair) -> list[list[Any]]:
    both = "".join(pair)
    merged = merge_pair(words, pair)
    return [
        [pair if token == both and both not in word else token for token in tokens]
        for tokens, word in zip(merged, words, strict=True)
    ]


def _joined(separator: str) -> Callable[..., list[str]]:
    return lambda words, pair: [separator.join(word) for word in merge_pair(words, pair)]


MISCONCEPTIONS = (
    Misconception(
        "first-only",
        _each(_first_only),
        _(
            "Only the first occurrence is merged, and the others stay apart. One spelling then "
            "stands for two token sequences, and the same piece of text gets other vectors "
            "depending on where it stands. Go on after the first merge."
        ),
        SECTION,
        (_first_of_all,),
    ),
    Misconception(
        "token-used-twice",
        _each(_right_half_kept),
        _(
            "A token is used in two places: after a merge, its right half is looked at again. The "
            "tokens of a word must spell the word, and yours spell more. Skip both tokens once "
            "they are merged."
        ),
        SECTION,
        (_each(_overlapping),),
    ),
    Misconception(
        "from-the-right",
        _each(_from_the_right),
        _(
            "The word is read from its end: a a a becomes a aa. Both are ways to cut the word, but "
            "learning and encoding must agree on one. The convention is from left to right, aa a."
        ),
        SECTION,
    ),
    Misconception(
        "across-words",
        _across,
        _(
            "A merge joins the end of one word with the beginning of the next. Its tokens then "
            "depend on the neighbours of a word, and a word can vanish into another. Merge inside "
            "each word by itself."
        ),
        SECTION,
        (_one_row,),
    ),
    Misconception(
        "inside-other-tokens",
        _each(_as_text),
        _(
            "The merge works on text, so it also finds left at the end of a longer token: with the "
            "pair (a, b), the tokens ba and b become bab. That pair was never counted. Compare "
            "whole tokens."
        ),
        SECTION,
    ),
    Misconception(
        "beside-the-old-list",
        _each(_beside_the_old_list),
        _(
            "A token is lost: after a merge its right half is still taken as a left one, and with "
            "the pair (a, a), a a a becomes aa. The token before is looked up in the old list. "
            "Compare with the last token of the new one."
        ),
        SECTION,
        case=EQUAL,
    ),
    Misconception(
        "merged-token-grows",
        _each(_grown),
        _(
            "The end of the last token is compared instead of the whole token, so a merged token "
            "goes on growing: with the pair (a, a), a a a becomes aaa. One merge joins two tokens "
            "into left + right and no more. Compare with ==, not with endswith."
        ),
        SECTION,
        case=EQUAL,
    ),
    Misconception(
        "last-token-lost",
        _each(_without_the_last),
        _(
            "The last token of a word is lost where no pair ends with it. The loop looks at "
            "neighbours and stops one before the end, and the last token has no right neighbour. "
            "The tokens of a word must spell the word: let the loop reach the last one too."
        ),
        SECTION,
    ),
    Misconception(
        "nothing-merged",
        lambda words, pair: [list(word) for word in words],
        _(
            "Nothing is merged. A slice of a word is a list and the pair may be a tuple, and in "
            'Python ["l", "o"] == ("l", "o") is False. Compare left with left and right with '
            "right, or turn both into tuples."
        ),
        SECTION,
    ),
    Misconception(
        "pair-kept-as-a-pair",
        _with_the_pair,
        _(
            "The merged token is still a pair, of two strings. A token is one string with one "
            "number in the vocabulary, and the next merge must be able to join it with another. "
            "Put left + right in its place."
        ),
        SECTION,
    ),
    Misconception(
        "word-as-one-string",
        _joined(""),
        _(
            "Each word has become one string, and the borders between its tokens are gone or have "
            "turned into spaces. The next merge could not tell which tokens stand side by side. "
            "Return each word as a list of tokens."
        ),
        SECTION,
        (_joined(" "),),
    ),
    Misconception(
        "order-of-the-pair",
        _each(_reversed),
        _(
            "The order within the pair is lost. (t, h) and (h, t) are two pairs with their own "
            "counts, and a merged token must read as the text does. Left comes first."
        ),
        SECTION,
        (_each(_either_order), _each(_backwards)),
    ),
    Misconception(
        "by-spelling",
        _each(_by_spelling),
        _(
            "Two tokens are merged because together they spell left + right, although they are "
            "another pair: low can be lo and w, or l and ow. Only the pair that was counted is "
            "merged. Compare each token with its own half."
        ),
        SECTION,
    ),
)
