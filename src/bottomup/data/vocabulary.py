"""Tokens and their numbers.

The first four numbers are the same in every vocabulary: padding, begin, end and unknown. Words are
looked up in their composed form, Unicode's NFC: "가" is the same token as a syllable and as its
letters, whichever of the two the vocabulary lists.
Chapter 01 uses one vocabulary for each language.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from bottomup.checks import check_integer

PAD, BOS, EOS, UNK = range(4)
SPECIAL_TOKENS = ("<pad>", "<bos>", "<eos>", "<unk>")


class Vocabulary:
    """A fixed list of tokens; a token's number is its place in ``SPECIAL_TOKENS + tokens``.

    Args:
        tokens: the ordinary tokens, each once. The first of them gets number 4.

    Example:
        >>> words = Vocabulary(["cat", "dog"])
        >>> words.encode(["dog", "cow"])  # 0 to 3 are special; 3 is the unknown
        [5, 3]
        >>> words.decode([5, 3])
        ['dog', '<unk>']
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens = [*SPECIAL_TOKENS, *checked_strings("tokens", tokens)]
        self._numbers = {composed(token): number for number, token in enumerate(self._tokens)}
        if "" in self._numbers:
            raise ValueError("tokens: expected no empty token")
        if len(self._numbers) < len(self._tokens):
            repeated = next(t for t, n in Counter(map(composed, self._tokens)).items() if n > 1)
            raise ValueError(
                f"tokens: expected each token once and no special one, got {repeated!r}"
            )

    @classmethod
    def build(cls, sequences: Iterable[Sequence[str]], *, min_count: int = 1) -> "Vocabulary":
        """Collect the tokens of `sequences`: most frequent first, ties in alphabetical order.

        Args:
            sequences: tokenised sentences, ``[["the", "dog", "sleeps"], ...]``.
            min_count: tokens that come less often than this are left out (and encode as UNK).
        """
        check_integer("min_count", min_count, at_least=1)
        _check_iterable("sequences", sequences, "tokenised sentences")
        counts: Counter[str] = Counter()
        spelled: dict[str, str] = {}  # a token's composed form: as it stands there first
        for sequence in sequences:
            for token in checked_strings("sequences", sequence):
                counts[spelled.setdefault(composed(token), token)] += 1
        kept = [token for token, count in counts.items() if count >= min_count]
        return cls(sorted(kept, key=lambda token: (-counts[token], token)))

    @property
    def tokens(self) -> tuple[str, ...]:
        """All tokens in the order of their numbers, the four special ones first."""
        return tuple(self._tokens)

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return each token's number, UNK for a token not listed. No BOS or EOS is added."""
        checked = checked_strings("tokens", tokens)
        return [self._numbers.get(composed(token), UNK) for token in checked]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the token of each number, special tokens included."""
        return [self._tokens[number] for number in checked_ids(ids, len(self))]

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and composed(token) in self._numbers

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} tokens, {len(SPECIAL_TOKENS)} of them special)"


def composed(text: str) -> str:
    """Return text in its composed form, NFC, in which equivalent texts are equal."""
    return unicodedata.normalize("NFC", text)


def checked_ids(ids: Iterable[int], size: int) -> list[int]:
    """List token numbers of a vocabulary of this size."""
    _check_iterable("ids", ids, "token numbers")
    numbers = list(ids)
    for number in numbers:
        check_integer("ids", number, at_least=0)
        if number >= size:
            raise ValueError(f"ids: expected numbers in [0, {size}), got {number}")
    return [int(number) for number in numbers]


def checked_strings(name: str, values: Iterable[str], content: str = "tokens") -> list[str]:
    """List the strings. A single one is refused: it would fall apart into its letters."""
    return list(each_string(name, values, content))


def each_string(name: str, values: Iterable[str], content: str = "tokens") -> Iterator[str]:
    """Give the strings one after another, as `checked_strings` lists them."""
    if isinstance(values, str):
        raise TypeError(
            f"{name}: expected a list of {content}, got the string {values!r}; split it"
        )
    _check_iterable(name, values, content)
    return (_checked_string(name, value, content) for value in values)


def _checked_string(name: str, value: object, content: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected {content} of type str, got {value!r}")
    return value


def _check_iterable(name: str, value: object, content: str) -> None:
    if not isinstance(value, Iterable):
        raise TypeError(f"{name}: expected a list of {content}, got {value!r}")
