"""Chapter 04: the choices of the experiment on toy models of superposition."""

from dataclasses import asdict, dataclass

from torch import Tensor

from bottomup.experiments.engine.units import Trial
from bottomup.training import Solutions, solve_superposition

# Under one seed every part starts and samples on its own: seeds are PART_SEEDS apart.
PARTS = ("five", "linear", "equal", "map", "phases", "wide")
PART_SEEDS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Training:
    """How toy models are trained.

    Attributes:
        steps, samples, learning_rate: as for `bottomup.training.fit_superposition`.
        restarts: starts for each case, of which the best is kept.
    """

    steps: int = 3_000
    samples: int = 256
    learning_rate: float = 0.01
    restarts: int = 8

    def solve(
        self,
        part: str,
        sparsity: Tensor,
        importance: Tensor,
        *,
        dimensions: int,
        fresh: int,
        trial: Trial,
        linear: bool = False,
    ) -> Solutions:
        """Train the toy models of one of `PARTS`, with `solve_superposition`."""
        return solve_superposition(
            sparsity,
            importance,
            dimensions=dimensions,
            linear=linear,
            fresh=fresh,
            seed=PART_SEEDS * PARTS.index(part) + trial.seed,
            device=trial.device,
            checkpoint=trial.checkpoint,
            **asdict(self),
        )


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        parts: which parts are measured, see the experiment's module.
        sparsities: of five features in two dimensions; whole hundredths, ascending from 0.
        pairs: those of them at which antipodal pairs are claimed.
        pentagons: those of them at which a pentagon is claimed.
        decay: importance of feature i is ``decay**i``, counted from 0.
        points: number of sparsities in the larger models, ``1 / (1 - S)`` from 1 to `sparsest`.
        sparsest: the largest ``1 / (1 - S)``.
        plateau: range of ``1 / (1 - S)`` in which half a dimension per feature is claimed.
        cells: of the phase diagram, along each axis.
        map_sparsities, map_decays: of the solutions kept for the figure.
        fresh: samples on which restarts are compared.
        five, linear, equal, wide, phases, map: how the models of each part are trained.
    """

    parts: tuple[str, ...] = (
        "five", "linear", "equal", "20_to_5", "80_to_20", "phases", "map"
    )  # fmt: skip
    sparsities: tuple[float, ...] = (
        0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99
    )  # fmt: skip
    pairs: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8)
    pentagons: tuple[float, ...] = (0.9, 0.95, 0.97, 0.99)
    decay: float = 0.9
    points: int = 15
    sparsest: float = 100.0
    plateau: tuple[float, float] = (1.9, 3.8)
    cells: int = 16
    map_sparsities: tuple[float, ...] = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
    map_decays: tuple[float, ...] = (1.0, 0.9, 0.8, 0.6)
    fresh: int = 20_000
    five: Training = Training()
    linear: Training = Training(steps=6_000, restarts=2)
    equal: Training = Training(restarts=4)
    wide: Training = Training(restarts=1)
    phases: Training = Training(steps=1_000, learning_rate=0.02, restarts=6)
    map: Training = Training()
