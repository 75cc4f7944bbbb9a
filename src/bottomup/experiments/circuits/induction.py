"""Chapter 09: networks that learn to repeat, and which of their parts do it."""

from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.analysis import (
    composition,
    copying_score,
    kept,
    output_value,
    patched,
    prefix_matching_score,
    previous_token_score,
    query_key,
)
from bottomup.attention import MultiHeadAttention
from bottomup.data import InductionBatch
from bottomup.experiments.circuits.config import TRAININGS, Config, Trained
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.curve import Curve, Point
from bottomup.experiments.shared.training import seeded
from bottomup.models import AttentionOnly, AttentionOnlyConfig
from bottomup.training import History, fit
from bottomup.training.run import OnStep

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
EVALUATION_SEED = 7
EDGES = (0.1, 0.9)  # shares of the loss's drop between which its window lies


def measure_training(config: Config, name: str, trial: Trial) -> dict[str, Any]:
    """Train one network under one seed; measure what it answers and what its parts do for it.

    - ``accuracy``, ``loss``: share of predictable places at which the right symbol has the largest
      logit, and cross-entropy there, in nats; ``accuracy_early``: after `config.steps`.
    - ``heads``: what `head_scores` gives.
    - ``curve``: `point` before training and after every few steps, ``step_0040``.
    - ``window``: what `window` gives.
    - ``cut``, ``composition``, of two layers: what `cut_paths` and `compositions` give; the second
      also before training, ``composition_at_start``.
    """
    trained = TRAININGS[name]
    model = build(config, trained, trial.seed).to(trial.device)
    batch = evaluated(config, trained.start).to(trial.device)
    curve = Curve(trial.checkpoint)
    if not curve.points:
        curve.add(_label(0), **point(model, batch))
    at_start = compositions(model)
    every = config.every * config.steps_of(trained) // config.steps

    def follow(step: int, _history: History) -> None:
        if (step + 1) % every == 0:
            curve.add(_label(step + 1), **point(model, batch))

    train(config, trained, model, trial.seed, trial.checkpoint, follow)
    measures: dict[str, Any] = {
        "accuracy": accuracy(model, batch),
        "accuracy_early": curve.points[_label(config.steps)]["accuracy"],
        "loss": cross_entropy(model, batch, everywhere=False).item(),
        "heads": head_scores(model, batch),
        "curve": dict(curve.points),
        "window": window(list(curve.points.values())),
    }
    if trained.layers == 2:
        measures["cut"] = cut_paths(model, batch)
        measures["composition"] = compositions(model)
        measures["composition_at_start"] = at_start
    return measures


def build(config: Config, trained: Trained, seed: int) -> AttentionOnly:
    """Return an untrained network."""
    with seeded(seed):
        return AttentionOnly(
            AttentionOnlyConfig(
                vocabulary=config.symbols,
                outputs=config.symbols,
                d_model=config.d_model,
                num_layers=trained.layers,
                num_heads=trained.heads,
                positions=trained.positions,
                causal=True,
            )
        )


def evaluated(config: Config, start: str) -> InductionBatch:
    """Return the sequences that every network of a kind is evaluated on."""
    return config.task(start, 0).evaluation(config.sequences, seed=EVALUATION_SEED)


def train(
    config: Config,
    trained: Trained,
    model: AttentionOnly,
    seed: int,
    checkpoint: Path | None = None,
    on_step: OnStep | None = None,
) -> History:
    """Train a network; it is changed."""
    return fit(
        model,
        config.task(trained.start, TRAINING_SEEDS + seed),
        steps=config.steps_of(trained),
        loss=lambda model, batch: cross_entropy(model, batch, everywhere=trained.everywhere),
        optimizer=torch.optim.AdamW(model.parameters(), lr=config.learning_rate),
        seed=seed,
        checkpoint=checkpoint,
        on_step=on_step,
    )


def cross_entropy(model: torch.nn.Module, batch: InductionBatch, *, everywhere: bool) -> Tensor:
    """Return the mean negative log-probability of the next symbol, in nats.

    Counted are the predictable places, or with `everywhere` all but the last of each sequence.
    """
    counted = batch.predictable
    if everywhere:
        counted = torch.ones_like(counted)
        counted[:, -1] = False
    return F.cross_entropy(model(batch.symbols).logits[counted], batch.following[counted])


@torch.no_grad()
def accuracy(model: AttentionOnly, batch: InductionBatch) -> float:
    """Return the share of predictable places at which the right symbol has the largest logit."""
    right = model(batch.symbols).logits.argmax(dim=-1) == batch.following
    return right[batch.predictable].cpu().double().mean().item()


