"""Chapter 01: translators trained on short sentences, or on all, tested on all.

A variant's name joins a kind of attention with what it is trained on: ``short`` sentences alone,
or ``all``; ``reversed`` are all sentences with the order of the source turned round. Every training
has as many steps and as many tokens in a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bottomup.data import Pair
from bottomup.data.minilang import SentencePair
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import last_loss
from bottomup.experiments.shared.translation import (
    Data,
    TranslatorConfig,
    load_data,
    presets,
    train_translator,
    translation_metrics,
)

VARIANTS = ("none_short", "none_all", "none_reversed", "bahdanau_short", "bahdanau_all")


@dataclass(frozen=True, kw_only=True)
class Config(TranslatorConfig):
    """The choices of the experiment.

    Attributes:
        longest_short: words of the longest sentence that counts as short, full stop included. The
            first of the `bins` is short.
    """

    longest_short: int = 11


PRESETS = presets(Config)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one variant under one seed; measure its translations of all test sentences."""
    attention, _, taught = variant.partition("_")
    data = load_data(config.corpus_size, 0)
    if taught == "reversed":
        data = turned(data)
    pairs = [pair for pair in data.train if taught != "short" or is_short(config, pair)]
    model, history = train_translator(config, data, pairs, attention=attention, trial=trial)
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
