"""What the attention modules share: score, then attend."""

from abc import ABC, abstractmethod

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.weights import attend


class ScoredAttention(nn.Module, ABC):
    """Attention over all keys; a subclass supplies the score.

    Its subclasses are the attentions of chapters 01 and 01b.
    """

    @abstractmethod
    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Score every query against every key."""

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
        """Return ``(output, weights)``: the weighted mean of the values, and its weights."""
        return attend(self.score(query, key), value, mask)
