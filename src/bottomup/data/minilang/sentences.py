"""The kinds of sentence and how often each occurs."""

from collections.abc import Callable

from bottomup.data.minilang.clauses import Draft
from bottomup.data.minilang.draw import Draw
from bottomup.data.minilang.joined_sentences import (
    both,
    contrast,
    meanwhile,
    sequence,
    weather_reason,
)
from bottomup.data.minilang.phrases import Piece, Word
from bottomup.data.minilang.pronoun_sentences import (
    left_undone,
    mood,
    object_reason,
    subject_reason,
)
from bottomup.data.minilang.simple_sentences import denial, errand, location, quality, simple
from bottomup.data.minilang.topics import TOPICS
from bottomup.data.minilang.writer import Writer

# kind of sentence and its weight
KINDS: tuple[tuple[Callable[..., Draft], float], ...] = (
    (simple, 36.0),
    (quality, 9.0),
    (location, 3.0),
    (both, 9.0),
    (contrast, 6.0),
    (sequence, 6.0),
    (subject_reason, 9.0),
    (object_reason, 8.0),
    (weather_reason, 3.0),
    (meanwhile, 5.0),
    (mood, 4.0),
    (left_undone, 3.0),
    (errand, 5.0),
    (denial, 1.0),
)


def draft(draw: Draw) -> Draft:
    """Draw one sentence. Raises `NoSentenceError` if the choices do not fit together."""
    topic = draw.pick(TOPICS)
    kind = draw.weighted(KINDS)
    polite = draw.chance(0.1)
    writer = Writer(draw, topic, polite=polite, richness=draw.pick((0.0, 0.5, 1.0, 1.6, 2.4)))
    if not polite:
        made = kind(writer, "plain")
        opening: list[Word] = []
    else:
        address = Word(draw.pick(("sir", "ma'am")))
        made = kind(writer, "polite", address)
        opening = [address, Word(",")]
    end = Word(".")
    pieces = [*made.pieces, Piece(".", (), (end,))]
    return Draft([*opening, *made.words, end], pieces, made.antecedents)
