"""Losses. Chapter 01 trains with the cross-entropy of the next target token."""

import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import (
    check_axes,
    check_mask,
    check_tensor,
    check_token_ids,
)


def token_cross_entropy(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int64[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> Float[Tensor, ""]:
    """Mean negative log-probability of the right token, over the real tokens, in nats.

    ``L = -1/N * sum over real (b, i) of log softmax(logits[b, i])[target[b, i]]``

    N is the number of real tokens in the whole batch, so that a long sentence weighs more than a
    short one. Chance, a uniform guess, gives ``log(vocabulary)``.

    Args:
        logits: one score per token of the vocabulary, before the softmax.
        target: the right tokens (`Batch.target_out`).
        mask: True at real tokens (`Batch.target_mask`).

    Chapter 00 derives it.
    """
    real = real_tokens(logits, target, mask)
    return F.cross_entropy(logits[real], target[real])


def real_tokens(
    logits: Tensor, target: Tensor, mask: Tensor
) -> tuple[Tensor, ...]:
    """Check what a loss over tokens is given; return the indices of the real ones."""
    sizes = check_axes("logits", logits, "batch target vocabulary")
    check_token_ids(
        "target", target, "batch target", vocabulary=sizes["vocabulary"]
    )
    expected = (sizes["batch"], sizes["target"])
    if tuple(target.shape) != expected:
        raise ValueError(
            f"target: expected shape {expected}, got {tuple(target.shape)}"
        )
    check_tensor("mask", mask)
    check_mask("mask", mask, expected)
    if tuple(mask.shape) != expected:
        raise ValueError(
            f"mask: expected shape {expected}, got {tuple(mask.shape)}"
        )
    real = mask.nonzero(as_tuple=True)  # once for both: it waits for the device
    if len(real[0]) == 0:
        raise ValueError(
            "mask: expected at least one real token, got padding alone"
        )
    return real
