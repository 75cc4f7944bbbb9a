"""Chapter 04: when a feature moves from one fraction of a dimension to another."""

import numpy as np
from jaxtyping import Float


def late_move(D: Float[np.ndarray, " note"], *, least: float) -> tuple[int, int] | None:
    """Return when a feature moves from its first D to its last, as the first and last note of it.

    The move is the middle half of the change: it ends with the first note at which three quarters
    are done, and starts with the last one before that at which no more than a quarter is. An even
    change takes half of all notes. None where the two differ by `least` or less.
    """
    change = D[-1] - D[0]
    if abs(change) <= least:
        return None
    done = (D - D[0]) / change  # [note], from 0 to 1
    end = int(np.argmax(done >= 0.75))  # the first one
    start = int(np.flatnonzero(done[:end] <= 0.25)[-1])
    return start, end


def faster(loss: Float[np.ndarray, " note"], start: int, end: int) -> bool | None:
    """Say whether the loss falls faster from `start` to `end` than as long before, and after.

    None where less than that was noted before or after. Under a loss that falls evenly but for
    noise this is so in one case of three; where it falls ever more slowly, in none.
    """
    long = end - start
    if start < long or end + long >= len(loss):
        return None
    before = loss[start - long] - loss[start]
    during = loss[start] - loss[end]
    after = loss[end] - loss[end + long]
    return bool(during > max(before, after))
