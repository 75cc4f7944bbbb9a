"""Chapter 04: solutions by sparsity and decay of importance, for the interactive figure."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis import feature_dimensions, interference, represented
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Config
from bottomup.experiments.mlp_and_superposition.geometry.five import (
    DIMENSIONS,
    importances,
    percent,
)


def measure_map(config: Config, trial: Trial) -> Outcome:
    """Solve the grid of the figure; count the features kept by decay and sparsity, in percent.

    The arrays of `map_arrays` are kept under seed 0 alone.
    """
    arrays = map_arrays(config, trial)
    kept = represented(torch.from_numpy(arrays["W"])).sum(dim=-1).T.tolist()
    sparsities = [percent(sparsity) for sparsity in config.map_sparsities]
    table = {
        percent(decay): dict(zip(sparsities, row, strict=True))
        for decay, row in zip(config.map_decays, kept, strict=True)
    }
    return Outcome({"kept": table}, arrays if trial.seed == 0 else {})


def map_arrays(config: Config, trial: Trial) -> dict[str, np.ndarray]:
    """Return the best solutions by sparsity and decay of importance, for the figure.

    The first axis is the sparsity, the second the decay: ``W`` [sparsity, decay, dimensions,
    features], turned by `turned`; ``b``, ``interference`` (W^T W), ``dimensions`` (D_i), ``loss``;
    and the axes themselves, ``sparsity`` and ``decay``.
    """
    sparsities, decays = config.map_sparsities, config.map_decays
    solved = config.map.solve(
        "map",
        torch.tensor(sparsities).repeat_interleave(len(decays)),
        torch.stack([importances(decay) for decay in decays]).repeat(len(sparsities), 1),
        dimensions=DIMENSIONS,
        fresh=config.fresh,
        trial=trial,
    )
    grid = (len(sparsities), len(decays))
    W = torch.stack([turned(one) for one in solved.W]).unflatten(0, grid)
    kept = {
        "W": W,
        "b": solved.b.unflatten(0, grid),
        "interference": interference(W),
        "dimensions": feature_dimensions(W),
        "loss": solved.loss.unflatten(0, grid),
    }
    arrays = {name: value.numpy() for name, value in kept.items()}
    return arrays | {"sparsity": np.array(sparsities), "decay": np.array(decays)}


def turned(W: Float[Tensor, "2 features"]) -> Float[Tensor, "2 features"]:
    """Turn and mirror the plane, which changes neither W^T W nor the loss.

    The first feature that is kept then points along the first axis, and the first of the kept ones
    that leaves this line has a second coordinate above zero. Where none is kept, W stays.
    """
    kept = represented(W).nonzero().flatten()
    if len(kept) == 0:
        return W
    cosine, sine = W[:, kept[0]] / torch.linalg.vector_norm(W[:, kept[0]])
    W = torch.stack([cosine * W[0] + sine * W[1], cosine * W[1] - sine * W[0]])
    W[1, kept[0]] = 0.0  # but for rounding it is
    heights = W[1, kept]
    off_line = heights[heights.abs() > 0.1 * torch.linalg.vector_norm(W[:, kept], dim=0)]
    if len(off_line) > 0 and off_line[0] < 0:
        W[1] = -W[1]
    return W
