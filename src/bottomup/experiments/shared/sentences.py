"""Sentences of chapters 02 and 02b: things with a question, and words that name a neighbour."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.data.batching import TensorBatch

TRAINING, EVALUATION = 0, 1  # separate random streams for the same seed
NOUNS = COLOURS = 12
WHICH = COLOURS  # the word that takes the place of the colour in a question


@dataclass(frozen=True, eq=False)
class Sentences(TensorBatch):
    """Sentences, each thing a noun and a colour, and what is to be answered at some positions.

    Attributes:
        nouns, colours: one of each at a position.
        answers: what is to be said at the last positions of the sentence, as many as there are
            columns.
    """

    nouns: Int64[Tensor, "batch position"]
    colours: Int64[Tensor, "batch position"]
    answers: Int64[Tensor, "batch answer"]

    @property
    def tokens(self) -> int:
        """Number of answers."""
        return self.answers.numel()


@dataclass(frozen=True)
class Questions:
    """Sentences that name things, each noun once, and end in a question for the colour of one.

    Attributes:
        least, most: things in a sentence of training; all lengths between them are as frequent.
        batch_size: sentences in a batch.
        seed: fixes the batches.
    """

    least: int
    most: int
    batch_size: int
    seed: int

    def __call__(self, step: int) -> Sentences:
        """Return the training batch of `step`, counted from 0."""
        generator = np.random.default_rng([self.seed, TRAINING, step])
        things = int(generator.integers(self.least, self.most + 1))
        return _questions(things, self.batch_size, generator)

    def evaluation(self, things: int, count: int) -> Sentences:
        """Draw sentences of so many things, from a stream apart from training."""
        return _questions(things, count, np.random.default_rng([self.seed, EVALUATION, things]))


def _questions(things: int, count: int, generator: np.random.Generator) -> Sentences:
    nouns = generator.permuted(np.tile(np.arange(NOUNS), (count, 1)), axis=1)[:, :things]
    colours = generator.integers(COLOURS, size=(count, things))
    asked = generator.integers(things, size=(count, 1))
    answers = np.take_along_axis(colours, asked, axis=1)
    nouns = np.concatenate([nouns, np.take_along_axis(nouns, asked, axis=1)], axis=1)
    colours = np.concatenate([colours, np.full((count, 1), WHICH)], axis=1)
    return Sentences(*map(torch.from_numpy, (nouns, colours, answers)))


@dataclass(frozen=True)
class Neighbours:
    """Sentences of random nouns, in which every word but the first names the one to its left.

    Attributes:
        words: in a sentence.
        batch_size: sentences in a batch.
        seed: fixes the batches.
    """

    words: int
    batch_size: int
    seed: int

    def __call__(self, step: int) -> Sentences:
        """Return the training batch of `step`, counted from 0."""
        generator = np.random.default_rng([self.seed, TRAINING, step])
        return _neighbours(self.words, self.batch_size, generator)

    def evaluation(self, words: int, count: int) -> Sentences:
        """Draw sentences of so many words, from a stream apart from training."""
        return _neighbours(words, count, np.random.default_rng([self.seed, EVALUATION, words]))


def _neighbours(words: int, count: int, generator: np.random.Generator) -> Sentences:
    nouns = torch.from_numpy(generator.integers(NOUNS, size=(count, words)))
    return Sentences(nouns, torch.zeros_like(nouns), nouns[:, :-1])
