"""Cut the tail off a distribution before a token is drawn: top-k and top-p."""

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.checks import (
    check_integer,
    check_number,
    checked,
    is_traced,
)
from bottomup.training.device import widest


@checked
def keep_top_k(
    logits: Float[Tensor, "*leading vocabulary"], k: int
) -> Float[Tensor, "*leading vocabulary"]:
    """Set all but the k largest logits of each row to -inf.

    Among equal logits, those with the lower token numbers are kept, so that
    never more than k are. A vocabulary of k tokens or fewer is kept whole. A
    softmax afterwards shares the probability of the dropped tokens out among
    the kept ones, in proportion to theirs.

    Args:
        logits: scores of the vocabulary; -inf is allowed and stays.
        k: how many tokens are kept, at least 1.

    Source: Fan, Lewis and Dauphin (2018), section 5.4. Chapter 06 derives it.

    Example:
        >>> keep_top_k(torch.tensor([1.0, 3.0, 2.0]), k=2)
        tensor([-inf, 3., 2.])
    """
    check_finite_maximum(logits)
    check_integer("k", k, at_least=1, below=2**63)
    order = logits.argsort(dim=-1, descending=True, stable=True)
    return logits.scatter(-1, order[..., k:], -torch.inf)


@checked
def keep_top_p(
    logits: Float[Tensor, "*leading vocabulary"], p: int | float
) -> Float[Tensor, "*leading vocabulary"]:
    """Set the logits of each row to -inf outside the nucleus, which makes up p.

    The nucleus V is the smallest set of tokens with
    ``sum over v in V of softmax(logits)[v] >= p``: tokens are taken from the
    most probable on until their sum reaches p. The token with which it does is
    kept. Among equal logits, those with the lower token numbers are taken
    first. There is always at least one token; with p = 1 nothing is dropped.

    The sums are taken in float64 where the device has it. One that equals p on
    paper may fall short of it by rounding, and one more token is then kept.

    Args:
        logits: scores of the vocabulary; -inf is allowed and stays.
        p: the share of probability to reach, in (0, 1].

    Source: Holtzman et al. (2020), section 3.1, equation 2. Chapter 06 derives
    it.

    Example:
        >>> shares = torch.tensor([0.5, 0.3, 0.2])
        >>> keep_top_p(shares.log(), p=0.7).exp()
        tensor([0.5000, 0.3000, 0.0000])
    """
    check_finite_maximum(logits)
    check_number("p", p, above=0, at_most=1)
    if p == 1:  # the sum may round to 1 before the last token
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    wide = ordered.to(widest(logits.device))
    reached = wide.softmax(dim=-1).cumsum(dim=-1)
    drop = (reached >= p).roll(1, dims=-1)  # was the sum before this enough?
    drop[..., 0] = False
    outside = torch.zeros_like(drop).scatter(-1, order, drop)  # by token
    return logits.masked_fill(outside, -torch.inf)


def check_finite_maximum(logits: Float[Tensor, "*leading vocabulary"]) -> None:
    """Check that each row of logits has a largest one: a softmax needs it."""
    if is_traced():
        return
    largest = logits.detach().amax(dim=-1)
    if not largest.isfinite().all():
        worst = largest[~largest.isfinite()][0].item()
        raise ValueError(
            "logits: expected numbers or -inf, at least one of them finite in "
            f"each row, got a row with the maximum {worst}"
        )
