"""Chapter 01: reversing digits, without attention and with it, within and beyond trained lengths.

Every model sees the same batches under one seed. Variants named for the same number of steps have
the same budget; the fixed vector gets larger ones too, to see what training buys. The digits are
drawn anew for each batch, so that only the training is shared with the experiments on translation.
"""

from dataclasses import dataclass

from bottomup.data import SequenceTask
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import Variant, decode, last_loss, train
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig

EVALUATION_SEED = 7
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        variants: kinds of attention with their training steps, ``none_800``.
        symbols: number of different digits; a guess is right once in so many.
        min_length, max_length: lengths trained on, both included, equally often.
        lengths: lengths evaluated; the shortest and `max_length` are among them.
        sequences: number evaluated for each length.
        batch_size, warmup, learning_rate, d_embedding, d_state: as in the chapter.
    """

    variants: tuple[str, ...]
    symbols: int = 10
    min_length: int = 3
    max_length: int = 12
    lengths: tuple[int, ...] = (3, 4, 6, 8, 10, 12, 15, 18, 21, 24)
    sequences: int = 500
    batch_size: int = 64
    warmup: int = 20
    learning_rate: float = 3e-3
    d_embedding: int = 32
    d_state: int = 96


PRESETS = {
    "tiny": Config(
        variants=("none_12", "bahdanau_12", "dot_12"),
        max_length=5,
        lengths=(3, 5, 7),
        sequences=20,
        batch_size=8,
        warmup=5,
        d_embedding=5,
        d_state=8,
    ),
    "laptop": Config(variants=("none_800", "bahdanau_800"), sequences=200),
    "recorded": Config(
        variants=("none_800", "none_3200", "none_12800", "bahdanau_800", "dot_800")
    ),
    "full": Config(
        variants=("none_800", "none_3200", "none_12800", "none_51200", "bahdanau_800", "dot_800")
    ),
}  # fmt: skip


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one variant under one seed; measure the share of digits right at each length."""
    kind = Variant.parse(variant)
    task = task_of(config, trial.seed)
    model, history = train(
        model_config(config, kind.attention, len(task.vocabulary)),
        task,
        config,
        trial,
        steps=kind.steps,
    )
    accuracy = {n: digit_accuracy(model, task, n, config.sequences) for n in config.lengths}
    trained, longest = accuracy[config.max_length], accuracy[max(config.lengths)]
    return Outcome(
        {
            "accuracy": accuracy,
            "fall_inside": accuracy[min(config.lengths)] - trained,
            "fall_beyond": trained - longest,
            "loss": last_loss(history),
        }
    )


def digit_accuracy(model: RNNSeq2Seq, task: SequenceTask, length: int, count: int) -> float:
    """Return the share of symbols that come out right at their place, decoded greedily."""
    pairs = task.pairs(length, count, seed=EVALUATION_SEED)
    written = decode(model, pairs, max_length=length)
    right = sum(
        digit == wanted
        for digits, (_source, target) in zip(written, pairs, strict=True)
        for digit, wanted in zip(digits, target, strict=False)
    )
    return right / (count * length)


def task_of(config: Config, seed: int) -> SequenceTask:
    """Return the batches of a seed."""
    return SequenceTask(
        "reverse",
        symbols=config.symbols,
        min_length=config.min_length,
        max_length=config.max_length,
        batch_size=config.batch_size,
        seed=TRAINING_SEEDS + seed,
    )


def model_config(config: Config, attention: str, vocabulary: int) -> Seq2SeqConfig:
    """Return a translator with a kind of attention."""
    return Seq2SeqConfig(
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        attention=attention,
        d_embedding=config.d_embedding,
        d_state=config.d_state,
    )
