"""Exercise: one merge of byte-pair encoding (Sennrich, Haddow and Birch 2016, section 3.2)."""

from collections.abc import Callable
from typing import Any

import torch

from bottomup.exercises.exercise import Case, Exercise, Inputs, compare_values
from bottomup.exercises.show import show
from bottomup.exercises.warm_up.bpe_merge_mistakes import EQUAL, MISCONCEPTIONS, Pair, Words
from bottomup.i18n import _

STUB = '''\
def merge_pair(words, pair):
    """Make one token of a pair of tokens, wherever it occurs.

    words: list of words, each a list of tokens such as ["s", "l", "ow"].
    pair: two tokens (left, right). Where left stands directly before right
    in a word, both become the one token left + right; from left to right,
    each token used once. Returns a new list of words.
    """
    ...
'''


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

BPE_MERGE = Exercise(
    slug="bpe-merge",
    title=_("One merge of byte-pair encoding"),
    chapter="00",
    difficulty=2,
    minutes=12,
    stub=STUB,
    hints=(
        _("Do one word first. Build its new list token by token; the old one stays as it is."),
        _(
            "When the token at hand is `right` and the last token of the new list is `left`, "
            "replace that last token by `left + right`."
        ),
        _(
            "`tokens[-1:] == [left]` is False for an empty list, so the first token of a word "
            "needs no case of its own. And a merged token is longer than `left`, so that it cannot "
            "be used again."
        ),
    ),
    solution=merge_pair,
    alternatives=(with_an_index, with_deletion),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_words,
)
