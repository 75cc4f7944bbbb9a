"""Exercise: one merge of byte-pair encoding (Sennrich, Haddow and Birch 2016, section 3.2)."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake, compare_values
from bottomup.exercises.engine.show import show
from bottomup.i18n import _


def merge_pair(words: list[list[str]], pair: tuple[str, str]) -> list[list[str]]:
    left, right = pair
    merged = []
    for word in words:
        tokens: list[str] = []
        for token in word:
            if token == right and tokens[-1:] == [left]:
                tokens[-1] = left + right
            else:
                tokens.append(token)
        merged.append(tokens)
    return merged


Words = list[list[str]]
Pair = tuple[str, str]


def with_an_index(words: Words, pair: Pair) -> Words:
    merged = []
    for word in words:
        tokens, i = [], 0
        while i < len(word):
            found = tuple(word[i : i + 2]) == tuple(pair)
            tokens.append("".join(pair) if found else word[i])
            i += 2 if found else 1
        merged.append(tokens)
    return merged


def with_deletion(words: Words, pair: Pair) -> Words:
    copies = [list(word) for word in words]
    for tokens in copies:
        i = 0
        while i < len(tokens) - 1:
            if (tokens[i], tokens[i + 1]) == tuple(pair):
                tokens[i : i + 2] = [pair[0] + pair[1]]
            i += 1
    return copies


# ---- Mistakes

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


def _any_order(word: list[str], left: str, right: str) -> list[str]:
    """Both orders become left + right."""
    are_merged = {(left, right), (right, left)}.__contains__
    return _neighbours(lambda a, b, *_pair: are_merged((a, b)), lambda a, b: left + right)(
        word, left, right
    )


def _apart(word: list[str], left: str, right: str) -> list[str]:
    return _neighbours(lambda a, b, *pair: (a, b) == pair, lambda a, b: f"{a} {b}")(
        word, left, right
    )


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


MISTAKES = (
    Mistake("first-only", _each(_first_only), (_first_of_all,)),
    Mistake("token-used-twice", _each(_right_half_kept), (_each(_overlapping),)),
    Mistake("from-the-right", _each(_from_the_right)),
    Mistake("across-words", _across, (_one_row,)),
    Mistake("inside-other-tokens", _each(_as_text)),
    Mistake("beside-the-old-list", _each(_beside_the_old_list), case=EQUAL),
    Mistake("merged-token-grows", _each(_grown), case=EQUAL),
    Mistake("last-token-lost", _each(_without_the_last)),
    Mistake("nothing-merged", lambda words, pair: [list(word) for word in words]),
    Mistake("pair-kept-as-a-pair", _with_the_pair),
    Mistake("word-as-one-string", _joined(""), (_joined(" "),)),
    Mistake(
        "order-of-the-pair",
        _each(_reversed),
        (_each(_either_order), _each(_backwards), _each(_any_order)),
    ),
    Mistake("space-between-the-halves", _each(_apart)),
    Mistake("by-spelling", _each(_by_spelling)),
)


# ---- Cases


def compare_words(got: Any, expected: Words, case: Case) -> str | None:
    """Name the first word whose tokens differ; leave what is no list of words to the others."""
    sentence = compare_values(got, expected, case)
    if sentence is None or not isinstance(got, list | tuple) or len(got) != len(expected):
        return sentence
    pairs = list(zip(got, expected, strict=True))
    differs = [compare_values(ours, theirs, case) is not None for ours, theirs in pairs]
    first = differs.index(True)
    ours, theirs = map(show, pairs[first])
    return _("Word {number}: got {got}, expected {expected}.").format(
        number=first + 1, got=ours, expected=theirs
    )


def _hand(words: str, pair: str) -> Callable[[torch.Generator], Inputs]:
    """Words separated by bars, tokens by spaces."""
    left, right = pair.split()
    return lambda generator: {
        "words": [word.split() for word in words.split("|")],
        "pair": (left, right),
    }


def _random(letters: str, sizes: list[int]) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        draws = [torch.randint(len(letters), (size,), generator=generator) for size in sizes]
        words = [[letters[i] for i in draw.tolist()] for draw in draws]
        return {"words": words, "pair": (letters[0], letters[1])}

    return make


CASES = (
    Case(_("three words, the pair (l, o)"), _hand("l o w | s l o w | o l d", "l o")),
    Case(_("several times in one word"), _hand("l o l o | a l o b l o", "l o")),
    Case(EQUAL, _hand("a a a | a a a a a | a", "a a")),
    Case(_("tokens of several letters"), _hand("s low er | low er er | lo w er", "low er")),
    Case(_("the end of one word and the beginning of the next"), _hand("x a | b y | a b", "a b")),
    Case(_("longer tokens that end or begin alike"), _hand("ba b c | a bb | a b c", "a b")),
    Case(_("another pair with the same spelling"), _hand("l ow | lo w | low", "lo w")),
    Case(_("the other order"), _hand("b a | b a b | a b a b", "a b")),
    Case(_("the pair does not occur"), _hand("x y | z", "a b")),
    Case(_("seven words of random letters"), _random("abc", [11, 2, 7, 1, 5, 13, 3]), seed=1),
    Case(_("words of two letters"), _random("ab", [7, 5, 11, 2, 13]), seed=2),
)

ANSWERS = Answers(
    solution=merge_pair,
    alternatives=(with_an_index, with_deletion),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_words,
)
