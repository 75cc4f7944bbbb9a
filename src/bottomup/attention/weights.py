"""From scores to what is read: the weighted mean of the values."""

from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.checks import checked
from bottomup.masks import masked_softmax


@checked
def attend(
    scores: Float[Tensor, "*leading query key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading query d_value"],
    Float[Tensor, "*leading query key"],
]:
    """Read a weighted mean of the values, whatever the score.

    ``output[i] = sum_j weights[i, j] value[j]``,
    ``weights = masked_softmax(scores, mask)``

    Returns:
        The output and the weights. A query that may attend to no key reads
        zeros.

    Source: Bahdanau et al. (2015), section 3.1; Luong et al. (2015), section
    3.1. Chapter 01 derives it.
    """
    weights = masked_softmax(scores, mask)  # [..., query, key]
    return weights @ value, weights  # [..., query, d_value]


@checked
def read_values(
    weights: Float[Tensor, "*leading query key"],
    value: Float[Tensor, "*leading key d_value"],
) -> tuple[
    Float[Tensor, "*leading query d_value"],
    Float[Tensor, "*leading query key"],
]:
    """Return ``weights value`` and the weights."""
    return weights @ value, weights
