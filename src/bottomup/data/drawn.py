"""Tasks whose batches are drawn at random: the same batch for the same seed and step."""

from typing import Generic, TypeVar

import numpy as np

from bottomup.checks import check_integer

TRAINING, EVALUATION = 0, 1  # separate random streams for the same seed

B = TypeVar("B")


class DrawnTask(Generic[B]):
    """A stream of batches, ``task(step)``, fixed by `seed` and `step` alone.

    A task is a frozen dataclass of this kind that says in `_draw` what a batch is.

    Attributes:
        batch_size: sequences in a batch.
        seed: fixes the batches.
    """

    batch_size: int
    seed: int

    def __post_init__(self) -> None:
        check_integer("batch_size", self.batch_size, at_least=1)
        check_integer("seed", self.seed, at_least=0, below=2**63)

    def __call__(self, step: int) -> B:
        """Return the training batch of `step`, counted from 0."""
        check_integer("step", step, at_least=0, below=2**63)
        return self._draw(self.batch_size, np.random.default_rng([self.seed, TRAINING, step]))

    def evaluation(self, count: int, *, seed: int) -> B:
        """Draw one batch for evaluation, from a stream apart from training.

        Args:
            count: number of sequences.
            seed: fixes them. The task's own seed has no influence.
        """
        check_integer("count", count, at_least=1)
        check_integer("seed", seed, at_least=0, below=2**63)
        return self._draw(count, np.random.default_rng([seed, EVALUATION]))

    def _draw(self, count: int, generator: np.random.Generator) -> B:
        raise NotImplementedError
