"""Attention with any score: score pairs, weigh the keys, read the values."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.checks import checked
from bottomup.masks import masked_softmax
from bottomup.precision import in_float32


@checked
@in_float32
def attend(
    scores: Float[Tensor, "*leading query key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    weigh: Callable[..., Tensor] = masked_softmax,
) -> tuple[
    Float[Tensor, "*leading query d_value"],
    Float[Tensor, "*leading query key"],
]:
    """Read a weighted mean of the values, whatever the score.

    ``output[i] = sum_j weights[i, j] value[j]``,
    ``weights = masked_softmax(scores, mask)``

    Args:
        scores: any real numbers, one for each pair of query and key.
        value: what is read, one for each key.
        mask: True = may attend; broadcasts to the shape of `scores`.
        weigh: takes scores and mask, gives weights [..., query, key].

    Returns:
        The output and the weights. A query that may attend to no key reads
        zeros.

    Source: Bahdanau et al. (2015), section 3.1; Luong et al. (2015), section
    3.1. Chapter 01 derives it.
    """
    weights = weigh(scores, mask=mask)  # [..., query, key]
    return weights @ value, weights  # [..., query, d_value]


class ScoredAttention(nn.Module, ABC):
    """Attention over all keys; a subclass supplies the score, or the weights.

    Its subclasses are the attentions of chapters 01 and 01b.
    """

    @abstractmethod
    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Score every query against every key."""

    def weigh(
        self,
        scores: Float[Tensor, "*leading query key"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*leading query key"]:
        """Turn scores into weights, by `masked_softmax`."""
        return masked_softmax(scores, mask)

    @in_float32
    def forward(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
        value: Float[Tensor, "*leading key d_value"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*leading query d_value"],
        Float[Tensor, "*leading query key"],
    ]:
        """Return ``(output, weights)`` of `attend`."""
        scores = self.score(query, key)  # [..., query, key]
        return attend(scores, value, mask, weigh=self.weigh)
