"""Which kinds of words followed each other in the corpus, three at a time.

A sentence of known words may still be of a pattern that no training sentence has: "she wore
glasses" begins with a pronoun, and "she" only ever stands after "because" or "when" there.

**Kinds.** A function word, a pronoun and a mark are a kind each; of the other words the class is
the kind: "the cat ate ." is ``the noun verb .``. The beginning of a sentence is a kind, too.
**The rule.** A sentence is of a known pattern if each three kinds in a row stand somewhere in the
training sentences. It knows nothing of what words mean: "the book read the cat" passes. Of chapter
05's test sentences one in a thousand has three kinds that training has not.
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from bottomup.data.minilang.glosses import word_class

BEGIN = "^"
ITSELF = ("function", "pronoun", "punctuation")  # classes of which each word is a kind of its own
FILE = "patterns.json"  # the first two kinds -> all that came third, of chapter 05's corpus

Patterns = dict[str, list[str]]


def kind(word: str) -> str:
    """Return the kind of an English word: "the" -> "the", "cat" -> "noun"."""
    found = word_class(word)
    return word if found in ITSELF else found


def patterns_of(sentences: Iterable[Sequence[str]]) -> Patterns:
    """Return which kinds followed each two, in these sentences."""
    found: dict[str, set[str]] = {}
    for words in sentences:
        kinds = [BEGIN, *map(kind, words)]
        for first, second, third in zip(kinds, kinds[1:], kinds[2:], strict=False):
            found.setdefault(f"{first} {second}", set()).add(third)
    return {pair: sorted(found[pair]) for pair in sorted(found)}


@cache
def trained_patterns() -> Patterns:
    """Return the patterns of the sentences that taught the translators of chapters 05 and 06."""
    text = files("bottomup.data.minilang").joinpath(FILE).read_text(encoding="utf-8")
    found: Patterns = json.loads(text)
    return found


def unseen(words: Sequence[str]) -> tuple[str, ...]:
    """Return the first words whose kinds never stood so in training, up to three; () if all did.

    Args:
        words: of a sentence that the translator can read, its full stop included.
    """
    kinds = [BEGIN, *map(kind, words)]
    for place in range(len(kinds) - 2):
        first, second, third = kinds[place : place + 3]
        if third not in trained_patterns().get(f"{first} {second}", ()):
            return tuple(words[max(place - 1, 0) : place + 2])
    return ()
