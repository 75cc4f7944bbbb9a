"""Chapter 07: the choices of the experiment on what sparse attention computes."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        sizes: n, l and c of the sequences on which sparse attention is compared with dense
            attention under the mask: n positions, stride or block l, c summaries.
        lengths: numbers of positions for which scores are counted, in ascending order; squares of
            integers, so that l = sqrt(n).
        positions, stride, summary: n, l and c of the patterns whose reach is computed.
        leak: n, l and c of the patterns that are read literally.
        depths: layers of the stacks that are recomputed, in ascending order.
        timed_lengths: numbers of positions at which the deepest of them is timed.
        repeats: timed passes, each way.
        batch_size, length: of the streams there, and at the start of the sparse Transformers.
        d_model, num_heads, d_ff: of every layer.
        dropout: of the recomputed stacks.
        stacks: layers of the sparse Transformers whose stream is measured at the start, in
            ascending order.
        row: length of a row there, and the stride.
        vocabulary: token types there.
    """

    sizes: tuple[tuple[int, int, int], ...] = (
        (1, 1, 1),
        (1, 7, 2),
        (5, 7, 3),
        (7, 7, 7),
        (11, 1, 1),
        (13, 6, 5),
        (67, 16, 1),
        (131, 19, 8),
        (331, 3, 2),
        (1000, 32, 8),
        (1024, 32, 1),
    )
    lengths: tuple[int, ...] = (256, 1024, 4096, 16384, 65536)
    positions: int = 1024
    stride: int = 32
    summary: int = 8
    leak: tuple[int, int, int] = (67, 8, 3)
    depths: tuple[int, ...] = (2, 4, 8, 16)
    timed_lengths: tuple[int, ...] = (256, 1024)
    repeats: int = 5
    batch_size: int = 2
    length: int = 256
    d_model: int = 64
    num_heads: int = 4
    d_ff: int = 256
    dropout: float = 0.1
    stacks: tuple[int, ...] = (2, 8, 32, 128)
    row: int = 16
    vocabulary: int = 17
