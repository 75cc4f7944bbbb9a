"""The lists: written by two hands from common knowledge, before the model was opened."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

FOLDER = files(__package__) / "lists"
HANDS = ("one", "two")

DESCRIPTIONS = {
    "football": ("football", "a football player", "the World Cup"),
    "chess": ("chess", "a chess player", "a grandmaster"),
    "mathematics": ("mathematics", "a mathematician", "a proof of a theorem"),
    "architecture": ("architecture", "an architect", "the design of buildings"),
    "dance": ("dance", "a dancer", "a ballet"),
    "economics": ("economics", "an economist", "markets and money"),
    "fashion": ("fashion", "a fashion designer", "clothes"),
    "cooking": ("cooking", "a cook", "recipes of a chef"),
}
OF_FAMOUS = {
    "tennis": ("tennis", "a tennis player", "Wimbledon"),
    "painting": ("painting", "a painter", "pictures in a museum"),
    "physics": ("physics", "a physicist", "atoms and forces"),
    "acting": ("film acting", "an actor", "a part in a movie"),
    "singing": ("pop music", "a singer", "songs and albums"),
    "basketball": ("basketball", "a basketball player", "the NBA"),
    "politics": ("politics", "a president", "a government"),
    "novels": ("novels", "a novelist", "books of fiction"),
}
Said = Mapping[str, Sequence[str]]  # what stands for each profession


@cache
def _hand(name: str) -> dict[str, Any]:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def people() -> dict[str, list[str]]:
    """Return the people of each profession, of both hands in turn."""
    return {
        profession: [
            name
            for both in zip(*(_hand(h)["people"][profession] for h in HANDS), strict=True)
            for name in both
        ]
        for profession in DESCRIPTIONS
    }


def famous() -> dict[str, list[str]]:
    """Return people of eight other professions whom most readers know, of a third hand."""
    return dict(_hand("famous")["famous"])


def pairs(kind: str) -> list[str]:
    """Return pairs of words: "compounds", "related" or "opposites", of both hands."""
    return [pair.strip() for hand in HANDS for pair in _hand(hand)[kind].split(",")]


def rows(kind: str) -> list[list[str]]:
    """Return the rows of "facts", "triplets" or "pronouns", of both hands."""
    return [row for hand in HANDS for row in _hand(hand)[kind]]


def prose() -> list[str]:
    """Return sentences of this book, one a line of the file."""
    return (FOLDER / "prose.txt").read_text(encoding="utf-8").splitlines()


def drawn_prose(count: int, seed: int) -> list[str]:
    """Return some of these sentences, drawn by a seed."""
    sentences = prose()
    return random.Random(seed).sample(sentences, min(count, len(sentences)))


def mixed(listed: list[str], seed: int) -> list[str]:
    """Return each pair's first word with the second of another pair, three times."""
    split = [pair.split() for pair in listed]
    seconds = [second for _, second in split]
    draw = random.Random(seed)
    return [
        f"{first} {draw.choice([other for other in seconds if other not in (own, first)])}"
        for first, own in split
        for _ in range(3)
    ]


def every_text() -> list[str]:
    """Return all names, pairs and sentences, for a vocabulary that holds their words."""
    names = [name for each in (people(), famous()) for listed in each.values() for name in listed]
    said = [text for each in (DESCRIPTIONS, OF_FAMOUS) for texts in each.values() for text in texts]
    both = [pair for kind in ("compounds", "related", "opposites") for pair in pairs(kind)]
    longer = [
        text for kind in ("facts", "triplets", "pronouns") for row in rows(kind) for text in row
    ]
    return [*names, *said, *both, *longer, *prose()]
