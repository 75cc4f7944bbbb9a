"""What one head of layer 1 asks and offers, word by word: a dictionary that a page can compute."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.attention import split_heads
from bottomup.experiments.pretrained.heads import Dictionary
from bottomup.experiments.pretrained.lists import famous, pairs, people
from bottomup.experiments.pretrained.opened import Opened
from bottomup.experiments.pretrained.quantities import HEAD

FREQUENT = 4_000  # the first in the vocabulary, which begins with frequent pieces
SHORTEST = 3
# Words that the chapter speaks of, whether they are frequent or not.
SPOKEN_OF = (
    "jordan", "michael", "stephen", "king", "credit", "card", "united", "states", "hungry", "milk",
    "cat", "meat", "dog", "night", "black", "white", "new", "york", "ice", "cream", "hot", "water",
    "sea", "level", "bank", "river", "big", "small",
)  # fmt: skip


@dataclass(frozen=True)
class HeadWords:
    """Words, and what a head makes of each: a query at the second place, a key at the first."""

    words: list[str]
    query: Float[Tensor, "word d_head"]
    key: Float[Tensor, "word d_head"]

    @property
    def scores(self) -> Float[Tensor, "word other"]:
        """How strongly each word looks for each other one, which stands before it."""
        return self.query @ self.key.T / self.query.shape[1] ** 0.5


@torch.no_grad()
def head_words(opened: Opened, head: int = HEAD) -> HeadWords:
    """Return the queries and keys of the frequent words, and of those of names and pairs."""
    words = vocabulary(opened)
    numbers = [opened.pieces.numbers[word] for word in words]
    attention = opened.encoder.get_submodule("layers.0.attention")
    first, second = (states[numbers, :-1] for states in Dictionary(opened, head).at)
    heads = opened.encoder.num_heads
    query = split_heads(attention.get_submodule("W_Q")(second), heads)[head]
    key = split_heads(attention.get_submodule("W_K")(first), heads)[head]
    return HeadWords(words, query, key)


def vocabulary(opened: Opened) -> list[str]:
    """Return whole words that are one piece: the frequent ones, then others of names and pairs."""
    frequent = [piece for piece in opened.pieces.pieces if _is_word(piece)][:FREQUENT]
    names = [name for each in (people(), famous()) for listed in each.values() for name in listed]
    both = [pair for kind in ("compounds", "related", "opposites") for pair in pairs(kind)]
    return [*dict.fromkeys([*frequent, *one_piece(opened, [*SPOKEN_OF, *names, *both])])]


def one_piece(opened: Opened, texts: Sequence[str]) -> list[str]:
    """Return the words of texts that are one piece, each once."""
    found = dict.fromkeys(word for text in texts for word in re.findall("[a-z]+", text.lower()))
    return [word for word in found if _is_word(word) and word in opened.pieces.numbers]


def _is_word(piece: str) -> bool:
    return piece.isascii() and piece.isalpha() and len(piece) >= SHORTEST
