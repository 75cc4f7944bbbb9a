"""Chapter 04: how many features' absolute values a few neurons compute, by sparsity.

The variants are the sparsities in percent. As in the paper a hidden layer with a ReLU has fewer
neurons than there are features, importance falls as ``decay**i``, and nothing ties the two weights.
Of several starts the one with the lowest loss on fresh samples is kept.

Pilots under seed 90, with 2,000 steps, showed that a start with both signs in W2 leaves outputs
dead for sparse features (loss .0071 at S = .99, above the .0066 of `one_by_one`). With W2 at or
above zero the loss was .0035, 14 of 20 features were represented and 6 computed, and no neuron
served one feature alone; at S = 0 both starts gave the four most important features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.computing.model import (
    AbsoluteValues,
    explained,
    purity,
    signed_features,
)
from bottomup.experiments.shared.training import seeded
from bottomup.models import superposition_loss
from bottomup.training import fit, warmup_then_decay
from bottomup.training.autoencoder import VectorBatch

STEPS, FRESH = 0, 1  # separate random streams for the same seed


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        sparsities: S of the variants; whole hundredths.
        features, neurons: n and m.
        decay: importance of feature i is ``decay**i``, counted from 0.
        restarts: starts of which the best is kept.
        steps, samples, learning_rate: of every training.
        fresh: samples on which the starts are compared and the best is measured.
        represented, computed: parts of a feature's variance that are to be explained. Of a sparse
            feature, a neuron for one sign explains a half: half of that counts as represented, and
            halfway from that to all as computed.
        single: part of a neuron's squared weights above which it serves one feature.
    """

    sparsities: tuple[float, ...] = (0.0, 0.7, 0.9, 0.97, 0.99)
    features: int = 20
    neurons: int = 8
    decay: float = 0.8
    restarts: int = 8
    steps: int = 4_000
    samples: int = 512
    learning_rate: float = 0.01
    fresh: int = 50_000
    represented: float = 0.25
    computed: float = 0.75
    single: float = 0.9


PRESETS = {
    "tiny": Config(sparsities=(0.0, 0.99), restarts=2, steps=3, samples=7, fresh=1_000),
    "laptop": Config(sparsities=(0.0, 0.99), restarts=4, steps=1_000),
    "recorded": Config(),
    "full": Config(features=100, neurons=40, restarts=16, steps=20_000, samples=2_048),
}


def variants(config: Config) -> Sequence[str]:
    """Return the sparsities in percent."""
    return tuple(f"{100 * sparsity:.0f}" for sparsity in config.sparsities)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train for one sparsity from several starts; measure what the best one computes.

    - ``explained``: part of each feature's variance, by feature from 0, see
      `bottomup.experiments.mlp_and_superposition.computing.model.explained`.
    - ``represented``, ``computed``: number of features of which enough for that is explained;
      ``wrong``: number of features wrongly computed or left out, against one for each pair of
      neurons, by importance.
    - ``single``: share of neurons that serve one feature.
    - ``loss``: on fresh samples; ``one_by_one``: expected loss if each pair of neurons computes one
      feature exactly and the others are guessed at their mean, see `one_by_one`.
    """
    sparsity = int(variant) / 100
    importance = config.decay ** torch.arange(config.features, device=trial.device)
    with seeded(trial.seed):
        model = AbsoluteValues(config.features, config.neurons, instances=config.restarts)
    model = model.to(trial.device)

    def draw(step: int) -> VectorBatch:
        return VectorBatch(_draw(config, config.samples, sparsity, trial.seed, STEPS, step))

    def loss(model: nn.Module, batch: VectorBatch) -> Tensor:
        return superposition_loss(batch.x.abs(), model(batch.x), importance).sum()

    fit(
        model,
        draw,
        steps=config.steps,
        loss=loss,
        optimizer=torch.optim.Adam(model.parameters(), lr=config.learning_rate),
        schedule=warmup_then_decay(warmup=0, steps=config.steps),
        max_norm=None,
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    x = _draw(config, config.fresh, sparsity, trial.seed, FRESH, 0).to(trial.device)
    with torch.no_grad():
        y = model(x)  # [restart, sample, features]
        losses = superposition_loss(x.abs(), y, importance)  # [restart]
    best = int(losses.argmin())
    shares = explained(x.abs(), y[best])
    computed = (shares > config.computed).cpu()
    most_important = torch.arange(config.features) < config.neurons // 2
    W1 = model.W1.detach()[best]
    return Outcome(
        {
            "explained": dict(enumerate(shares.tolist())),
            "represented": int((shares > config.represented).sum()),
            "computed": int(computed.sum()),
            "wrong": int((computed != most_important).sum()),
            "single": (purity(W1) > config.single).float().mean().item(),
            "loss": losses[best].item(),
            "one_by_one": one_by_one(config, sparsity),
        },
        {"W1": W1.cpu().numpy(), "W2": model.W2.detach()[best].cpu().numpy()},
    )


def one_by_one(config: Config, sparsity: float) -> float:
    """Return the expected loss if each pair of neurons serves one feature, the rest their mean.

    ``sum over i >= m / 2 of I_i (p / 3 - p^2 / 4)``, p = 1 - S: a feature that is guessed at its
    mean costs its variance, as in `bottomup.analysis.expected_phase`.
    """
    p = 1 - sparsity
    left = sum(config.decay**i for i in range(config.neurons // 2, config.features))
    return left * (p / 3 - p**2 / 4)


def _draw(config: Config, count: int, sparsity: float, seed: int, *stream: int) -> Tensor:
    number = int(np.random.SeedSequence((seed, *stream)).generate_state(1, np.uint64)[0])
    generator = torch.Generator().manual_seed(number)
    return signed_features(count, config.features, sparsity, generator)
