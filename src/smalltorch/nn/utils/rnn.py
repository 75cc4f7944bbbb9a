"""Sequences of several lengths, side by side."""

from collections.abc import Iterable

from smalltorch.names import lacking
from smalltorch.tensor import Tensor

__all__ = ["pad_sequence"]


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Return sequences as one tensor, the shorter ones filled up to the longest.

    Args:
        sequences: [length, ...] each.
        batch_first: whether the axis of the sequences comes before that of their positions.
        padding_value: what they are filled up with.
        padding_side: "right" or "left".
    """
    if padding_side not in ("right", "left"):
        raise ValueError(f"padding_side should be either 'right' or 'left', got {padding_side}")
    rows = list(sequences)
    if not rows:
        raise RuntimeError("received an empty list of sequences")
    for place, row in enumerate(rows):
        if not isinstance(row, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {type(row).__name__}"
            )
    longest, axis = max(map(len, rows)), 0 if batch_first else 1
    lengths = [longest, longest]
    lengths[axis] = len(rows)
    filled: Tensor = rows[0].new_full((*lengths, *rows[0].shape[1:]), padding_value)
    for place, row in enumerate(rows):
        start = 0 if padding_side == "right" else longest - len(row)
        filled.select(axis, place).narrow(0, start, len(row)).copy_(row)
    return filled


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.nn.utils.rnn")
