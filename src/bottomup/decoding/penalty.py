"""The length penalty: how a beam search compares sequences of all lengths."""

import math

from bottomup.checks import check_integer, check_number


def gnmt_penalty(length: int, alpha: int | float) -> float:
    """Return what a log-probability is divided by: long ones are not put last.

    ``lp(n) = ((5 + n) / 6) ** alpha``

    A log-probability is negative and falls with each token. Divided by lp,
    which grows with n, it comes closer to zero, and the more so the longer the
    sequence. With alpha = 0 nothing changes: lp is 1. For n much larger than 5
    and alpha = 1 the score is about 6 times the mean log-probability of a
    token.

    n counts every token whose probability is in the product, so EOS, too, as in
    the code that came with Vaswani et al. (2017), tensor2tensor. The empty
    sequence thus has n = 1 and lp = 1.

    Args:
        length: n, at least 0.
        alpha: at least 0 and finite. Below 0 the penalty would favour short
            sequences still more than their probability does.

    Source: Wu et al. (2016), section 7, with alpha = 0.2 beside a penalty for
    source words left out. Vaswani et al. (2017), section 6.1, take alpha = 0.6.
    Chapter 06 derives it.
    """
    check_integer("length", length, at_least=0)
    check_alpha("alpha", alpha, length)
    return _penalty(length, alpha)


def check_alpha(name: str, alpha: int | float, longest: int) -> None:
    """Check alpha for sequences of up to `longest` tokens."""
    check_number(name, alpha, at_least=0, below=math.inf)
    try:
        _penalty(longest, alpha)
    except OverflowError:
        wanted = f"so small a number that a float holds lp({longest})"
        raise ValueError(f"{name}: expected {wanted}, got {alpha}") from None


def _penalty(length: int, alpha: int | float) -> float:
    return ((5 + int(length)) / 6) ** float(alpha)
