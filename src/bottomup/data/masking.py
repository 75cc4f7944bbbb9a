"""Corrupted sentences, from which a masked language model restores the original."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.checks import check_generator, check_integer, check_number, check_token_ids
from bottomup.data.batching import BatchStream, TensorBatch
from bottomup.data.token_batches import ANY, generator_of
from bottomup.data.vocabulary import SPECIAL_TOKENS

CHOSEN = 0.15  # share of the ordinary tokens that is predicted
MASKED, EXCHANGED = 0.8, 0.1  # of the chosen ones; the others stay as they are
FIRST = len(SPECIAL_TOKENS)  # the number of the first ordinary token


class Corrupted(NamedTuple):
    """What a model reads, and where it differs from the original or might.

    `tokens` are the corrupted token numbers; `chosen` is True where the original is to be
    predicted, also where the token was left as it is.
    """

    tokens: Int64[Tensor, "batch position"]
    chosen: Bool[Tensor, "batch position"]


@dataclass(frozen=True, eq=False)
class MaskedBatch(TensorBatch):
    """Corrupted sentences of one length, their originals, and where these are asked for.

    Attributes:
        corrupted: the token numbers that the model reads.
        original: those that stood there.
        chosen: True where the original is to be predicted.
    """

    corrupted: Int64[Tensor, "batch position"]
    original: Int64[Tensor, "batch position"]
    chosen: Bool[Tensor, "batch position"]

    @property
    def tokens(self) -> int:
        """Number of tokens to predict."""
        return int(self.chosen.sum())


def corrupt(
    tokens: Int64[Tensor, "batch position"],
    *,
    mask_id: int,
    vocabulary: int,
    generator: torch.Generator,
    chosen: int | float = CHOSEN,
) -> Corrupted:
    """Choose tokens to predict; hide 80 % of them, exchange 10 %, and leave 10 % as they are.

    Each ordinary token is chosen with probability `chosen`, apart from the others. A chosen token
    becomes `mask_id` with probability 0.8, an ordinary token drawn uniformly with 0.1 (which may be
    the same again), and else stays. The model cannot know which of the tokens it reads were left,
    so it has to hold something about each of them.

    Args:
        tokens: token numbers; those below 4 (padding, begin, end, unknown) are never chosen.
        mask_id: number of the mask token.
        vocabulary: ordinary tokens have the numbers from 4 to ``vocabulary - 1``.
        generator: draws, on its own device.
        chosen: probability of an ordinary token to be chosen.

    Source: Devlin et al. (2019), section 3.1 and appendix A.1. Chapter 08 derives it.

    Example:
        >>> tokens = torch.arange(4, 104).reshape(1, 100)
        >>> generator = torch.Generator().manual_seed(0)
        >>> found = corrupt(tokens, mask_id=104, vocabulary=104, generator=generator)
        >>> torch.equal(found.tokens[~found.chosen], tokens[~found.chosen])  # these stay
        True
    """
    check_integer("vocabulary", vocabulary, at_least=FIRST + 1)
    _check(tokens, vocabulary, generator, chosen)
    check_integer("mask_id", mask_id, at_least=0)
    if FIRST <= mask_id < vocabulary:
        raise ValueError(
            f"mask_id: expected a number outside [{FIRST}, {vocabulary}), got {mask_id}"
        )
    picked = (tokens >= FIRST) & (_uniform(tokens, generator) < chosen)
    fate = _uniform(tokens, generator)
    drawn = _integers(FIRST, vocabulary, tokens, generator)
    hidden = picked & (fate < MASKED)
    exchanged = picked & (fate >= MASKED) & (fate < MASKED + EXCHANGED)
    read = tokens.masked_fill(hidden, mask_id)
    return Corrupted(torch.where(exchanged, drawn, read), picked)


def exchange(
    tokens: Int64[Tensor, "batch position"],
    *,
    among: Int64[Tensor, " type"],
    generator: torch.Generator,
    chosen: int | float,
) -> Corrupted:
    """Exchange some tokens of a few types for other tokens of these types, and hide none.

    `corrupt` exchanges 1.5 % of the tokens, too few to measure what becomes of them in a network.
    Here every chosen token is exchanged, and always for another type.

    Args:
        tokens: token numbers.
        among: at least two different types; tokens of other types stay as they are.
        generator: draws, on its own device.
        chosen: probability of a token of these types to be exchanged.

    Source: ours; Voita et al. (2019) follow the positions that `corrupt` hides or exchanges.
    Chapter 08 uses it.
    """
    _check(tokens, ANY, generator, chosen)
    check_token_ids("among", among, "type", vocabulary=ANY)
    types = among.to(tokens.device).sort().values
    if len(types) < 2 or len(types.unique()) < len(types):
        raise ValueError(f"among: expected two or more different types, got {among.tolist()}")
    place = torch.searchsorted(types, tokens).clamp(max=len(types) - 1)  # of a token among them
    picked = (types[place] == tokens) & (_uniform(tokens, generator) < chosen)
    # Round the circle of types, never back to the same.
    steps = _integers(1, len(types), tokens, generator)
    return Corrupted(torch.where(picked, types[(place + steps) % len(types)], tokens), picked)


class MaskedStream:
    """The sources of a `BatchStream`, corrupted: ``stream(step)`` is always the same.

    Each batch holds the sentences that ``sentences(step)`` holds. A batch in which nothing was
    chosen is drawn again.

    Args:
        sentences: gives the batches; their sources are without padding.
        mask_id, vocabulary: as for `corrupt`.
        seed: another seed chooses other tokens.
    """

    def __init__(self, sentences: BatchStream, *, mask_id: int, vocabulary: int, seed: int) -> None:
        if not isinstance(sentences, BatchStream):
            raise TypeError(f"sentences: expected a BatchStream, got {sentences!r}")
        check_integer("seed", seed, at_least=0, below=2**63)
        self.sentences, self.seed = sentences, seed
        self.mask_id, self.vocabulary = mask_id, vocabulary
        self(0)  # refuses bad numbers now

    def __call__(self, step: int) -> MaskedBatch:
        """Return the batch of a step."""
        original = self.sentences(step).source
        if not (original >= FIRST).any():
            raise ValueError(f"sentences: expected an ordinary token in batch {step}, got none")
        generator = generator_of(self.seed, step)
        while True:
            corrupted, chosen = corrupt(
                original, mask_id=self.mask_id, vocabulary=self.vocabulary, generator=generator
            )
            if chosen.any():
                return MaskedBatch(corrupted, original, chosen)


def _check(
    tokens: Tensor, vocabulary: int, generator: torch.Generator, chosen: int | float
) -> None:
    check_token_ids("tokens", tokens, "batch position", vocabulary=vocabulary)
    check_generator("generator", generator)
    check_number("chosen", chosen, at_least=0, at_most=1)


def _uniform(tokens: Tensor, generator: torch.Generator) -> Tensor:
    drawn = torch.rand(tokens.shape, generator=generator, device=generator.device)
    return drawn.to(tokens.device)


def _integers(low: int, end: int, tokens: Tensor, generator: torch.Generator) -> Tensor:
    device = generator.device
    return torch.randint(low, end, tokens.shape, generator=generator, device=device).to(tokens)
