"""Sequences with a label at some of their positions, in batches.

Chapter 02 labels a pronoun with the noun it stands for, and a position with its number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.checks import check_integer
from bottomup.data.batching import TensorBatch, pad, real_tokens

Labelled = tuple[Sequence[int], Mapping[int, int]]


@dataclass(frozen=True, eq=False)
class LabelledBatch(TensorBatch):
    """Padded sequences, with a class at some positions.

    Attributes:
        source: token numbers, each row padded with PAD at its end.
        source_mask: True at the real tokens of `source`.
        labels: the class of each labelled position; 0 at every other.
        label_mask: True where there is a label.
    """

    source: Int64[Tensor, "batch position"]
    source_mask: Bool[Tensor, "batch position"]
    labels: Int64[Tensor, "batch position"]
    label_mask: Bool[Tensor, "batch position"]

    @property
    def tokens(self) -> int:
        """Number of labelled positions."""
        return int(self.label_mask.sum())


def make_labelled_batch(examples: Sequence[Labelled]) -> LabelledBatch:
    """Pad labelled sequences to one batch.

    Args:
        examples: ``[(token numbers, {position: class}), ...]``, without special tokens added.

    Example:
        >>> batch = make_labelled_batch([([5, 6, 7], {2: 1}), ([8], {0: 0})])
        >>> batch.labels[batch.label_mask]
        tensor([1, 0])
    """
    if len(examples) == 0:
        raise ValueError("examples: expected at least one example, got none")
    for row, (tokens, classes) in enumerate(examples):
        _check_example(row, tokens, classes)
    source = pad([list(tokens) for tokens, _classes in examples])
    labels, label_mask = torch.zeros_like(source), torch.zeros_like(source, dtype=torch.bool)
    for row, (_tokens, classes) in enumerate(examples):
        for position, label in classes.items():
            labels[row, position] = label
            label_mask[row, position] = True
    source_mask = real_tokens([len(tokens) for tokens, _classes in examples])
    return LabelledBatch(source, source_mask, labels, label_mask)


def _check_example(row: int, tokens: Sequence[int], classes: Mapping[int, int]) -> None:
    if len(tokens) == 0:
        raise ValueError(f"examples[{row}]: expected at least one token, got none")
    for what, numbers in (("token numbers", tokens), ("labels", (*classes, *classes.values()))):
        if not {type(number) for number in numbers} <= {int}:
            raise TypeError(f"examples[{row}]: expected {what} of type int, got {numbers!r}")
    outside = [position for position in classes if not 0 <= position < len(tokens)]
    if outside:
        raise ValueError(
            f"examples[{row}]: expected labels at positions in [0, {len(tokens)}), got {outside[0]}"
        )


class LabelledStream:
    """Batches drawn at random with replacement, as a function of the step: ``stream(step)``.

    A batch depends on `seed` and `step` alone, so that training can resume at any step.

    Args:
        examples: as for `make_labelled_batch`.
        batch_size: examples in a batch.
        seed: fixes the batches.

    Example:
        >>> stream = LabelledStream([([5, 6], {1: 0})], batch_size=2, seed=0)
        >>> stream(0).source
        tensor([[5, 6],
                [5, 6]])
    """

    def __init__(self, examples: Sequence[Labelled], *, batch_size: int, seed: int) -> None:
        if len(examples) == 0:
            raise ValueError("examples: expected at least one example, got none")
        check_integer("batch_size", batch_size, at_least=1)
        check_integer("seed", seed, at_least=0, below=2**63)
        self._examples, self._batch_size, self._seed = examples, batch_size, seed

    def __call__(self, step: int) -> LabelledBatch:
        """Return the batch of `step`."""
        check_integer("step", step, at_least=0, below=2**63)
        generator = np.random.default_rng([self._seed, step])
        chosen = generator.integers(len(self._examples), size=self._batch_size)
        return make_labelled_batch([self._examples[index] for index in chosen])
