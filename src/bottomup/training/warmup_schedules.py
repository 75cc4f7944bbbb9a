"""Warm-up: schedules that begin with small steps.

Like those of `schedules` they are functions from the step, counted from 0, to a
factor of the optimizer's learning rate. Papers count from 1; n = step + 1 below
is their number.
"""

from bottomup.checks import check_integer, check_number
from bottomup.training.schedules import Schedule


def noam(d_model: int, warmup: int, *, factor: int | float = 1.0) -> Schedule:
    """Rise linearly, then fall with the root of the step: the paper's rate.

    ``rate(step) = factor d_model^(-1/2) min(n^(-1/2), n warmup^(-3/2))``,
    ``n = step + 1``

    It is a learning rate and no fraction of one: give the optimizer ``lr=1.0``.
    The rate is largest at n = warmup, where both terms are ``warmup^(-1/2)``:
    ``factor / sqrt(d_model warmup)``. The base model, with d_model = 512 and
    4000 steps of warm-up, has 7.0e-4 there, and 1.7e-7 in its first step.
    Counted from 0 without the + 1, the first step would divide by zero.

    Args:
        d_model: width of the model; a wider one takes smaller steps.
        warmup: length of the rise in steps.
        factor: multiplies every rate; 1 in the paper.

    Source: Vaswani et al. (2017), section 5.3, equation 3. Chapter 05 derives
    it.

    Example:
        >>> rate = noam(d_model=100, warmup=4)
        >>> [round(rate(step), 3) for step in (1, 3, 15)]  # rise, peak, fall
        [0.025, 0.05, 0.025]
    """
    check_integer("d_model", d_model, at_least=1)
    check_number("factor", factor, above=0, below=float("inf"))
    relative = inverse_square_root(warmup)
    peak = float(factor) * (d_model * warmup) ** -0.5

    def rate(step: int) -> float:
        return peak * relative(step)

    return rate


def inverse_square_root(warmup: int) -> Schedule:
    """Rise linearly to 1, then fall with the root of the step.

    ``factor(step) = min(n / warmup, sqrt(warmup / n))``, ``n = step + 1``

    It is `noam` divided by its largest value: the optimizer's own rate is the
    peak, reached at n = warmup. Four times as many steps halve it, and no last
    step need be known.

    Args:
        warmup: length of the rise in steps; 1 starts at the peak.

    Source: Vaswani et al. (2017), section 5.3, equation 3, in another unit.
    Chapter 05 derives it.
    """
    check_integer("warmup", warmup, at_least=1, below=2**63)

    def factor(step: int) -> float:
        check_integer("step", step, at_least=0, below=2**63)
        n = step + 1
        return min(n / warmup, (warmup / n) ** 0.5)

    return factor


def linear(warmup: int) -> Schedule:
    """Rise linearly to 1 in `warmup` steps, and stay there.

    ``factor(step) = min(1, n / warmup)``, ``n = step + 1``

    It is warm-up and nothing else: compared with `constant` it shows what
    warm-up does, without a decay that differs too. `warmup_then_decay` goes on
    to fall linearly to 0.

    Args:
        warmup: length of the rise in steps; 1 is no warm-up.

    Source: the gradual warm-up of Goyal et al. (2017), here from 1 / warmup of
    the rate. Chapter 05 derives it.
    """
    check_integer("warmup", warmup, at_least=1, below=2**63)

    def factor(step: int) -> float:
        check_integer("step", step, at_least=0, below=2**63)
        return min(1.0, (step + 1) / warmup)

    return factor
