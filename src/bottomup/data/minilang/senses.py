"""What can happen: each entry pairs one English verb with one Korean stem and the nouns that fit.

An entry is a *sense*. English "play" has four of them here, because Korean has a verb for each kind
of
instrument: 피아노를 치다, 플루트를 불다, 바이올린을 켜다, 게임을 하다. Every list of nouns is
written out, so that nobody eats a piano, and stands in the order of how often the corpus draws from
it.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense:
    """One English verb with one Korean stem.

    Attributes:
        topics: the topics it belongs to.
        verb: the English base form, a key of `verbs.VERBS`.
        stem: the Korean stem token; `honorific` replaces it behind an elder ("" if regular).
        who: groups and nouns that can be the subject; "-bird" is left out of its group.
        objects: the nouns that can be the object; none for an intransitive verb.
        preposition: what English puts before the object ("listen *to* music").
        role: the particle of the object, a key of `particles.PARTICLES`.
        places: where it happens, nouns for `place_role`: 에서, or 에 for what stays there.
        to: whom it is done to, groups for 에게 and 께.
        humble: the stem when the receiver, or the object of a verb without one, is an elder.
        tools: nouns for (으)로, with an English "with".
        manner: adverbs that fit.
        because: adjectives of the subject that are a reason to do it.
        unless: adjectives of the subject that are a reason not to do it.
        object_because: adjectives of the object that are a reason to do it.
        object_unless: adjectives of the object that are a reason not to do it.
        tenses: the tenses it occurs in (see `verb_phrases.TENSES`).
        predicate: "verb", or "exist" for stems that take no -느 before -다 (있다).
        refusal: 않, or 못하 for what one does not choose (찾지 못했다).
        negative: the Korean stem that replaces stem + not (알다, 모르다).
    """

    topics: tuple[str, ...]
    verb: str
    stem: str
    honorific: str = ""
    who: tuple[str, ...] = ("elder", "adult", "child")
    objects: tuple[str, ...] = ()
    preposition: str = ""
    role: str = "object"
    places: tuple[str, ...] = ()
    place_role: str = "in"
    to: tuple[str, ...] = ()
    humble: str = ""
    tools: tuple[str, ...] = ()
    manner: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    unless: tuple[str, ...] = ("busy", "tired", "sick", "sleepy")
    object_because: tuple[str, ...] = ()
    object_unless: tuple[str, ...] = ()
    tenses: tuple[str, ...] = ("past", "present", "future", "progressive", "was")
    predicate: str = "verb"
    negative: str = ""
    refusal: str = "않"


def sense(
    topics: str, verb: str, stem: str, objects: str = "", *,
    honorific: str = "", humble: str = "", preposition: str = "",
    role: str = "object", place_role: str = "in", predicate: str = "verb", negative: str = "",
    refusal: str = "않", **words: str,
) -> Sense:  # fmt: skip
    """Build a `Sense` from words separated by blanks: a table of senses reads as a table."""
    lists: dict[str, Any] = {name: tuple(text.split()) for name, text in words.items()}
    return Sense(
        topics=tuple(topics.split()), verb=verb, stem=stem, objects=tuple(objects.split()),
        honorific=honorific, humble=humble, preposition=preposition,
        role=role, place_role=place_role, predicate=predicate, negative=negative, refusal=refusal,
        **lists,
    )  # fmt: skip
