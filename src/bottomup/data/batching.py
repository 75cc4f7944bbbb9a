"""From pairs of token numbers to padded batches.

A pair is ``(source, target)``, two lists of token numbers without special tokens. The source gets
EOS appended; the decoder reads ``BOS + target`` and is asked for ``target + EOS``, one step ahead
(teacher forcing). Chapter 01 uses it first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Int64, Integer
from torch import Tensor

from bottomup.checks import check_integer, check_switch
from bottomup.data.vocabulary import BOS, EOS, PAD, UNK

Pair = tuple[list[int], list[int]]


B = TypeVar("B", bound="TensorBatch")


@dataclass(frozen=True, eq=False)
class TensorBatch:
    """A batch whose fields are tensors. It equals itself alone; compare two by their tensors.

    A dataclass that inherits it and has a property `tokens` is what `fit` asks for, like `Batch`:
    `tokens` is what the loss is a mean over.
    """

    def to(self: B, device: torch.device | str) -> B:
        """Return the batch on another device."""
        return replace(self, **{name: field.to(device) for name, field in vars(self).items()})


@dataclass(frozen=True, eq=False)
class Batch(TensorBatch):
    """A padded batch. Masks are True at real tokens (EOS and BOS are real, PAD is not).

    Attributes:
        source: source tokens, each row ends with EOS, then PAD.
        source_mask: True at the real tokens of `source`.
        target_in: what the decoder reads, each row starts with BOS.
        target_out: what it should answer, each row ends with EOS.
        target_mask: True at the real tokens of `target_in` and of `target_out`.
    """

    source: Int64[Tensor, "batch source"]
    source_mask: Bool[Tensor, "batch source"]
    target_in: Int64[Tensor, "batch target"]
    target_out: Int64[Tensor, "batch target"]
    target_mask: Bool[Tensor, "batch target"]

    @property
    def tokens(self) -> int:
        """Number of real target tokens, EOS included."""
        return int(self.target_mask.sum())

    def __len__(self) -> int:
        return self.source.shape[0]


def check_batch(batch: object) -> None:
    """Check that a model that reads pairs is given a `Batch`."""
    if not isinstance(batch, Batch):
        made = "`make_batch([(source, target), ...])` makes one of token numbers"
        raise TypeError(f"batch: expected a Batch, got {type(batch).__name__}; {made}")


def make_batch(pairs: Sequence[Pair]) -> Batch:
    """Pad pairs of token numbers to one batch.

    An empty target is allowed, and EOS alone remains of it: so a sentence without a known
    translation can be batched for decoding. An empty source is refused.

    Args:
        pairs: ``[(source, target), ...]``, token numbers without PAD, BOS and EOS.

    Example:
        >>> batch = make_batch([([5, 6], [7]), ([8], [])])
        >>> batch.source  # EOS is 2, PAD 0
        tensor([[5, 6, 2],
                [8, 2, 0]])
        >>> batch.target_in, batch.target_out
        (tensor([[1, 7],
                [1, 0]]), tensor([[7, 2],
                [2, 0]]))
    """
    _check_pairs(pairs)
    return _padded(pairs)


def _padded(pairs: Sequence[Pair]) -> Batch:
    """Make a batch of pairs that are known to be good."""
    return Batch(
        source=pad([[*source, EOS] for source, _ in pairs]),
        source_mask=real_tokens([len(source) + 1 for source, _ in pairs]),
        target_in=pad([[BOS, *target] for _, target in pairs]),
        target_out=pad([[*target, EOS] for _, target in pairs]),
        target_mask=real_tokens([len(target) + 1 for _, target in pairs]),
    )


class StoredPairs(Sequence[Pair]):
    """Pairs that lie elsewhere: checked when they were stored, and read one by one.

    Attributes:
        source_lengths, target_lengths: number of tokens of each pair's sides.
    """

    source_lengths: Integer[np.ndarray, " pair"]
    target_lengths: Integer[np.ndarray, " pair"]


class BatchStream:
    """Batches of equal source length, as a function of the step: ``stream(step) -> Batch``.

    One epoch is `steps_per_epoch` steps and holds each pair exactly once; each epoch has its own
    order. A batch depends on `seed` and `step` alone, so that training can resume at any step.

    The pairs of one source length n (without EOS) are divided into batches of nearly equal size,
    at most ``max(1, tokens_per_batch // (n + 1))`` pairs each. Sources need no padding; targets
    may. With `sort_targets` pairs of like target length share a batch, as far as pairs of one
    source length are many, and little padding is left.

    Of `StoredPairs` only the lengths are read beforehand, and the tokens of a batch when it is
    asked for: the same batches as of a list of the same pairs.

    Args:
        pairs: ``[(source, target), ...]`` as for `make_batch`, or `StoredPairs`.
        tokens_per_batch: source tokens in a batch, EOS included; a longer pair stands alone.
        seed: fixes the order.
        sort_targets: whether the pairs of one source length are sorted by target length, those of
            one length at random, before they are divided.

    Example:
        >>> stream = BatchStream([([5], [6]), ([7, 8], [9])], tokens_per_batch=4, seed=0)
        >>> stream.steps_per_epoch
        2
        >>> sorted(stream(step).source.tolist() for step in range(2))
        [[[5, 2]], [[7, 8, 2]]]
    """

    def __init__(
        self, pairs: Sequence[Pair], *, tokens_per_batch: int, seed: int, sort_targets: bool = False
    ) -> None:
        check_integer("tokens_per_batch", tokens_per_batch, at_least=1, below=2**63)
        check_integer("seed", seed, at_least=0, below=2**63)
        check_switch("sort_targets", sort_targets)
        if isinstance(pairs, StoredPairs):
            self._pairs: Sequence[Pair] = pairs
            sources, self._target_lengths = pairs.source_lengths, pairs.target_lengths
        else:
            _check_pairs(pairs)
            self._pairs = list(pairs)
            sources = np.array([len(source) for source, _ in pairs])
            self._target_lengths = np.array([len(target) for _, target in pairs])
        self._seed = seed
        self._sort_targets = sort_targets
        by_length = np.argsort(sources, kind="stable")
        lengths, first = np.unique(sources[by_length], return_index=True)
        self._buckets = [
            (members, -(-len(members) // max(1, int(tokens_per_batch) // (length + 1))))
            for length, members in zip(
                lengths.tolist(), np.split(by_length, first[1:]), strict=True
            )
        ]
        self._epoch = 0
        self._order = self._shuffled(0)

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches in which each pair comes once."""
        return sum(batches for _, batches in self._buckets)

    def __call__(self, step: int) -> Batch:
        """Return the batch of `step`, counted from 0 through all epochs."""
        check_integer("step", step, at_least=0, below=2**63)
        epoch, place = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._shuffled(epoch)
        return _padded([self._pairs[index] for index in self._order[place].tolist()])

    def _shuffled(self, epoch: int) -> list[Int64[np.ndarray, " pair"]]:
        """Shuffle within each bucket, cut it into batches, shuffle the batches."""
        generator = np.random.default_rng([self._seed, epoch])
        batches: list[np.ndarray] = []
        for bucket, count in self._buckets:
            members = generator.permutation(bucket)
            if self._sort_targets:
                lengths = self._target_lengths[members]
                members = members[np.argsort(lengths, kind="stable")]
            batches += np.array_split(members, count)
        return [batches[place] for place in generator.permutation(len(batches))]


def _check_pairs(pairs: object) -> None:
    if not isinstance(pairs, Sequence):
        kind = type(pairs).__name__
        raise TypeError(f"pairs: expected a list of pairs (source, target), got {kind}")
    if len(pairs) == 0:
        raise ValueError("pairs: expected at least one pair, got none")
    for number, pair in enumerate(pairs):
        check_pair(f"pairs[{number}]", pair)


def check_pair(name: str, pair: object) -> None:
    """Check a pair (source, target): lists of token numbers from UNK on, the source not empty."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"{name}: expected a pair (source, target), got {pair!r}")
    source, target = pair
    _check_ids(f"{name} source", source)
    _check_ids(f"{name} target", target)
    if not source:
        raise ValueError(f"{name} source: expected at least one token, got none")


def _check_ids(name: str, ids: list[int]) -> None:
    if not isinstance(ids, list) or not {type(number) for number in ids} <= {int}:
        raise TypeError(f"{name}: expected a list of int, got {ids!r}")
    if ids and min(ids) < UNK:
        raise ValueError(
            f"{name}: expected token numbers of at least {UNK}, got {min(ids)} "
            "(padding, BOS and EOS are added here)"
        )


def pad(rows: list[list[int]]) -> Int64[Tensor, "batch length"]:
    """Fill rows up with PAD to the length of the longest."""
    width = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows], dtype=torch.int64)


def real_tokens(lengths: list[int]) -> Bool[Tensor, "batch length"]:
    """Return True where a row of this length has a token, False in its padding."""
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
