"""Chapter 10b: networks trained on short sequences, asked in long ones."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.data import InductionBatch
from bottomup.experiments.decoder_of_today.config import Config
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.training import seeded
from bottomup.models import DecoderOnly, DecoderOnlyConfig
from bottomup.training import History, fit

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
EVALUATION_SEED = 7


def measure_length(config: Config, positions: str, trial: Trial) -> dict[str, dict[str, float]]:
    """Train one network; return its accuracy by stretch of positions, ``to_064``.

    ``whole``: every position may read all before it. ``window``: the last ones alone, as many as a
    training sequence has. ``sinks``: so many fewer, and the first ones of the sequence.
    """
    model = build(config, positions, trial.seed).to(trial.device)
    train(config, model, trial.seed, trial.checkpoint)
    batch = evaluated(config).to(trial.device)
    width, sinks = config.length, config.sinks
    return {
        "whole": by_stretch(config, model, batch),
        "window": by_stretch(config, within(model, width), batch),
        "sinks": by_stretch(config, within(model, width - sinks, sinks), batch),
    }


def build(config: Config, positions: str, seed: int) -> DecoderOnly:
    """Return an untrained network, with tables for the longest sequence."""
    with seeded(seed):
        return DecoderOnly(
            DecoderOnlyConfig(
                vocabulary=config.symbols,
                max_length=config.stretches[-1],
                d_model=config.d_model,
                num_layers=config.num_layers,
                num_heads=config.num_heads,
                positions=positions,
            )
        )


def train(config: Config, model: DecoderOnly, seed: int, checkpoint: Path | None = None) -> History:
    """Train a network; it is changed."""
    return fit(
        model,
        config.task(TRAINING_SEEDS + seed),
        steps=config.steps,
        loss=cross_entropy,
        optimizer=torch.optim.AdamW(model.parameters(), lr=config.learning_rate),
        seed=seed,
        checkpoint=checkpoint,
    )


def cross_entropy(model: torch.nn.Module, batch: InductionBatch) -> Tensor:
    """Return the mean negative log-probability of what can be known, in nats."""
    counted = batch.predictable
    return F.cross_entropy(model(batch.symbols)[counted], batch.following[counted])


def evaluated(config: Config) -> InductionBatch:
    """Return the sequences that every network is evaluated on."""
    return config.task(0).evaluation(config.sequences, config.stretches[-1], seed=EVALUATION_SEED)


def within(model: DecoderOnly, window: int, sinks: int = 0) -> DecoderOnly:
    """Return the same network with a window of positions that one may read."""
    other = DecoderOnly(replace(model.config, window=window, sinks=sinks))
    other.load_state_dict(model.state_dict())
    return other.to(model.embedding.weight.device)


@torch.no_grad()
def by_stretch(config: Config, model: DecoderOnly, batch: InductionBatch) -> dict[str, float]:
    """Return the share of right symbols among those that can be known, stretch by stretch."""
    right = model(batch.symbols).argmax(dim=-1) == batch.following
    found = {}
    for start, end in pairwise((0, *config.stretches)):
        counted = batch.predictable[:, start:end]
        found[label(end)] = right[:, start:end][counted].cpu().double().mean().item()
    return found


def label(end: int) -> str:
    """Return the name of the stretch that ends before a position."""
    return f"to_{end:03}"
