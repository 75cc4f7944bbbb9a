"""Sequences of one length in batches, for models that predict every token."""

from dataclasses import dataclass

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_integer, check_token_ids
from bottomup.data.batching import TensorBatch

ANY = torch.iinfo(torch.int64).max  # token numbers have no upper bound here


@dataclass(frozen=True, eq=False)
class TokenBatch(TensorBatch):
    """Sequences of one length, each of whose tokens is predicted.

    Attributes:
        sequences: token numbers.

    Example:
        >>> TokenBatch(torch.tensor([[5, 6, 7], [8, 9, 4]])).tokens
        6
    """

    sequences: Int64[Tensor, "batch position"]

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return self.sequences.numel()


class ImageStream:
    """Batches of whole sequences, drawn with replacement: ``stream(step)`` is always the same.

    Args:
        images: the sequences to draw from.
        batch_size: how many sequences a batch holds.
        seed: another seed gives other batches.

    Example:
        >>> stream = ImageStream(torch.tensor([[1, 2], [3, 4]]), batch_size=3, seed=0)
        >>> stream(0).sequences.shape
        torch.Size([3, 2])
    """

    def __init__(self, images: Int64[Tensor, "image pixel"], *, batch_size: int, seed: int) -> None:
        check_token_ids("images", images, "image pixel", vocabulary=ANY)
        check_integer("batch_size", batch_size, at_least=1)
        check_integer("seed", seed, at_least=0, below=2**63)
        self.images, self.batch_size, self.seed = images, batch_size, seed

    def __call__(self, step: int) -> TokenBatch:
        """Return the batch of a step."""
        generator = generator_of(self.seed, step)
        drawn = torch.randint(len(self.images), (self.batch_size,), generator=generator)
        return TokenBatch(self.images[drawn])


class WindowStream:
    """Batches of windows of one text, from random places: ``stream(step)`` is always the same.

    Args:
        text: token numbers, one after the other.
        length: positions in a window.
        batch_size: how many windows a batch holds.
        seed: another seed gives other batches.
    """

    def __init__(
        self, text: Int64[Tensor, " position"], *, length: int, batch_size: int, seed: int
    ) -> None:
        check_token_ids("text", text, "position", vocabulary=ANY)
        check_integer("length", length, at_least=1)
        if length > len(text):
            raise ValueError(f"length: expected at most the {len(text)} of the text, got {length}")
        check_integer("batch_size", batch_size, at_least=1)
        check_integer("seed", seed, at_least=0, below=2**63)
        self.windows = text.unfold(0, length, 1)  # a view: [first position, length]
        self.batch_size, self.seed = batch_size, seed

    def __call__(self, step: int) -> TokenBatch:
        """Return the batch of a step."""
        generator = generator_of(self.seed, step)
        drawn = torch.randint(len(self.windows), (self.batch_size,), generator=generator)
        return TokenBatch(self.windows[drawn])


def generator_of(seed: int, step: int) -> torch.Generator:
    """Return what a stream draws the batch of `step` with."""
    check_integer("step", step, at_least=0, below=2**63)
    return torch.Generator().manual_seed((1_000_000 * int(seed) + int(step)) % 2**64)
