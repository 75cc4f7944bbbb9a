"""Losses. Chapter 01 trains with the cross-entropy of the next target token."""

import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import check_token_ids, checked
from bottomup.precision import in_float32


@checked
@in_float32
def token_cross_entropy(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int64[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> Float[Tensor, ""]:
    """Mean negative log-probability of the right token, over real tokens.

    ``L = -1/N * sum over real (b, i) of log softmax(logits[b, i])[target[b,
    i]]``

    N is the number of real tokens in the whole batch, so that a long sentence
    weighs more than a short one. In nats: chance, a uniform guess, gives
    ``log(vocabulary)``.

    Args:
        logits: one score per token of the vocabulary, before the softmax.
        target: the right tokens (`Batch.target_out`).
        mask: True at real tokens (`Batch.target_mask`).

    Chapter 00 derives it.
    """
    real = real_tokens(logits, target, mask)  # N places
    return F.cross_entropy(logits[real], target[real])


def real_tokens(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int64[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> tuple[Int64[Tensor, " real"], Int64[Tensor, " real"]]:
    """Return the places of the real tokens; there is at least one."""
    vocabulary = logits.shape[-1]
    check_token_ids("target", target, "batch target", vocabulary=vocabulary)
    row, place = mask.nonzero(as_tuple=True)  # once: it waits for the device
    if len(row) == 0:
        raise ValueError(
            "mask: expected at least one real token, got padding alone"
        )
    return row, place
