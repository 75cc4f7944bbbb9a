"""Exercise: one merge of byte-pair encoding (Sennrich, Haddow and Birch 2016, section 3.2)."""

from collections.abc import Callable

import torch

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _

Words = list[list[str]]
Pair = tuple[str, str]
SECTION = _("A merge by hand")
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


def _each(merge: Callable[[list[str], str, str], list[str]]) -> Callable[..., Words]:
    """A wrong answer that treats each word by itself."""
    return lambda words, pair: [merge(word, *pair) for word in words]


def _right(word: list[str], left: str, right: str) -> list[str]:
    return merge_pair([word], (left, right))[0]


def _first_only(word: list[str], left: str, right: str) -> list[str]:
    for i in range(len(word) - 1):
        if word[i : i + 2] == [left, right]:
            return [*word[:i], left + right, *word[i + 2 :]]
    return list(word)


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
    return _right(word, right, left)


def _either_order(word: list[str], left: str, right: str) -> list[str]:
    return _reversed(_right(word, left, right), left, right)


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
    Case(_("a pair of equal tokens"), _hand("a a a | a a a a a | a", "a a")),
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
)
