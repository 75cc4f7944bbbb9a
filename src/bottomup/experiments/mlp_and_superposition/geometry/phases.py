"""Chapter 04: the phase diagram of two features in one dimension."""

import numpy as np
import torch

from bottomup.analysis import PHASES, expected_phase, two_feature_phase
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Config

RATIO = 10.0  # importance of the second feature, from 1/RATIO to RATIO
RAREST = 0.01  # density, from 1 to this


def measure_phases(config: Config, trial: Trial) -> Outcome:
    """Measure which of two features one dimension keeps, by relative importance and density.

    - ``agree``: share of cells with the phase that `expected_phase` computes by hand.
    - ``shares``: of each of `PHASES` in the cells.

    Kept besides: ``phase`` and ``expected``, places in `PHASES` [importance, density]; ``W``
    [importance, density, feature]; and the axes, ``importance`` and ``density``.
    """
    importance = np.geomspace(1 / RATIO, RATIO, config.cells)
    density = np.geomspace(1.0, RAREST, config.cells)
    grid = (config.cells, config.cells)
    second = torch.tensor(importance, dtype=torch.float32).repeat_interleave(config.cells)
    solved = config.phases.solve(
        "phases",
        1 - torch.tensor(density, dtype=torch.float32).repeat(config.cells),
        torch.stack([torch.ones_like(second), second], dim=1),
        dimensions=1,
        fresh=config.fresh,
        trial=trial,
    )
    phase = two_feature_phase(solved.W).unflatten(0, grid).numpy()
    expected = np.array([[PHASES.index(expected_phase(r, p)) for p in density] for r in importance])
    found = {
        "agree": float((phase == expected).mean()),
        "shares": {name: float((phase == place).mean()) for place, name in enumerate(PHASES)},
    }
    arrays = {
        "phase": phase.astype(np.int8),
        "expected": expected.astype(np.int8),
        "W": solved.W.squeeze(1).unflatten(0, grid).numpy(),
        "importance": importance,
        "density": density,
    }
    return Outcome(found, arrays)
