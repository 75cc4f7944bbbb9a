"""Chapter 04: five features of falling importance in two dimensions, by sparsity."""

from collections.abc import Iterable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.analysis import antipodal_pairs, feature_dimensions, is_pentagon, represented
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Config

FEATURES, DIMENSIONS = 5, 2


def importances(decay: float) -> Float[Tensor, " features"]:
    """Return ``decay**i`` for feature i, counted from 0."""
    return torch.tensor([decay**i for i in range(FEATURES)])


def percent(sparsity: float) -> str:
    """Return a sparsity as a record names it: ``95`` for .95."""
    return f"{100 * sparsity:.0f}"


def measure_five(config: Config, trial: Trial) -> Outcome:
    """Measure which features a model of each sparsity keeps, and in which shape.

    - ``wrong``: features wrongly kept or left out at sparsity 0, against the two most important.
    - ``pairs``: share of `config.pairs` at which exactly four features are kept, in two antipodal
      pairs; ``pentagons``: share of `config.pentagons` at which there is a pentagon.
    - ``kept``: number of features kept; ``dimension``: their mean D_i, 0 where none is kept;
      ``loss``: all three by sparsity in percent.
    """
    solved = config.five.solve(
        "five",
        torch.tensor(config.sparsities),
        importances(config.decay),
        dimensions=DIMENSIONS,
        fresh=config.fresh,
        trial=trial,
    )
    at = dict(zip(config.sparsities, solved.W, strict=True))
    found = {
        "wrong": wrongly_kept(at[0.0]),
        "pairs": _share(is_two_pairs(at[sparsity]) for sparsity in config.pairs),
        "pentagons": _share(is_pentagon(at[sparsity]) for sparsity in config.pentagons),
        "kept": {percent(s): int(represented(W).sum()) for s, W in at.items()},
        "dimension": {percent(s): _mean_dimension(W) for s, W in at.items()},
        "loss": dict(zip(map(percent, at), solved.loss.tolist(), strict=True)),
    }
    return Outcome(found, {"W": solved.W.numpy(), "sparsity": np.array(config.sparsities)})


def wrongly_kept(W: Float[Tensor, "dimensions features"]) -> int:
    """Count the features kept or left out against the rule: one for each dimension, by rank."""
    wanted = torch.arange(W.shape[1]) < W.shape[0]
    return int((represented(W) != wanted).sum())


def is_two_pairs(W: Float[Tensor, "2 features"]) -> bool:
    """Say whether exactly four features are kept, and each is the antipode of one other."""
    pairs = antipodal_pairs(W)
    partners = {feature for pair in pairs for feature in pair}
    return len(pairs) == 2 and len(partners) == 4 == int(represented(W).sum())


def _mean_dimension(W: Tensor) -> float:
    kept = feature_dimensions(W)[represented(W)]
    return kept.mean().item() if len(kept) > 0 else 0.0


def _share(answers: Iterable[bool]) -> float:
    each = list(answers)
    return sum(each) / len(each)
