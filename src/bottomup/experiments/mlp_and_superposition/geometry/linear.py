"""Chapter 04: five features in two dimensions without the ReLU."""

from itertools import combinations

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis import interference, represented
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Config
from bottomup.experiments.mlp_and_superposition.geometry.five import (
    DIMENSIONS,
    FEATURES,
    importances,
    percent,
)


def measure_linear(config: Config, trial: Trial) -> Outcome:
    """Measure what the model without the ReLU keeps, with the importances of `measure_five`.

    - ``off``: largest distance of an entry of W^T W from the one it has where the two most
      important features get a dimension each, over all sparsities.
    - ``kept``: number of features kept by sparsity in percent.
    """
    solved = config.linear.solve(
        "linear",
        torch.tensor(config.sparsities),
        importances(config.decay),
        dimensions=DIMENSIONS,
        linear=True,
        fresh=config.fresh,
        trial=trial,
    )
    wanted = torch.diag((torch.arange(FEATURES) < DIMENSIONS).float())
    kept = represented(solved.W).sum(dim=-1).tolist()
    found = {
        "off": (interference(solved.W) - wanted).abs().max().item(),
        "kept": dict(zip(map(percent, config.sparsities), kept, strict=True)),
    }
    return Outcome(found, {"W": solved.W.numpy(), "sparsity": np.array(config.sparsities)})


def measure_equal(config: Config, trial: Trial) -> Outcome:
    """Measure how far restarts of the model without the ReLU and with equal importances differ.

    - ``excess``: largest `linear_loss` of a restart over the lowest possible one, minus 1, over
      all sparsities.
    - ``apart``: distance of the planes that two restarts keep, `plane_distance`, the mean over
      pairs of restarts and sparsities.
    """
    solved = config.equal.solve(
        "equal",
        torch.tensor(config.sparsities),
        importances(1.0),
        dimensions=DIMENSIONS,
        linear=True,
        fresh=config.fresh,
        trial=trial,
    )
    excess, apart = [], []
    for place, sparsity in enumerate(config.sparsities):
        lowest = feature_variance(sparsity) * (FEATURES - DIMENSIONS)
        tried = solved.W_tried[:, place].double()
        excess += [
            linear_loss(W, b, importances(1.0), sparsity) / lowest - 1
            for W, b in zip(tried, solved.b_tried[:, place].double(), strict=True)
        ]
        apart += [plane_distance(one, other) for one, other in combinations(tried, 2)]
    return Outcome({"excess": max(excess), "apart": sum(apart) / len(apart)})


def feature_variance(sparsity: float) -> float:
    """Return the variance of a feature that is zero with probability S, else uniform in [0, 1].

    ``(1 - S) / 3 - (1 - S)^2 / 4``
    """
    density = 1 - sparsity
    return density / 3 - density**2 / 4


def linear_loss(
    W: Float[Tensor, "dimensions features"],
    b: Float[Tensor, " features"],
    importance: Float[Tensor, " features"],
    sparsity: float,
) -> float:
    """Return the expected loss of the model without the ReLU, over all possible samples.

    ``sum_i I_i (v ||R_i||^2 + (mu sum_j R_ij - b_i)^2)`` with ``R = 1 - W^T W``, mean
    ``mu = (1 - S) / 2`` and `feature_variance` v of a feature

    Source: ours; that of all W with m dimensions the m most important features have the lowest
    one, ``v sum over the others of I_i``, follows from the theorem of Eckart and Young (1936).
    """
    residual = torch.eye(W.shape[1], dtype=W.dtype) - W.mT @ W
    mean_error = residual.sum(dim=1) * (1 - sparsity) / 2 - b
    spread = feature_variance(sparsity) * residual.square().sum(dim=1)
    return float((importance * (spread + mean_error.square())).sum())


def plane_distance(
    W: Float[Tensor, "dimensions features"], other: Float[Tensor, "dimensions features"]
) -> float:
    """Return ``1 - tr(P Q) / m`` for the projections onto the planes that the rows span.

    0 for the same plane, 1 for orthogonal ones; m / n less than 1 on average for random ones.
    """
    one, two = (torch.linalg.qr(each.mT).Q for each in (W, other))
    return 1 - float((one.mT @ two).square().sum()) / W.shape[0]
