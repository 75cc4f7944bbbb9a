"""Learning-rate schedules: from the step, counted from 0, to a factor.

`fit` multiplies the optimizer's learning rate with the factor.
"""

from collections.abc import Callable

from bottomup.checks import check_integer

Schedule = Callable[[int], float]


def constant(step: int) -> float:
    """Return 1 at every step."""
    check_integer("step", step, at_least=0, below=2**63)
    return 1.0


def warmup_then_decay(*, warmup: int, steps: int) -> Schedule:
    """Rise linearly to 1 in `warmup` steps, then fall linearly to 0 at `steps`.

    ``factor(step) = (step + 1) / warmup`` for ``step < warmup``,
    ``(steps - step) / (steps - warmup)`` from there to `steps`, and 0 after it.

    The first step already learns, at 1 / warmup; so does the last of `steps`.

    Args:
        warmup: length of the rise; 0 starts at 1.
        steps: length of the whole training, more than `warmup`.

    Chapter 01 uses it first.

    Example:
        >>> factor = warmup_then_decay(warmup=2, steps=6)
        >>> [factor(step) for step in range(7)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0]
    """
    check_integer("warmup", warmup, at_least=0, below=2**63)
    check_integer("steps", steps, at_least=1, below=2**63)
    if steps <= warmup:
        wanted = f"more than warmup={warmup}, at least {warmup + 1}"
        raise ValueError(f"steps: expected {wanted}, got {steps}")

    def factor(step: int) -> float:
        check_integer("step", step, at_least=0, below=2**63)
        if step < warmup:
            return (step + 1) / warmup
        return max(0.0, (steps - step) / (steps - warmup))

    return factor
