"""Chapter 10: the choices of the experiment on memory."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Trained:
    """A training of the delayed copy.

    Attributes:
        layers: of the network.
        positions: see `TransformerXLConfig`.
        memory: segments remembered.
    """

    layers: int = 1
    positions: str = "relative"
    memory: int = 2


DELAYS = {
    "relative": Trained(),
    "none": Trained(memory=0),
    "restarted": Trained(positions="restarted"),
    "two_restarted": Trained(layers=2, positions="restarted"),
}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        symbols: of the delayed copy.
        delay: positions in a segment of it, and how far back the answer lies.
        delay_steps, delay_batch: of its trainings.
        segment: positions in a segment of text.
        pieces: segments in each training window of text.
        d_model, num_layers: of the networks that read text; those that copy have the same width.
        steps, batch_size: of the trainings on text.
        learning_rate: of every training, with AdamW; on text after a warm-up, then falling.
        memories: of the evaluation on text, in segments.
        streams, tested, ahead: texts read side by side in the evaluation, positions of each that
            count, and positions before them that only fill the memory.
    """

    symbols: int = 16
    delay: int = 12
    delay_steps: int = 400
    delay_batch: int = 32
    segment: int = 32
    pieces: int = 4
    d_model: int = 64
    num_layers: int = 2
    steps: int = 2_000
    batch_size: int = 4
    learning_rate: float = 3e-3
    memories: tuple[int, ...] = (0, 1, 2, 4)
    streams: int = 16
    tested: int = 1_536
    ahead: int = 256


PRESETS = {
    "tiny": Config(
        symbols=5, delay=3, delay_steps=3, delay_batch=2, segment=4, pieces=2, d_model=8, steps=3,
        batch_size=2, streams=3, tested=16, ahead=8,
    ),
    "laptop": Config(delay_steps=300, steps=300),
    "recorded": Config(),
    "full": Config(d_model=256, num_layers=6, segment=128, steps=20_000, batch_size=32),
}  # fmt: skip
