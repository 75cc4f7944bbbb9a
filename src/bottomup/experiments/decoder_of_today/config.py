"""Chapter 10b: the choices of the experiment on length."""

from dataclasses import dataclass

from bottomup.data import EchoTask

POSITIONS = ("rotary", "alibi", "none", "sinusoidal", "learned")


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        positions: ways to tell positions, see `DecoderOnlyConfig`; a training for each.
        length, symbols, shortest, longest: of the sequences, see `EchoTask`.
        stretches: ends of the stretches of positions that are evaluated apart; the first is
            `length`, the last that of the sequences evaluated.
        sinks: first positions that the window with sinks keeps; it gives as many others up.
        d_model, num_layers, num_heads: of every network.
        steps, batch_size, learning_rate: of every training, with AdamW and no schedule.
        sequences: number evaluated.
    """

    positions: tuple[str, ...] = POSITIONS
    length: int = 32
    symbols: int = 32
    shortest: int = 5
    longest: int = 10
    stretches: tuple[int, ...] = (32, 64, 128, 256)
    sinks: int = 4
    d_model: int = 64
    num_layers: int = 2
    num_heads: int = 4
    steps: int = 600
    batch_size: int = 32
    learning_rate: float = 3e-3
    sequences: int = 200

    def task(self, seed: int) -> EchoTask:
        """Return the task of a training."""
        return EchoTask(
            length=self.length,
            symbols=self.symbols,
            shortest=self.shortest,
            longest=self.longest,
            batch_size=self.batch_size,
            seed=seed,
        )


PRESETS = {
    "tiny": Config(
        length=7,
        symbols=5,
        shortest=2,
        longest=3,
        stretches=(7, 13),
        sinks=2,
        d_model=8,
        num_heads=2,
        steps=3,
        batch_size=5,
        sequences=11,
    ),
    "laptop": Config(positions=("rotary",)),
    "recorded": Config(),
    "full": Config(steps=6_000, stretches=(32, 64, 128, 256, 1_024)),
}
