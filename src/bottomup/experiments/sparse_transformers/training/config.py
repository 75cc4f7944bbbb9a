"""Chapter 07: the choices of the experiment that trains sparse Transformers."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Task:
    """One data set, and the network and training that all patterns get on it.

    Attributes:
        length: positions of a sequence; 64 for an image.
        row: l: the row of an image, the stride and block of a text.
        summary: c of the fixed pattern.
        d_model, num_layers, num_heads, d_ff, dropout: of every network.
        batch_size: sequences in a batch.
        steps: of training.
        warmup: steps in which the rate rises; it then falls linearly to zero.
        learning_rate: after warm-up, of AdamW.
        tested: sequences on which bits are measured, at most.
    """

    length: int
    row: int
    summary: int
    d_model: int
    num_layers: int
    num_heads: int
    d_ff: int
    dropout: float
    batch_size: int
    steps: int
    warmup: int
    learning_rate: float
    tested: int


DIGITS = Task(
    length=64,
    row=8,
    summary=2,
    d_model=64,
    num_layers=3,
    num_heads=4,
    d_ff=256,
    dropout=0.1,
    batch_size=64,
    steps=800,
    warmup=80,
    learning_rate=3e-3,
    tested=297,
)

TEXT = Task(
    length=256,
    row=16,
    summary=4,
    d_model=128,
    num_layers=4,
    num_heads=4,
    d_ff=512,
    dropout=0.0,
    batch_size=8,
    steps=1_500,
    warmup=150,
    learning_rate=3e-3,
    tested=160,
)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        digits: images, 8 x 8 pixels of 17 grey levels.
        text: Python's documentation in characters.
        from_position: the first query of the images whose attention is measured; before it there
            are too few rows above.
        points: how often bits are measured in a training.
    """

    digits: Task = field(default_factory=lambda: DIGITS)
    text: Task = field(default_factory=lambda: TEXT)
    from_position: int = 24
    points: int = 4
