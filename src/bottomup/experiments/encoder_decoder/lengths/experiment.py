"""Chapter 05: do sinusoids carry a Transformer beyond the lengths that it was trained on?

Two Transformers copy sequences, one with ``sinusoidal`` positions and one with ``learned`` ones,
from the same batches under one seed. Then they copy longer sequences. A learned table has rows for
all positions, but those beyond the trained lengths are as they were drawn.
"""

from dataclasses import dataclass

import torch

from bottomup.data import SequenceTask, make_batch
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.experiments.shared.training import fit_adam, seeded
from bottomup.models import Transformer, TransformerConfig

VARIANTS = ("sinusoidal", "learned")  # kinds of positions
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
EVALUATION_SEED = 7


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        symbols: number of different symbols.
        min_length, max_length: lengths trained on, both included, equally often.
        lengths: evaluated.
        judged: those of them that are claimed about: `max_length`, and half as long again.
        sequences: evaluated of each length.
        d_model, layers, num_heads, d_ff: of the Transformers; `layers` on each side.
        steps, batch_size, warmup, learning_rate: of every training.
    """

    symbols: int = 10
    min_length: int = 3
    max_length: int = 12
    lengths: tuple[int, ...] = (12, 13, 15, 18, 24)
    judged: tuple[int, int] = (12, 18)
    sequences: int = 500
    d_model: int = 64
    layers: int = 2
    num_heads: int = 4
    d_ff: int = 128
    steps: int = 800
    batch_size: int = 64
    warmup: int = 50
    learning_rate: float = 3e-3


PRESETS = {
    "tiny": Config(
        max_length=6,
        lengths=(6, 9),
        judged=(6, 9),
        sequences=7,
        d_model=8,
        layers=1,
        num_heads=2,
        d_ff=11,
        steps=3,
        batch_size=5,
        warmup=2,
    ),
    "laptop": Config(sequences=200),
    "recorded": Config(),
    "full": Config(steps=8_000, sequences=5_000),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one Transformer under one seed; measure what it copies rightly, by length."""
    task = SequenceTask(
        "copy",
        symbols=config.symbols,
        min_length=config.min_length,
        max_length=config.max_length,
        batch_size=config.batch_size,
        seed=TRAINING_SEEDS + trial.seed,
    )
    with seeded(trial.seed):
        model = Transformer(_model_config(config, variant, len(task.vocabulary))).to(trial.device)
    fit_adam(model, task, cross_entropy, config, trial, steps=config.steps)
    return Outcome(
        {
            "accuracy": {
                length: symbol_accuracy(model, task, length, config.sequences)
                for length in config.lengths
            }
        }
    )


def symbol_accuracy(model: Transformer, task: SequenceTask, length: int, count: int) -> float:
    """Return the share of symbols predicted rightly, the true ones before each given."""
    device = next(model.parameters()).device
    batch = make_batch(task.pairs(length, count, seed=EVALUATION_SEED)).to(device)
    with torch.no_grad():
        said = model(batch).logits.argmax(dim=-1)
    return (said == batch.target_out)[:, :length].cpu().double().mean().item()  # without EOS


def _model_config(config: Config, positions: str, vocabulary: int) -> TransformerConfig:
    return TransformerConfig(
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        d_model=config.d_model,
        encoder_layers=config.layers,
        decoder_layers=config.layers,
        num_heads=config.num_heads,
        d_ff=config.d_ff,
        positions=positions,
    )
