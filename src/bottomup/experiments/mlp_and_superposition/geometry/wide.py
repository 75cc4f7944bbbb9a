"""Chapter 04: many features of equal importance, and how many dimensions each of them gets."""

import numpy as np
import torch

from bottomup.analysis import dimensions_per_feature, feature_dimensions
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Config


def inverse_densities(config: Config) -> list[float]:
    """Return the values of ``1 / (1 - S)``, from 1 to the sparsest, by equal factors."""
    return np.geomspace(1.0, config.sparsest, config.points).tolist()


def on_plateau(config: Config) -> list[int]:
    """Return the places of those values of ``1 / (1 - S)`` at which 1/2 is claimed."""
    low, high = config.plateau
    return [place for place, at in enumerate(inverse_densities(config)) if low <= at <= high]


def measure_wide(
    config: Config,
    features: int,
    dimensions: int,
    trial: Trial,
) -> Outcome:
    """Measure the dimensions per feature, ``m / ||W||_F^2``, by sparsity.

    - ``per_feature``: the number for each sparsity, by its place from 0 in `inverse_densities`.
    - ``off_half``: its largest distance from 1/2 where that is claimed; ``sparsest``: its last
      value.

    Kept besides: D_i of every feature, [sparsity, features].
    """
    at = inverse_densities(config)
    solved = config.wide.solve(
        "wide",
        torch.tensor([1 - 1 / each for each in at]),
        torch.ones(features),
        dimensions=dimensions,
        fresh=config.fresh,
        trial=trial,
    )
    per_feature = dimensions_per_feature(solved.W).tolist()
    found = {
        "per_feature": dict(enumerate(per_feature)),
        "off_half": max(abs(per_feature[place] - 0.5) for place in on_plateau(config)),
        "sparsest": per_feature[-1],
    }
    shares = feature_dimensions(solved.W).numpy()
    return Outcome(found, {"dimensions": shares, "inverse_density": np.array(at)})
