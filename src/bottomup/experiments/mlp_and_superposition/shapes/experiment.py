"""Chapter 04: which shapes a few features of equal importance form, by sparsity.

The variants are the shapes that Elhage et al. read off a large model, each with as many features
and dimensions as it needs: ``triangle``, three features in two dimensions; ``tetrahedron``, four in
three; ``antiprism``, eight in three, two squares of which one is turned by 45 degrees. Of several
starts the one with the lowest loss on fresh samples is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis import feature_dimensions
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Training
from bottomup.experiments.mlp_and_superposition.geometry.five import percent
from bottomup.training import solve_superposition

SIZES = {"triangle": (3, 2), "tetrahedron": (4, 3), "antiprism": (8, 3)}  # features, dimensions
VARIANTS = tuple(SIZES)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        sparsities: of each shape; whole hundredths.
        training: how the models are trained.
        fresh: samples on which the starts are compared.
    """

    sparsities: Mapping[str, tuple[float, ...]] = field(
        default_factory=lambda: {
            "triangle": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
            "tetrahedron": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
            "antiprism": (0.8, 0.9, 0.95),
        }
    )
    training: Training = field(default_factory=Training)
    fresh: int = 20_000


PRESETS = {
    "tiny": Config(training=Training(steps=3, samples=7, restarts=2), fresh=11),
    "laptop": Config(training=Training(steps=1_000, restarts=4)),
    "recorded": Config(),
    "full": Config(training=Training(steps=10_000, samples=1_024, restarts=16)),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one shape's models under one seed and measure how their features lie, by sparsity.

    - ``off``: largest distance of a D_i from m / n, the share that each of n features has if all
      lie alike and fill m dimensions: 2/3, 3/4, 3/8.
    - ``twist``: largest distance of a cosine from those of an antiprism, see `from_antiprism`; of
      eight features.
    - ``loss``: on fresh samples.
    """
    features, dimensions = SIZES[variant]
    sparsities = config.sparsities[variant]
    training = config.training
    solved = solve_superposition(
        torch.tensor(sparsities),
        torch.ones(features),
        dimensions=dimensions,
        steps=training.steps,
        samples=training.samples,
        learning_rate=training.learning_rate,
        restarts=training.restarts,
        fresh=config.fresh,
        seed=trial.seed,
        device=trial.device,
        checkpoint=trial.checkpoint,
    )
    at = dict(zip(map(percent, sparsities), solved.W, strict=True))
    share = dimensions / features
    found = {
        "off": {S: (feature_dimensions(W) - share).abs().max().item() for S, W in at.items()},
        "loss": dict(zip(at, solved.loss.tolist(), strict=True)),
    }
    if variant == "antiprism":
        found["twist"] = {S: from_antiprism(W) for S, W in at.items()}
    return Outcome(found, {"W": solved.W.numpy(), "sparsity": np.array(sparsities)})


def from_antiprism(W: Float[Tensor, "3 8"]) -> float:
    """Return the largest distance of a cosine from those of a square antiprism.

    Its corners lie at heights ``± sqrt(c)``. The cosines from one of them to the others are c
    twice, within the square; ``2c - 1``, across it; and ``± (1 - c) / sqrt(2) - c``, each twice, to
    the other square. c is taken from W, as the mean of the two largest cosines of all corners. A
    cube, two squares without the turn, lies 0.47 away.
    """
    U = torch.nn.functional.normalize(W, dim=0)
    cosines = (U.T @ U).sort(dim=-1).values[:, :-1]  # [corner, other corner], ascending
    c = cosines[:, -2:].mean().item()
    turned = (1 - c) / 2**0.5
    ideal = torch.tensor([c, c, 2 * c - 1, turned - c, turned - c, -turned - c, -turned - c])
    return (cosines - ideal.sort().values).abs().max().item()
