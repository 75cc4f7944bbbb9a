"""Chapter 04: how features of a toy model move between fractions of a dimension in training.

80 features of equal importance in 20 dimensions, each there with a probability of 2/5. There the
record of `bottomup.experiments.mlp_and_superposition.geometry` ends with 40 features in antipodal
pairs, which have half a dimension each, and 40 that have none. Some models are trained side by
side, and every few steps D_i of all features and the loss on fresh samples are noted.

A pilot under seed 90, with four models, counted moves from near 0 to near 1/2 or back: 0.5 per
model, for what moves late comes from levels between them. In its first model 4 of 80 features
changed by over 0.2 after step 300, all of them around step 350, and the loss fell from 4.96 to 4.81
from there to step 400, and hardly afterwards. So late moves are counted from wherever a feature is.
"""

from dataclasses import dataclass

import numpy as np
import torch

from bottomup.analysis import feature_dimensions
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.jumps.moves import faster, late_move
from bottomup.experiments.shared.training import seeded
from bottomup.models import ToySuperposition
from bottomup.training import History
from bottomup.training.superposition import fit_superposition, fresh_loss

VARIANTS = ("pairs",)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        features, dimensions, sparsity: n, m and S.
        models: trained side by side, which differ in their start and samples.
        steps, samples, learning_rate: of the training.
        every: steps between two notes.
        fresh: samples of the loss that is noted, always the same ones.
        after: step from which on moves count.
        least: change of D_i from there to the end above which a feature has moved.
    """

    features: int = 80
    dimensions: int = 20
    sparsity: float = 0.6
    models: int = 8
    steps: int = 3_000
    samples: int = 256
    learning_rate: float = 0.01
    every: int = 10
    fresh: int = 2_000
    after: int = 300
    least: float = 0.2


PRESETS = {
    "tiny": Config(
        features=6, dimensions=2, models=2, steps=20, samples=7, every=5, fresh=11, after=5
    ),
    "laptop": Config(features=20, dimensions=5, steps=1_000, after=100),
    "recorded": Config(),
    "full": Config(
        features=400, dimensions=30, steps=20_000, samples=1_024, fresh=20_000, after=2_000
    ),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train under one seed and follow every feature of every model.

    - ``moves``: number of features per model that move after `config.after`; ``duration``: median
      number of steps of their moves, all steps where there is none. See
      `bottomup.experiments.mlp_and_superposition.jumps.moves.late_move`.
    - ``faster``: share of these moves during which the loss falls faster than before and after, 0
      where there is none, see `bottomup.experiments.mlp_and_superposition.jumps.moves.faster`;
      ``compared``: their number per model.
    - ``pairs``: share of features within 0.1 of 0 or 1/2 at the end; ``loss``: there.

    A training that was stopped starts anew: what was noted stands in no checkpoint.
    """
    with seeded(trial.seed):
        model = ToySuperposition(config.features, config.dimensions, instances=config.models)
    model = model.to(trial.device)
    sparsity = torch.full((config.models,), config.sparsity)
    importance = torch.ones(config.features)
    D, losses = [], []  # one entry a note

    def note(step: int, history: History | None = None) -> None:
        if (step + 1) % config.every == 0:
            D.append(feature_dimensions(model.W.detach()).cpu())
            loss = fresh_loss(
                model,
                sparsity=sparsity,
                importance=importance,
                samples=config.fresh,
                seed=trial.seed,
            )
            losses.append(loss)

    note(-1)
    fit_superposition(
        model,
        sparsity=sparsity,
        importance=importance,
        steps=config.steps,
        samples=config.samples,
        learning_rate=config.learning_rate,
        seed=trial.seed,
        on_step=note,
    )
    at, loss = torch.stack(D).numpy(), torch.stack(losses).numpy()  # [note, model, ...]
    late = config.after // config.every
    moves = [
        (place, late + move[0], late + move[1])
        for place in range(config.models)
        for feature in at[late:, place].T
        if (move := late_move(feature, least=config.least)) is not None
    ]
    drops = [faster(loss[:, place], start, end) for place, start, end in moves]
    compared = [drop for drop in drops if drop is not None]
    durations = [config.every * (end - start) for _, start, end in moves]
    off = np.minimum(np.abs(at[-1]), np.abs(at[-1] - 0.5))  # [model, feature]
    return Outcome(
        {
            "moves": len(moves) / config.models,
            "duration": float(np.median(durations)) if durations else float(config.steps),
            "faster": float(np.mean(compared)) if compared else 0.0,
            "compared": len(compared) / config.models,
            "pairs": float((off < 0.1).mean()),
            "loss": float(loss[-1].mean()),
        },
        {"D": at[:, 0], "loss": loss[:, 0]},  # of the first model
    )
