"""Chapter 11: training a network in a pipeline, and what the pipeline writes down."""

from pathlib import Path

import torch
from torch import Tensor, nn

from bottomup.data import Batch
from bottomup.data.batching import Pair
from bottomup.experiments.clinic.config import Config
from bottomup.experiments.clinic.diseases import Pipeline
from bottomup.experiments.clinic.patient import Chart
from bottomup.experiments.clinic.task import TEST, TRAINING, batches, draw
from bottomup.experiments.shared.training import seeded
from bottomup.models import Transformer
from bottomup.training import evaluating, fit, inverse_square_root


def train(
    config: Config,
    pipeline: Pipeline,
    seed: int,
    device: torch.device | str = "cpu",
    checkpoint: Path | None = None,
) -> tuple[Transformer, Chart]:
    """Train a network from a seed; return it with its chart, on the CPU."""
    with seeded(seed):
        network = pipeline.build(config.network)
    known, _test = sentences(config, pipeline, seed)
    stream = batches(config, seed, known if pipeline.knows_test else None)
    first_weight = _largest_weight(network, pipeline.fed(stream(0)))
    relative = inverse_square_root(config.warmup)

    def loss(model: nn.Module, batch: Batch) -> Tensor:
        return pipeline.loss(model(pipeline.fed(batch)).logits, batch)

    network = network.to(device)
    history = fit(
        network,
        stream,
        steps=config.steps,
        loss=loss,
        optimizer=torch.optim.Adam(network.parameters(), lr=config.rate, betas=(0.9, 0.98)),
        schedule=lambda step: relative(step // pipeline.steps_of_rate),
        seed=seed,
        checkpoint=checkpoint,
    )
    loss_curve, norms, rates = map(tuple, (history.loss, history.grad_norm, history.learning_rate))
    return network.cpu(), Chart(loss_curve, norms, rates, first_weight)


def _largest_weight(network: Transformer, batch: Batch) -> float:
    """Return the largest weight of a source position in self-attention, mean over all."""
    with torch.no_grad(), evaluating(network):
        weights = network(batch, need_weights=True).weights.encoder[0]  # [batch, head, query, key]
    return float(weights.amax(-1).mean(1)[batch.source_mask].mean())


def sentences(config: Config, pipeline: Pipeline, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return sentences of the training, and those of its test.

    A healthy training draws new sentences in every step; some of the same kind stand for them.
    """
    test = draw(config, config.tested, seed, TEST)
    if pipeline.knows_test:
        return [*test, *draw(config, config.few - len(test), seed, TRAINING)], test
    return draw(config, config.few, seed, TRAINING), test
