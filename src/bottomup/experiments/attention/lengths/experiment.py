"""Chapter 01: translators trained on short sentences, or on all, tested on all.

A variant's name joins a kind of attention with what it is trained on: ``short`` sentences alone,
or ``all``; ``reversed`` are all sentences with the order of the source turned round. Every training
has as many steps and as many tokens in a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from bottomup.data import BatchStream, Pair
from bottomup.data.minilang import SentencePair
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome
from bottomup.experiments.shared.recurrent import last_loss, train
from bottomup.experiments.shared.translation import Data, load_data, translation_metrics
from bottomup.models import Seq2SeqConfig

NAME = "attention_lengths"
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
VARIANTS = ("none_short", "none_all", "none_reversed", "bahdanau_short", "bahdanau_all")


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        longest_short: words of the longest sentence that counts as short, full stop included.
        bins: ranges of source lengths that are tested, both ends included; the first one is short.
        steps: of every training.
        corpus_size: of the mini-language; its seed is 0.
        tokens_per_batch, warmup, learning_rate, d_embedding, d_state: as in the chapter.
    """

    longest_short: int = 11
    bins: tuple[tuple[int, int], ...] = ((4, 7), (8, 11), (12, 15), (16, 20))
    steps: int = 600
    corpus_size: int = 60_000
    tokens_per_batch: int = 1024
    warmup: int = 50
    learning_rate: float = 3e-3
    d_embedding: int = 64
    d_state: int = 128


PRESETS = {
    "tiny": Config(
        bins=((4, 9), (10, 20)),
        steps=6,
        corpus_size=400,
        tokens_per_batch=32,
        warmup=2,
        d_embedding=5,
        d_state=8,
    ),
    "laptop": Config(steps=200),
    "recorded": Config(),
    "full": Config(steps=2400),
}


def variants(config: Config) -> Sequence[str]:
    """Return what is trained."""
    return VARIANTS


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train one variant under one seed; measure its translations of all test sentences."""
    attention, _, taught = variant.partition("_")
    data = load_data(config.corpus_size, 0)
    if taught == "reversed":
        data = turned(data)
    pairs = [pair for pair in data.train if taught != "short" or is_short(config, pair)]
    model, history = train(
        Seq2SeqConfig(
            source_vocabulary=len(data.source_words),
            target_vocabulary=len(data.target_tokens),
            attention=attention,
            d_embedding=config.d_embedding,
            d_state=config.d_state,
        ),
        BatchStream(pairs, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + seed),
        steps=config.steps,
        warmup=config.warmup,
        learning_rate=config.learning_rate,
        seed=seed,
        device=device,
        checkpoint=checkpoint,
    )
    found = {"loss": last_loss(history), "pairs": len(pairs)}
    return Outcome(found | translation_metrics(model, data, config.bins))


def is_short(config: Config, pair: Pair) -> bool:
    """Say whether a pair is one of short sentences, by its source."""
    return len(pair[0]) <= config.longest_short


class Turned(Data):
    """A corpus whose sources run from their last word to the first."""

    def encode(self, pairs: Sequence[SentencePair]) -> list[Pair]:
        """Return the token numbers of sentence pairs, those of the source turned round."""
        return [(source[::-1], target) for source, target in super().encode(pairs)]


def turned(data: Data) -> Turned:
    """Return a corpus with the order of its sources turned round."""
    pairs = [(source[::-1], target) for source, target in data.train]
    return Turned(data.test, data.source_words, data.target_tokens, pairs)


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
