"""Chapter 11: sequences to be reversed, of all lengths in one batch."""

from collections.abc import Callable

import numpy as np

from bottomup.data import Batch, make_batch
from bottomup.data.batching import Pair
from bottomup.data.sequences import FIRST_SYMBOL
from bottomup.experiments.clinic.config import Config

TRAINING, TEST, FRESH = range(3)  # separate random streams for the same seed


def draw(config: Config, count: int, *stream: int) -> list[Pair]:
    """Draw pairs of a random stream: symbols, and the same from the last to the first."""
    generator = np.random.default_rng(stream)
    pairs = []
    for length in generator.integers(config.shortest, config.longest + 1, count).tolist():
        symbols = generator.integers(FIRST_SYMBOL, FIRST_SYMBOL + config.symbols, length).tolist()
        pairs.append((symbols, symbols[::-1]))
    return pairs


def batches(config: Config, seed: int, among: list[Pair] | None = None) -> Callable[[int], Batch]:
    """Return the batch of each step: new pairs, or pairs drawn from those given."""

    def batch(step: int) -> Batch:
        if among is None:
            return make_batch(draw(config, config.batch_size, seed, TRAINING, step))
        generator = np.random.default_rng([seed, TRAINING, step])
        chosen = generator.integers(len(among), size=config.batch_size)
        return make_batch([among[place] for place in chosen.tolist()])

    return batch
