"""What is measured of the model that somebody else trained, and at which sizes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """The sizes of the measurement.

    Attributes:
        trained: whether the published weights are read; without, a small untrained encoder stands
            in their place, for tests.
        people: of each of the eight professions, at most 16.
        mixed: names of two people, whose mean weights a frozen head reads with.
        sentences: of this book's prose, drawn by the seed from twice as many.
        types: the most frequent words, whose copies are compared.
        copies: at most so many of each.
        units: of the sparse autoencoder.
        active: units that are on for one vector.
        steps: of its training.
        warmup: steps in which its learning rate rises.
    """

    trained: bool = True
    people: int = 16
    mixed: int = 1_000
    sentences: int = 1_000
    types: int = 60
    copies: int = 400
    units: int = 1_536
    active: int = 16
    steps: int = 1_500
    warmup: int = 50


PRESETS = {
    "tiny": Config(False, 3, 20, 30, 5, 20, 24, 3, 4, 2),
    "laptop": Config(people=8, sentences=300, steps=300),
    "recorded": Config(),
    "full": Config(),
}