@torch.no_grad()
def point(model: AttentionOnly, batch: InductionBatch) -> Point:
    """Return accuracy and loss, and the largest scores of a head.

    ``prefix`` is that of prefix matching in the last layer, ``previous`` that of the previous
    token in the first one.
    """
    output = model(batch.symbols)
    logits = output.logits[batch.predictable]  # [place, symbol]
    right = batch.following[batch.predictable]
    return {
        "accuracy": (logits.argmax(dim=-1) == right).cpu().double().mean().item(),
        "loss": F.cross_entropy(logits, right).item(),
        "prefix": prefix_matching_score(output.weights[-1], batch.symbols).max().item(),
        "previous": previous_token_score(output.weights[0]).mean(dim=0).max().item(),
    }


def window(points: list[Point]) -> dict[str, float]:
    """Say how much of the rise of both scores falls into the drop of the loss.

    The window begins at the last point before which the loss has fallen by less than a tenth of
    its whole drop, and ends at the first after nine tenths. ``start``, ``end``: as shares of the
    training. ``prefix``, ``previous``: the share of the score's rise between them, less the share
    of the steps between them, which is what a score would have that rises evenly.
    """
    losses = [each["loss"] for each in points]
    first, last = losses[0], losses[-1]
    early, late = (first - edge * (first - last) for edge in EDGES)
    end = next(i for i, loss in enumerate(losses) if loss <= late)
    start = max(i for i in range(end + 1) if losses[i] >= early or i == 0)
    steps = len(points) - 1
    found = {"start": start / steps, "end": end / steps}
    for name in ("prefix", "previous"):
        score = [each[name] for each in points]
        rise = score[-1] - score[0]
        share = (score[end] - score[start]) / rise if rise else 0.0
        found[name] = share - (end - start) / steps
    return found


@torch.no_grad()
def head_scores(model: AttentionOnly, batch: InductionBatch) -> dict[str, dict[str, float]]:
    """Return the scores of each head, ``layer_0_head_1``, and the accuracy without it.

    ``prefix``, ``previous``, ``copying``: see `bottomup.analysis`. ``off``: the accuracy where the
    head puts out zeros; ``layer_0`` has the accuracy where the whole layer does.
    """
    weights = model(batch.symbols).weights
    embedding, readout = model.embedding.weight, model.readout.weight
    found: dict[str, dict[str, float]] = {}
    for number, layer in enumerate(attentions(model)):
        prefix = prefix_matching_score(weights[number], batch.symbols)
        previous = previous_token_score(weights[number]).mean(dim=0)
        names = [f"layers.{number}:{head}" for head in range(layer.num_heads)]
        for head, name in enumerate(names):
            W_OV = output_value(layer, head)[:-1]
            with patched(model, {name: torch.zeros_like}):
                off = accuracy(model, batch)
            found[f"layer_{number}_head_{head}"] = {
                "prefix": prefix[head].item(),
                "previous": previous[head].item(),
                "copying": copying_score(W_OV, embedding, readout),
                "off": off,
            }
        with patched(model, dict.fromkeys(names, torch.zeros_like)):
            found[f"layer_{number}"] = {"off": accuracy(model, batch)}
    return found


@torch.no_grad()
def cut_paths(model: AttentionOnly, batch: InductionBatch) -> dict[str, float]:
    """Return the accuracy where one role of the second layer reads the stream at its start.

    ``keys``, ``queries``, ``values``: what layer 0 writes is taken out of these alone.
    ``straight``: it is taken out of what the readout reads, and left in all three.
    """
    second, start = attentions(model)[1], model.embed(batch.symbols)
    asked = model.in_scores(start)
    cuts = {
        "keys": {"layers.1.W_K": second.W_K(asked)},
        "queries": {"layers.1.W_Q": second.W_Q(asked)},
        "values": {"layers.1.W_V": second.W_V(start)},
    }
    found = {}
    for name, patches in cuts.items():
        with patched(model, patches):
            found[name] = accuracy(model, batch)
    with kept(model, ["layers.0"]) as outputs:
        states = model(batch.symbols).states
    logits = model.readout(states - outputs["layers.0"])
    right = logits.argmax(dim=-1) == batch.following
    return {**found, "straight": right[batch.predictable].cpu().double().mean().item()}


@torch.no_grad()
def compositions(model: AttentionOnly) -> dict[str, float]:
    """Return how much the second layer reads of what the first one writes, by role.

    The mean of `composition` over all pairs of a head of each layer, without biases; empty for one
    layer.
    """
    if len(model.layers) < 2:
        return {}
    first, second = attentions(model)
    pairs = [(g, h) for g in range(first.num_heads) for h in range(second.num_heads)]
    found = {"keys": 0.0, "queries": 0.0, "values": 0.0}
    for g, h in pairs:
        writes = output_value(first, g)[:-1]
        asks = query_key(second, h)[:-1, :-1]
        for role, reads in (
            ("keys", asks.T),
            ("queries", asks),
            ("values", output_value(second, h)[:-1]),
        ):
            found[role] += composition(writes, reads).item() / len(pairs)
    return found


def attentions(model: AttentionOnly) -> list[MultiHeadAttention]:
    """Return the layers, which all have heads."""
    return [cast(MultiHeadAttention, layer) for layer in model.layers]


def _label(step: int) -> str:
    return f"step_{step:05}"
