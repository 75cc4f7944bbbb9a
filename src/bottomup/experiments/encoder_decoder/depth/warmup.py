"""Chapter 05: Transformers of several depths, with and without warm-up, in post- and pre-norm."""

from dataclasses import dataclass
from typing import Any, cast

import torch

from bottomup.blocks import FeedForward
from bottomup.data import Batch, SequenceTask, make_batch
from bottomup.experiments.encoder_decoder.depth.config import Config
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.recurrent import cross_entropy
from bottomup.experiments.shared.training import seeded
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import constant, fit, linear

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
EVALUATION_SEED = 7
LAST_STEPS = 20  # over which the loss is averaged
BETAS, EPSILON = (0.9, 0.98), 1e-9  # of Adam, Vaswani et al. (2017), section 5.3


@dataclass(frozen=True)
class Cell:
    """What a variant's name says: ``post_cold_12``.

    Attributes:
        norm: "post" or "pre".
        start: "warm" with warm-up, "cold" without, "slow" without and at the lower rate.
        layers: of encoder and of decoder each.
    """

    norm: str
    start: str
    layers: int

    @classmethod
    def parse(cls, name: str) -> "Cell":
        """Read a variant's name."""
        norm, start, layers = name.split("_")
        return cls(norm, start, int(layers))

    @property
    def name(self) -> str:
        """The variant's name."""
        return f"{self.norm}_{self.start}_{self.layers}"


def cells(config: Config) -> list[Cell]:
    """Return what is compared: every depth cold and warm, and one post-norm cell slow."""
    grid = [
        Cell(norm, start, layers)
        for norm in ("post", "pre")
        for start in ("cold", "warm")
        for layers in config.layers
    ]
    return [*grid, Cell("post", "slow", config.judged)]


def measure_cell(config: Config, cell: Cell, trial: Trial) -> dict[str, Any]:
    """Train one Transformer to reverse sequences.

    - ``loss``: mean over the last 20 steps, in nats a token.
    - ``curve``: the same mean at each tenth of the training, by the number of steps taken.
    - ``accuracy``: share of right tokens on fresh sequences, given the true tokens before each.
    - ``gradients``: at the start, the norm of the gradient of each layer's W_2, the second map of
      its feed-forward network, by layer number from 1, for encoder and decoder.
    """
    task = task_of(config, TRAINING_SEEDS + trial.seed)
    model = build(config, cell, trial.seed).to(trial.device)
    gradients = gradient_norms(model, task(0).to(trial.device))
    rate = config.low_rate if cell.start == "slow" else config.learning_rate
    history = fit(
        model,
        task,
        steps=config.steps,
        loss=cross_entropy,
        optimizer=torch.optim.Adam(model.parameters(), lr=rate, betas=BETAS, eps=EPSILON),
        schedule=linear(config.warmup) if cell.start == "warm" else constant,
        max_norm=None,  # a clipped gradient would be a second remedy beside warm-up
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    return {
        "loss": recent_mean(history.loss, config.steps),
        "curve": {
            step: recent_mean(history.loss, step)
            for step in sorted({-(-config.steps * tenth // 10) for tenth in range(1, 11)})
        },
        "accuracy": accuracy(model, config, trial.device),
        "gradients": gradients,
    }


def task_of(config: Config, seed: int) -> SequenceTask:
    """Return the stream of sequences to reverse."""
    return SequenceTask(
        "reverse",
        symbols=config.symbols,
        min_length=config.min_length,
        max_length=config.max_length,
        batch_size=config.batch_size,
        seed=seed,
    )


def build(config: Config, cell: Cell, seed: int) -> Transformer:
    """Return the untrained Transformer of a cell; cold, warm and slow start from one another's."""
    vocabulary = len(task_of(config, seed).vocabulary)
    with seeded(seed):
        return Transformer(
            TransformerConfig(
                source_vocabulary=vocabulary,
                target_vocabulary=vocabulary,
                d_model=config.d_model,
                encoder_layers=cell.layers,
                decoder_layers=cell.layers,
                num_heads=config.num_heads,
                d_ff=config.d_ff,
                norm=cell.norm,
            )
        )


def recent_mean(losses: list[float], step: int) -> float:
    """Return the mean of the last losses up to a number of steps taken."""
    last = losses[max(0, step - LAST_STEPS) : step]
    return sum(last) / len(last)


def gradient_norms(model: Transformer, batch: Batch) -> dict[str, dict[int, float]]:
    """Return the Euclidean norm of the gradient of each layer's W_2, by side and layer from 1."""
    named = {
        (side, number): cast(FeedForward, layer.feed_forward).W_out.weight
        for side, layers in (("encoder", model.encoder_layers), ("decoder", model.decoder_layers))
        for number, layer in enumerate(layers, start=1)
    }
    gradients = torch.autograd.grad(cross_entropy(model, batch), list(named.values()))
    norms: dict[str, dict[int, float]] = {"encoder": {}, "decoder": {}}
    for (side, number), gradient in zip(named, gradients, strict=True):
        norms[side][number] = gradient.norm().item()
    return norms


def accuracy(model: Transformer, config: Config, device: torch.device) -> float:
    """Return the share of right tokens on fresh sequences, EOS included, under teacher forcing."""
    task, right, tokens = task_of(config, 0), 0, 0
    for length in range(config.min_length, config.max_length + 1):
        pairs = task.pairs(length, config.pairs, seed=EVALUATION_SEED)
        batch = make_batch(pairs).to(device)
        with torch.no_grad():
            said = model(batch).logits.argmax(dim=-1)
        right += int(((said == batch.target_out) & batch.target_mask).sum())
        tokens += batch.tokens
    return right / tokens
