"""Chapter 01b: scores, spans and input feeding in Luong's order, on three tasks.

``translate``: the mini-language, whose verb stands last; every model sees the same batches under
one seed, for the same number of steps, as in chapter 01. ``sort``: digits in the order of their
size, a permutation that depends on what stands in the source. ``reverse``: one that does not.
"""

from dataclasses import dataclass
from typing import Any

from bottomup.data import BatchStream, Pair, SequenceTask
from bottomup.experiments.attention.reversal.experiment import EVALUATION_SEED, digit_accuracy
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared import links
from bottomup.experiments.shared.recurrent import last_loss, read_weights, train
from bottomup.experiments.shared.translation import (
    TranslatorConfig,
    load_data,
    parameter_count,
    translation_metrics,
)
from bottomup.metrics import links_from_weights
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters


@dataclass(frozen=True)
class Kind:
    """What a variant's name says: task, score, span and input feeding, joined by hyphens.

    ``translate-general-local_p-feed``: span and feeding may be left out.
    """

    task: str
    attention: str
    span: str = "global"
    input_feeding: bool = False

    @classmethod
    def parse(cls, name: str) -> "Kind":
        """Read a variant's name."""
        task, attention, *rest = name.split("-")
        span = next((part for part in rest if part != "feed"), "global")
        return cls(task, attention, span, "feed" in rest)


@dataclass(frozen=True, kw_only=True)
class Config(TranslatorConfig):
    """The choices of the experiment.

    Attributes:
        variants: what is trained, see `Kind`.
        half_width: D of the local spans, in source positions.
        symbols: different symbols to sort or to reverse.
        min_length, max_length: lengths of these sequences in training.
        sequences: number evaluated, of `max_length` symbols.
        batch_size: of the sequences.
    """

    variants: tuple[str, ...]
    half_width: int = 5
    symbols: int = 60
    min_length: int = 3
    max_length: int = 12
    sequences: int = 500
    batch_size: int = 64


FED = (
    "location-feed", "dot-feed", "general-feed", "additive-feed", "dot-local_m-feed",
    "general-local_m-feed", "dot-local_p-feed", "general-local_p-feed",
)  # fmt: skip
UNFED = ("location", "dot", "general", "additive", "general-local_m", "general-local_p")
TRANSLATED = tuple(f"translate-{name}" for name in ("bahdanau", *UNFED, *FED))
PERMUTED = tuple(
    f"{task}-{attention}"
    for task in ("sort", "reverse")
    for attention in ("none", "location", "general")
)

PRESETS = {
    "tiny": Config(
        variants=(*TRANSLATED, *PERMUTED),
        steps=6,
        half_width=2,
        corpus_size=400,
        bins=((4, 9), (10, 20)),
        symbols=7,
        max_length=5,
        sequences=11,
        tokens_per_batch=32,
        batch_size=5,
        warmup=2,
        d_embedding=5,
        d_state=8,
    ),
    "laptop": Config(variants=("sort-location", "sort-general")),
    "recorded": Config(variants=(*TRANSLATED, *PERMUTED)),
    "full": Config(variants=(*TRANSLATED, *PERMUTED), steps=2400),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one variant under one seed and measure it on its task."""
    kind = Kind.parse(variant)
    if kind.task == "translate":
        return Outcome(_translate(config, kind, trial))
    return Outcome(_permute(config, kind, trial))


def _translate(config: Config, kind: Kind, trial: Trial) -> dict[str, Any]:
    data = load_data(config.corpus_size, 0)
    sizes = len(data.source_words), len(data.target_tokens)
    batches = BatchStream(
        data.train, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + trial.seed
    )
    model, loss = _train(config, kind, sizes, batches, trial)
    weights = read_weights(model, data.encode(data.test))
    found = [links_from_weights(rows) for rows in weights]
    return {
        "loss": loss,
        "parameters": parameter_count(model),
        **translation_metrics(model, data, config.bins),
        **links.agreement(found, data.test),
    }


def _permute(config: Config, kind: Kind, trial: Trial) -> dict[str, Any]:
    task = SequenceTask(
        kind.task,
        symbols=config.symbols,
        min_length=config.min_length,
        max_length=config.max_length,
        batch_size=config.batch_size,
        seed=TRAINING_SEEDS + trial.seed,
    )
    sizes = len(task.vocabulary), len(task.vocabulary)
    model, loss = _train(config, kind, sizes, task, trial)
    accuracy = digit_accuracy(model, task, config.max_length, config.sequences)
    metrics = {"loss": loss, "accuracy": accuracy}
    if kind.attention != "none":
        pairs = task.pairs(config.max_length, config.sequences, seed=EVALUATION_SEED)
        metrics["gold_weight"] = _weight_on_gold(model, task, pairs)
    return metrics


def _weight_on_gold(model: RNNSeq2Seq, task: SequenceTask, pairs: list[Pair]) -> float:
    """Return the mean weight on the position that holds the symbol to be written."""
    found = [
        rows[range(len(target)), task.align(source)].mean().item()
        for rows, (source, target) in zip(read_weights(model, pairs), pairs, strict=True)
    ]
    return sum(found) / len(found)


def _train(
    config: Config,
    kind: Kind,
    sizes: tuple[int, int],
    batches: BatchStream | SequenceTask,
    trial: Trial,
) -> tuple[RNNSeq2Seq, float]:
    model_config = Seq2SeqConfig(
        source_vocabulary=sizes[0],
        target_vocabulary=sizes[1],
        attention=kind.attention,
        span=kind.span,
        half_width=config.half_width,
        input_feeding=kind.input_feeding,
        d_embedding=config.d_embedding,
        d_state=config.d_state,
    )
    model, history = train(
        model_config,
        batches,
        config,
        trial,
        steps=config.steps,
    )
    return model, last_loss(history)
