"""The ten topics of the corpus, and what can be looked up in the lexicon.

A sentence stays in one topic. Each topic lists its living beings in the order of how often they
occur; the senses of a topic stand in the order of the tables. Both are drawn by Zipf's law.
"""

from functools import cache

from bottomup.data.minilang.lexicon.modifiers import ADJECTIVES, Adjective
from bottomup.data.minilang.lexicon.nouns import NOUNS, Noun
from bottomup.data.minilang.lexicon.senses import SENSES, Sense

_CAST = {
    "home": "mother child grandmother father dog boy girl baby grandfather cat son daughter uncle "
    "aunt friend man woman guest puppy",
    "food": "chef mother guest man woman child grandmother clerk friend student girl boy farmer "
    "cat",
    "school": "student teacher child professor boy girl friend son daughter",
    "nature": "dog bird farmer animal cat rabbit child horse fisherman bear fox boy tiger girl "
    "duck cow grandfather pig mouse bat puppy king prince grandmother",
    "town": "tourist man woman driver student friend grandfather teacher animal lawyer soldier boy "
    "girl guest dog uncle",
    "shopping": "woman man clerk mother girl farmer student aunt boy friend tourist grandmother",
    "music": "musician singer girl boy teacher student princess woman man queen friend",
    "art": "painter writer director woman student man girl professor queen king prince boy",
    "work": "doctor boss nurse clerk lawyer driver man woman father soldier farmer uncle chef",
    "sport": "player boy girl student child soldier friend man woman prince teacher dog",
}
TOPICS = tuple(_CAST)
CAST = {topic: tuple(NOUNS[name] for name in names.split()) for topic, names in _CAST.items()}
SENSES_OF = {topic: tuple(s for s in SENSES if topic in s.topics) for topic in TOPICS}


def fits(noun: Noun, names: tuple[str, ...]) -> bool:
    """Whether the noun or its group is among `names`, and the noun is not left out ("-son")."""
    if f"-{noun.english}" in names:
        return False
    return noun.group in names or noun.english in names


@cache
def subjects_of(topic: str, sense: Sense) -> tuple[Noun, ...]:
    """The nouns of the topic that can do it; those of the whole lexicon if the topic has none."""
    cast = tuple(noun for noun in CAST[topic] if fits(noun, sense.who))
    return cast or tuple(noun for noun in NOUNS.values() if fits(noun, sense.who))


@cache
def receivers_of(topic: str, sense: Sense) -> tuple[Noun, ...]:
    """The nouns of the topic, or else of the lexicon, that it can be done to."""
    cast = tuple(noun for noun in CAST[topic] if fits(noun, sense.to))
    return cast or tuple(noun for noun in NOUNS.values() if fits(noun, sense.to))


@cache
def adjectives_of(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that can stand before the noun."""
    return tuple(a for a in ADJECTIVES if fits(noun, a.groups) and not a.predicative)


@cache
def qualities_of(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that can be said of the noun in a sentence of its own."""
    barred = ("state", "attribute")
    return tuple(a for a in ADJECTIVES if fits(noun, a.groups) and a.kind not in barred)


@cache
def reasons_of(noun: Noun, names: tuple[str, ...]) -> tuple[Adjective, ...]:
    """The adjectives among `names` that can be said of the noun as a reason."""
    return tuple(a for a in ADJECTIVES if a.english in names and fits(noun, a.groups))


@cache
def deeds_with(topic: str, noun: Noun) -> tuple[Sense, ...]:
    """The senses of the topic that can have the noun as their object (the book that he *read*)."""
    return tuple(
        s for s in SENSES_OF[topic]
        if noun.english in s.objects and not s.preposition and s.role == "object" and not s.to
        and s.verb not in ("cook", "cut") and (s.verb != "learn" or noun.group != "instrument")
        and (s.verb != "draw" or noun.english == "picture")
    )  # fmt: skip


@cache
def deeds_at(topic: str, place: Noun) -> tuple[Sense, ...]:
    """The senses of the topic that happen at the place, for "went to the library to read"."""
    return tuple(
        s for s in SENSES_OF[topic]
        if place.english in s.places and "future" in s.tenses and not s.to and s.role == "object"
        and "adult" in s.who and s.verb not in ("laugh", "speak", "build")
    )  # fmt: skip


_IN = (
    "room kitchen classroom office yard library park garden forest field hospital restaurant "
    "museum city village house seoul busan river sea cafe palace theater bus store box bag"
).split()
_ON = "farm beach playground street bridge chair table".split()


def location_preposition(noun: Noun) -> str:
    """The English preposition for a place: "in" the library, "on" the beach, "at" the station."""
    return "in" if noun.english in _IN else "on" if noun.english in _ON else "at"
