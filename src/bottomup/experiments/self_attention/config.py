"""Chapter 02: the choices of the experiment."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        widths: d_key of the queries and keys whose softmax is measured.
        keys, rows: keys of each query, and number of queries, in that measurement.
        positions, symbols: length of the sequences whose order is asked for, and number of symbols.
        order_steps: training steps of the networks that tell positions.
        corpus_size: of the mini-language; its seed is 0.
        embedding_steps: training steps of chapter 01's translator, whose vectors are kept.
        reader_steps, long_steps: training steps of the layers that find antecedents, and of those
            that train longer.
        d_model, batch_size: of these layers and of those that tell positions.
        learning_rate, warmup: of every training here; chapter 01's are the same.
    """

    widths: tuple[int, ...] = (4, 16, 64, 256, 1024)
    keys: int = 64
    rows: int = 500
    positions: int = 24
    symbols: int = 16
    order_steps: int = 600
    corpus_size: int = 60_000
    embedding_steps: int = 600
    reader_steps: int = 800
    long_steps: int = 4_000
    d_model: int = 64
    batch_size: int = 64
    learning_rate: float = 3e-3
    warmup: int = 50
