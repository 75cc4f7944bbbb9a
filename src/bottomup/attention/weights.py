"""From scores to weights: the softmax over the keys that a mask allows."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.checks import (
    check_axes,
    check_leading,
    check_mask,
    check_same_kind,
    check_tensor,
)


def masked_softmax(
    scores: Float[Tensor, "*leading query key"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Turn scores into weights that sum to one over the allowed keys of each query.

    ``weights[i, j] = exp(scores[i, j]) / sum_k exp(scores[i, k])``, where j and k run over the keys
    allowed for query i; every other weight is zero.

    A query that may attend to no key gets zero weights, and its gradient is zero, not NaN.

    Args:
        scores: any real numbers, one for each pair of query and key.
        mask: True = may attend; broadcasts to the shape of `scores`.

    Raises:
        TypeError: `scores` is not floating-point or `mask` is not boolean.
        ValueError: `scores` has fewer than two axes, or `mask` does not broadcast to it.

    Source: Bahdanau et al. (2015), section 3.1, the equation for alpha_ij; padding is left implicit
    there. Chapter 01 derives it.
    """
    check_tensor("scores", scores, floating=True)
    if scores.dim() < 2 or scores.shape[-1] == 0:
        raise ValueError(
            f"scores: expected axes [..., query, key], got shape {tuple(scores.shape)}"
        )
    check_mask("mask", mask, tuple(scores.shape))
    if mask is None:
        return scores.softmax(dim=-1)
    empty = ~mask.any(dim=-1, keepdim=True)
    # A CPU knows at once whether a row is empty; asking a GPU would make the program wait.
    if not scores.is_cuda and not bool(empty.any()):
        return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    # A row of -inf alone would give 0/0. Such rows pass through the softmax as zeros and leave as
    # zeros, so that no NaN arises for the backward pass to multiply.
    allowed = scores.masked_fill(~mask, -torch.inf).masked_fill(empty, 0.0)
    return allowed.softmax(dim=-1).masked_fill(empty, 0.0)


def attend(
    scores: Float[Tensor, "*leading query key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"]]:
    """Read a weighted mean of the values, whatever the score.

    ``output[i] = sum_j weights[i, j] value[j]``, ``weights = masked_softmax(scores, mask)``

    Returns:
        The output and the weights. A query that may attend to no key reads zeros.

    Raises:
        TypeError, ValueError: as `masked_softmax`; there is not one value for each key.

    Source: Bahdanau et al. (2015), section 3.1; Luong et al. (2015), section 3.1. Chapter 01
    derives it.
    """
    return read_values(masked_softmax(scores, mask), value)


def read_values(
    weights: Float[Tensor, "*leading query key"], value: Float[Tensor, "*leading key d_value"]
) -> tuple[Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"]]:
    """Return ``weights value`` and the weights, which are of the shape of the scores.

    Raises:
        TypeError, ValueError: there is not one value for each key, or the kinds differ.

    What `attend` does after the softmax; other weights of chapter 01b read so, too.
    """
    check_axes("value", value, "... key d_value", key=weights.shape[-1])
    check_leading("value", value, "scores", weights)
    check_same_kind("value", value, "scores", weights)
    return weights @ value, weights
