"""Chapter 09: the choices of the experiment on induction."""

from dataclasses import dataclass

from bottomup.data import InductionTask


@dataclass(frozen=True)
class Trained:
    """A training: what is changed of the one that the chapter shows.

    Attributes:
        layers, heads: of the network, the heads in each layer.
        start: where the repetition stands, see `InductionTask`.
        positions: see `AttentionOnlyConfig`.
        everywhere: whether the loss counts all places, or the predictable ones alone.
        long: whether it trains for `Config.long_steps`.
    """

    layers: int = 2
    heads: int = 2
    start: str = "random"
    positions: str = "in_scores"
    everywhere: bool = False
    long: bool = False


TRAININGS = {
    "two_layers": Trained(),
    "one_layer": Trained(layers=1, heads=4, long=True),
    "one_layer_last": Trained(layers=1, heads=4, start="last"),
    "everywhere": Trained(everywhere=True),
    "in_stream": Trained(positions="sinusoidal"),
}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        trainings: names in `TRAININGS`.
        length, symbols, shortest, longest: of the sequences, see `InductionTask`.
        d_model: width of every network.
        steps, long_steps: training steps.
        batch_size, learning_rate: of every training, with AdamW and no schedule.
        every: steps between two points of the curve of a training that is not long; all curves
            have as many points.
        sequences: number evaluated.
    """

    trainings: tuple[str, ...] = tuple(TRAININGS)
    length: int = 24
    symbols: int = 24
    shortest: int = 5
    longest: int = 10
    d_model: int = 64
    steps: int = 400
    long_steps: int = 1_000
    batch_size: int = 64
    learning_rate: float = 5e-3
    every: int = 10
    sequences: int = 500

    def task(self, start: str, seed: int) -> InductionTask:
        """Return the task of a training."""
        return InductionTask(
            length=self.length,
            symbols=self.symbols,
            shortest=self.shortest,
            longest=self.longest,
            start=start,
            batch_size=self.batch_size,
            seed=seed,
        )

    def steps_of(self, trained: Trained) -> int:
        """Return the number of steps of a training."""
        return self.long_steps if trained.long else self.steps


PRESETS = {
    "tiny": Config(
        length=7,
        symbols=5,
        shortest=2,
        longest=3,
        d_model=8,
        steps=6,
        long_steps=9,
        batch_size=5,
        every=2,
        sequences=11,
    ),
    "laptop": Config(trainings=("two_layers",), steps=200),
    "recorded": Config(),
    "full": Config(steps=2_000, long_steps=20_000),
}
