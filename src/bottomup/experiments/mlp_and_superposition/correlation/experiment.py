"""Chapter 04: how toy models lay out features that occur together, or never together.

Four features in two dimensions, in two pairs. ``correlated``: both features of a pair are there, or
neither is. ``anticorrelated``: one of them at most. ``independent``: each as often as in the other
two, whatever the other does. Of several starts the one with the lowest loss on fresh samples is
kept.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.analysis import represented
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.training import seeded
from bottomup.models import ToySuperposition, superposition_loss
from bottomup.training import fit, warmup_then_decay
from bottomup.training.autoencoder import VectorBatch

VARIANTS = ("correlated", "anticorrelated", "independent")
PAIRS, DIMENSIONS = 2, 2
STEPS, FRESH = 0, 1  # separate random streams for the same seed
Features = Float[Tensor, "sample features"]


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        density: how often each feature is there, in every variant; at most one half.
        restarts: starts of which the best is kept.
        steps, samples, learning_rate: of every training.
        fresh: samples on which the starts are compared.
    """

    density: float = 0.1
    restarts: int = 8
    steps: int = 3_000
    samples: int = 256
    learning_rate: float = 0.01
    fresh: int = 20_000


PRESETS = {
    "tiny": Config(restarts=2, steps=3, samples=7, fresh=11),
    "laptop": Config(restarts=4, steps=1_000),
    "recorded": Config(),
    "full": Config(restarts=16, steps=10_000, samples=1_024),
}


def sample(kind: str, count: int, density: float, generator: torch.Generator) -> Features:
    """Draw features, two pairs side by side: uniform in [0, 1) where they are there, else 0."""
    values = torch.rand(count, PAIRS, 2, generator=generator)
    first, second = torch.rand(2, count, PAIRS, generator=generator)
    there = {
        "correlated": (first < density, first < density),
        "anticorrelated": (first < density, first > 1 - density),
        "independent": (first < density, second < density),
    }[kind]
    return (values * torch.stack(there, dim=-1)).flatten(1)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one kind of features from several starts; measure the best one's angles.

    - ``within``: cosine of the two features of a pair, by pair from 0; 1 where one of them is not
      kept. ``largest``: the larger one; ``largest_absolute``: in absolute value.
    - ``kept``: number of features kept; ``loss``: on fresh samples.
    """
    with seeded(trial.seed):
        model = ToySuperposition(2 * PAIRS, DIMENSIONS, instances=config.restarts).to(trial.device)
    importance = torch.ones(2 * PAIRS, device=trial.device)

    def draw(step: int) -> VectorBatch:
        return VectorBatch(_draw(variant, config.samples, config.density, trial.seed, STEPS, step))

    def loss(model: nn.Module, batch: VectorBatch) -> Tensor:
        return superposition_loss(batch.x, model(batch.x), importance).sum()

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
    fresh = _draw(variant, config.fresh, config.density, trial.seed, FRESH, 0).to(trial.device)
    with torch.no_grad():
        losses = superposition_loss(fresh, model(fresh), importance)  # [restart]
    best = int(losses.argmin())
    W = model.W.detach()[best].cpu()  # [dimensions, features]
    within = cosines(W)
    return Outcome(
        {
            "within": dict(enumerate(within)),
            "largest": max(within),
            "largest_absolute": max(map(abs, within)),
            "kept": int(represented(W).sum()),
            "loss": losses[best].item(),
        },
        {"W": W.numpy()},
    )


def cosines(W: Float[Tensor, "dimensions features"]) -> list[float]:
    """Return the cosine of the two features of each pair, 1 where one of them is not kept."""
    pairs = W.T.unflatten(0, (PAIRS, 2))  # [pair, 2, dimensions]
    cosine = torch.cosine_similarity(pairs[:, 0], pairs[:, 1], dim=-1)
    kept = represented(W).unflatten(0, (PAIRS, 2)).all(dim=1)
    return torch.where(kept, cosine, torch.ones_like(cosine)).tolist()


def _draw(kind: str, count: int, density: float, seed: int, *stream: int) -> Features:
    number = int(np.random.SeedSequence((seed, *stream)).generate_state(1, np.uint64)[0])
    return sample(kind, count, density, torch.Generator().manual_seed(number))
