"""Chapter 10: does the second sentence follow? What the words in common say of it."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from bottomup.data import SentencePair, documentation, next_sentence_pairs, overlap

LONGEST = 24  # words of a sentence
SEEDS = {"training": 7_000, "test": 8_000}  # of the pairs
NEGATIVES = ("other", "swapped")


def pairs(part: str, negatives: str, seed: int) -> list[SentencePair]:
    """Return pairs of Python's documentation, of its part "training" or "test"."""
    documents = documentation(longest=LONGEST)._asdict()[part]
    generator = torch.Generator().manual_seed(SEEDS[part] + seed)
    return next_sentence_pairs(documents, generator=generator, negatives=negatives)


def by_words(taught: Sequence[SentencePair], tested: Sequence[SentencePair]) -> float:
    """Return the share told by the words in common: above a bound, the second follows.

    The bound is the one that tells most of the first pairs.
    """
    shares, follows = _shares(taught)
    bounds = shares.unique()
    right = torch.stack([((shares > bound) == follows).sum() for bound in bounds])
    bound = bounds[right.argmax()]
    shares, follows = _shares(tested)
    return ((shares > bound) == follows).cpu().double().mean().item()


def _shares(chosen: Sequence[SentencePair]) -> tuple[Tensor, Tensor]:
    shares = torch.tensor([overlap(p.first, p.second) for p in chosen], dtype=torch.float64)
    return shares, torch.tensor([p.follows for p in chosen])


def measure_pairs(seed: int) -> dict[str, Any]:
    """Tell which sentence follows in held-out documents, by words in common.

    ``words``: the share told, by what does not follow: ``other``, a sentence of another document,
    or ``swapped``, the same two in the other order.
    """
    told = {name: by_words(*(pairs(part, name, seed) for part in SEEDS)) for name in NEGATIVES}
    return {"words": told}
