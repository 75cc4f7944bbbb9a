"""Chapter 01: translating the mini-language without attention and with four kinds of it.

Every model sees the same batches under one seed, for the same number of steps; the preset `full`
gives the fixed vector a larger budget too. Measured on the test sentences: BLEU and exact match, by
source length; and what the weights read, against the gold links and against the diagonal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bottomup.data import BatchStream
from bottomup.experiments.attention.examples import find_examples, keep_examples
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared import links
from bottomup.experiments.shared.recurrent import Variant, last_loss, read_weights, train
from bottomup.experiments.shared.translation import (
    Data,
    label,
    load_data,
    of_length,
    parameter_count,
    translation_metrics,
)
from bottomup.metrics import links_from_weights
from bottomup.models import Seq2SeqConfig

DIAGONAL = "diagonal"
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        variants: kinds of attention with their training steps, ``bahdanau_600``.
        corpus_size, corpus_seed: of the mini-language.
        bins: ranges of source lengths (words, full stop included), both ends included.
        examples: for each sentence whose weights are kept, words that it contains: the shortest
            such test sentence is taken.
        examples_seed: the seed of the models whose weights are kept.
        tokens_per_batch, warmup, learning_rate, d_embedding, d_state: as in the chapter.
    """

    variants: tuple[str, ...]
    corpus_size: int = 60_000
    corpus_seed: int = 0
    bins: tuple[tuple[int, int], ...] = ((4, 7), (8, 11), (12, 15), (16, 20))
    examples: tuple[str, ...] = (
        "wore shoes",
        "bought two",
        "who washed",
        "because it not",
        "because they",
        "when was",
        "ma'am not",
        "will to meet",
    )
    examples_seed: int = 0
    tokens_per_batch: int = 1024
    warmup: int = 50
    learning_rate: float = 3e-3
    d_embedding: int = 64
    d_state: int = 128


LUONG = ("dot", "general", "concat")

PRESETS = {
    "tiny": Config(
        variants=("none_12", "none_24", "bahdanau_12", *(f"{kind}_12" for kind in LUONG)),
        corpus_size=400,
        bins=((4, 9), (10, 20)),
        examples=("the", "a"),
        tokens_per_batch=32,
        warmup=5,
        d_embedding=5,
        d_state=8,
    ),
    "laptop": Config(variants=("none_600", "bahdanau_600")),
    "recorded": Config(variants=("none_600", "bahdanau_600", *(f"{kind}_600" for kind in LUONG))),
    "full": Config(
        variants=("none_2400", "none_9600", "bahdanau_2400", *(f"{kind}_2400" for kind in LUONG))
    ),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one variant under one seed; measure its translations and its links."""
    data = load_data(config.corpus_size, config.corpus_seed)
    if variant == DIAGONAL:
        found = [links.diagonal(pair) for pair in data.test]
        return Outcome(_sizes(config, data) | links.agreement(found, data.test))
    kind = Variant.parse(variant)
    model, history = train(
        _model_config(config, kind.attention, data),
        BatchStream(
            data.train, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + trial.seed
        ),
        config,
        trial,
        steps=kind.steps,
    )
    metrics = {"loss": last_loss(history), "parameters": parameter_count(model)}
    metrics |= translation_metrics(model, data, config.bins)
    if kind.attention == "none":
        return Outcome(metrics)
    weights = read_weights(model, data.encode(data.test))
    metrics |= links.agreement([links_from_weights(rows) for rows in weights], data.test)
    if trial.seed != config.examples_seed:
        return Outcome(metrics)
    examples = find_examples(data.test, config.examples)
    return Outcome(metrics, keep_examples(examples, read_weights(model, data.encode(examples))))


def _sizes(config: Config, data: Data) -> dict[str, Any]:
    counts = {label(ends): len(of_length(data.test, ends)) for ends in config.bins}
    return {"sentences": len(data.test), "sentences_by_length": counts}


def _model_config(config: Config, attention: str, data: Data) -> Seq2SeqConfig:
    return Seq2SeqConfig(
        source_vocabulary=len(data.source_words),
        target_vocabulary=len(data.target_tokens),
        attention=attention,
        d_embedding=config.d_embedding,
        d_state=config.d_state,
    )


def variants(config: Config) -> Sequence[str]:
    """Return what the configuration compares: the diagonal, and each model."""
    return (DIAGONAL, *config.variants)
