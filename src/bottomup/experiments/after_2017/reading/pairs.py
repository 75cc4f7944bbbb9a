"""Chapter 10: does the second sentence follow? By shared words, and by networks like BERT."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int64
from torch import Tensor, nn

from bottomup.data import (
    SentencePair,
    Vocabulary,
    corrupt,
    documentation,
    next_sentence_pairs,
    overlap,
    pack,
)
from bottomup.data.batching import TensorBatch, pad, real_tokens
from bottomup.data.token_batches import generator_of
from bottomup.experiments.after_2017.reading.config import Config
from bottomup.models import Bert
from bottomup.training import fit, warmup_then_decay

LONGEST = 24  # words of a sentence
LENGTH = 2 * LONGEST + 3  # with three marks
RARE = 5  # words that come less often are unknown
TRAINED, TESTED, BATCHES = 7_000, 8_000, 9_000  # seeds of pairs and batches
AT_ONCE = 200
NEGATIVES = ("other", "swapped")


@dataclass(frozen=True, eq=False)
class PairBatch(TensorBatch):
    """Two sentences in a row, corrupted, and whether the second follows.

    Attributes:
        read: token numbers as the network reads them.
        original: those that stood there.
        chosen: True where the original is to be predicted.
        segments: 0 in the first sentence, 1 in the second.
        real: False at padding.
        follows: True where the second sentence is the first one's successor.
    """

    read: Int64[Tensor, "batch position"]
    original: Int64[Tensor, "batch position"]
    chosen: Bool[Tensor, "batch position"]
    segments: Int64[Tensor, "batch position"]
    real: Bool[Tensor, "batch position"]
    follows: Bool[Tensor, " batch"]

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return int(self.real.sum())


@cache
def words() -> Vocabulary:
    """Return the words of the documents that are trained on; the mask token follows behind."""
    training = documentation(longest=LONGEST).training
    return Vocabulary.build((s for document in training for s in document), min_count=RARE)


def pairs(part: str, negatives: str, seed: int) -> list[SentencePair]:
    """Return pairs of the documents to train on or to test."""
    documents = getattr(documentation(longest=LONGEST), part)
    generator = torch.Generator().manual_seed((TRAINED if part == "training" else TESTED) + seed)
    return next_sentence_pairs(documents, generator=generator, negatives=negatives)


def make_batch(chosen: Sequence[SentencePair], generator: torch.Generator | None) -> PairBatch:
    """Join pairs to one batch, corrupted by a generator, or as they are with None."""
    vocabulary = words()
    joined = [pack(vocabulary.encode(p.first), vocabulary.encode(p.second)) for p in chosen]
    original = pad([tokens for tokens, _segments in joined])
    asked, read = torch.zeros_like(original, dtype=torch.bool), original
    if generator is not None:
        read, asked = corrupt(
            original, mask_id=len(vocabulary), vocabulary=len(vocabulary), generator=generator
        )
    return PairBatch(
        read,
        original,
        asked,
        pad([segments for _tokens, segments in joined]),
        real_tokens([len(tokens) for tokens, _segments in joined]),
        torch.tensor([p.follows for p in chosen]),
    )


def stream(config: Config, negatives: str, seed: int) -> Callable[[int], PairBatch]:
    """Return ``step -> PairBatch``, of pairs drawn at random."""
    drawn_from = pairs("training", negatives, seed)

    def batch(step: int) -> PairBatch:
        generator = generator_of(BATCHES + seed, step)
        drawn = torch.randint(len(drawn_from), (config.pair_batch,), generator=generator)
        return make_batch([drawn_from[i] for i in drawn.tolist()], generator)

    return batch


def both_losses(model: nn.Module, batch: PairBatch) -> Tensor:
    """Return BERT's loss: that of the chosen tokens, plus that of the pair."""
    said = model(batch.read, batch.segments, batch.real[:, None])
    pair = F.binary_cross_entropy_with_logits(said.follows, batch.follows.float())
    tokens = F.cross_entropy(said.logits[batch.chosen], batch.original[batch.chosen])
    total: Tensor = pair + tokens
    return total


def train_pairs(config: Config, negatives: str, seed: int, checkpoint: Path | None = None) -> Bert:
    """Train a network on both tasks."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Bert(config.pair_config(len(words()) + 1, LENGTH))
    fit(
        model,
        stream(config, negatives, seed),
        steps=config.pair_steps,
        loss=both_losses,
        optimizer=torch.optim.AdamW(model.parameters(), lr=config.pair_rate, weight_decay=0.01),
        schedule=warmup_then_decay(warmup=config.pair_steps // 10 + 1, steps=config.pair_steps),
        seed=seed,
        checkpoint=checkpoint,
    )
    return model.eval()


@torch.no_grad()
def accuracy(model: Bert, tested: Sequence[SentencePair]) -> float:
    """Return the share of pairs that a network judges rightly."""
    right = 0
    for first in range(0, len(tested), AT_ONCE):
        batch = make_batch(tested[first : first + AT_ONCE], None)
        said = model(batch.read, batch.segments, batch.real[:, None]).follows > 0
        right += int((said == batch.follows).sum())
    return right / len(tested)


def by_words(taught: Sequence[SentencePair], tested: Sequence[SentencePair]) -> float:
    """Return the share told by the words in common: above a bound, the second follows.

    The bound is the one that tells most of the first pairs.
    """
    shares, follows = _shares(taught)
    order = shares.argsort()
    # With the bound behind the k-th smallest share: below it no pair follows, above it each does.
    right = (~follows[order]).cumsum(0) + follows.sum() - follows[order].cumsum(0)
    bound = shares[order][right.argmax()]
    shares, follows = _shares(tested)
    return ((shares > bound) == follows).double().mean().item()


def _shares(chosen: Sequence[SentencePair]) -> tuple[Tensor, Tensor]:
    shares = torch.tensor([overlap(p.first, p.second) for p in chosen], dtype=torch.float64)
    return shares, torch.tensor([p.follows for p in chosen])


def measure_pairs(config: Config, seed: int, checkpoint: Path) -> dict[str, Any]:
    """Tell which sentence follows, in held-out documents, by words in common and by networks.

    ``words.other``: against sentences of other documents. ``trained_other`` and
    ``trained_swapped``: networks trained against either; each tested on both. A rule by words in
    common cannot tell two sentences from the same two swapped.
    """
    tested = {name: pairs("test", name, seed) for name in NEGATIVES}
    found: dict[str, Any] = {
        "words": {"other": by_words(pairs("training", "other", seed), tested["other"])}
    }
    for name in NEGATIVES:
        path = checkpoint.with_suffix(f".{name}")
        model = train_pairs(config, name, seed, path)
        found[f"trained_{name}"] = {test: accuracy(model, each) for test, each in tested.items()}
    for name in NEGATIVES:
        checkpoint.with_suffix(f".{name}").unlink(missing_ok=True)
    return found
