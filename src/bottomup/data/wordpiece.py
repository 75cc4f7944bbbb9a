"""WordPiece: words cut into the longest pieces that a vocabulary has."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.checks import check_integer, check_text

BEGIN, END, UNKNOWN, PADDING = "[CLS]", "[SEP]", "[UNK]", "[PAD]"
CONTINUED = "##"  # before a piece that does not begin a word
LONGEST_WORD = 100  # characters; a longer word is unknown

# Blocks of Chinese characters, each of which is a word by itself.
CHINESE = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class Pieces(NamedTuple):
    """Token numbers of sentences, padded at the end, and which are real."""

    tokens: Int64[Tensor, "sentence position"]
    real: Bool[Tensor, "sentence position"]


class WordPiece:
    """Cut text as BERT's uncased models do, given their vocabulary.

    Text becomes lower case without accents; words are what stands between
    spaces, and every mark of punctuation is a word. Each word is cut from the
    left: the longest piece that the vocabulary has, then the longest of what is
    left, which is looked up with ``##`` before it. A word of which some rest
    has no piece is unknown as a whole.

    Args:
        vocabulary: the pieces, each at its number.

    Attributes:
        pieces: the vocabulary, a tuple of strings.
        numbers: the number of each piece.

    Source: Devlin et al. (2019), section 3; Wu et al. (2016), section 4.1, for
    pieces; the rules for text are those of BERT's published code. Chapter
    12 has the rule for words.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.pieces = tuple(vocabulary)
        self.numbers: Mapping[str, int] = {
            piece: number for number, piece in enumerate(self.pieces)
        }
        for piece in (BEGIN, END, UNKNOWN, PADDING):
            if piece not in self.numbers:
                raise ValueError(
                    f"vocabulary: expected {piece} in it, got {len(self.pieces)} pieces without"
                )

    @classmethod
    def from_file(cls, path: str | Path) -> "WordPiece":
        """Read a vocabulary from a file with one piece a line."""
        return cls(Path(path).read_text(encoding="utf-8").splitlines())

    def cut(self, text: str) -> list[str]:
        """Return the pieces of a text, without marks of begin and end."""
        check_text("text", text)
        return [piece for word in _words(text) for piece in self._of(word)]

    def encode(self, text: str) -> list[int]:
        """Return the numbers of ``[CLS]``, the text's pieces, ``[SEP]``."""
        pieces = [BEGIN, *self.cut(text), END]
        return [self.numbers[piece] for piece in pieces]

    def batch(self, texts: Iterable[str], *, length: int | None = None) -> Pieces:
        """Return several texts as one batch.

        Args:
            texts: at least one.
            length: number of positions; by default those of the longest text.
        """
        rows = [self.encode(text) for text in texts]
        if not rows:
            raise ValueError("texts: expected at least one, got none")
        longest = max(map(len, rows))
        if length is not None:
            check_integer("length", length, at_least=longest)
        padding = self.numbers[PADDING]
        tokens = torch.full((len(rows), length or longest), padding)
        real = torch.zeros_like(tokens, dtype=torch.bool)
        for row, numbers in enumerate(rows):
            tokens[row, : len(numbers)] = torch.tensor(numbers)
            real[row, : len(numbers)] = True
        return Pieces(tokens, real)

    def _of(self, word: str) -> list[str]:
        """Cut one word, always the longest piece first."""
        pieces: list[str] = []
        start = 0
        while start < len(word) <= LONGEST_WORD:
            mark = CONTINUED if pieces else ""
            ends = range(len(word), start, -1)
            fits = (e for e in ends if mark + word[start:e] in self.numbers)
            end = next(fits, None)
            if end is None:
                return [UNKNOWN]
            pieces.append(mark + word[start:end])
            start = end
        return pieces or [UNKNOWN]


def _words(text: str) -> Iterator[str]:
    """Yield words and marks of punctuation, in lower case without accents."""
    spaced = "".join(f" {c} " if _alone(c) else c for c in _clean(text))
    decomposed = unicodedata.normalize("NFD", spaced.lower())
    bare = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    yield from bare.split()


def _clean(text: str) -> Iterator[str]:
    """Yield the characters, spaces for white space, and none of control."""
    for character in text:
        category = unicodedata.category(character)
        if character in "\t\n\r" or category == "Zs":
            yield " "
        elif category[0] != "C" and character != "\N{REPLACEMENT CHARACTER}":
            yield character


def _alone(character: str) -> bool:
    """Say whether a character is a word by itself."""
    code = ord(character)
    # In ASCII every sign counts, such as $ and +, not punctuation alone.
    sign = code < 128 and character.isprintable() and not character.isalnum()
    return (
        (sign and character != " ")
        or unicodedata.category(character)[0] == "P"
        or any(first <= code <= last for first, last in CHINESE)
    )
