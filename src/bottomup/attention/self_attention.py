"""Self-attention: three maps make query, key and value of each position."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.scaled_dot_product import (
    Attention,
    scaled_dot_product_attention,
)
from bottomup.checks import check_integer, checked


class SelfAttention(nn.Module):
    """Every position of a sequence reads the sequence it belongs to.

    ``q_i = W_Q x_i``, ``k_j = W_K x_j``, ``v_j = W_V x_j``;
    ``output = softmax(Q K^T / sqrt(d_key)) V``, where Q, K and V hold one
    vector in each row.

    Args:
        d_model: width of a position, in and out.
        d_key: width of queries and keys; by default d_model.

    Source: Vaswani et al. (2017), section 3.2.1, for one head, whose values
    keep the width d_model. Chapter 02 derives it; chapter 03 adds heads.

    Example:
        >>> attention = SelfAttention(d_model=12, d_key=3)
        >>> output, weights = attention(torch.randn(2, 5, 12))
        >>> output.shape, weights.shape
        (torch.Size([2, 5, 12]), torch.Size([2, 5, 5]))
    """

    def __init__(self, d_model: int, *, d_key: int | None = None) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        d_key = d_model if d_key is None else d_key
        check_integer("d_key", d_key, at_least=1)
        self.d_model = d_model
        self.W_Q = nn.Linear(d_model, d_key, bias=False)
        self.W_K = nn.Linear(d_model, d_key, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)

    @checked
    def forward(
        self,
        x: Float[Tensor, "*leading position d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        causal: bool = False,
        attend: Attention = scaled_dot_product_attention,
    ) -> tuple[
        Float[Tensor, "*leading position d_model"],
        Float[Tensor, "*leading position position"] | None,
    ]:
        """Return ``(output, weights)``; row i says what position i reads.

        Args:
            x: one vector for each position.
            mask: True = may attend; broadcasts to ``[..., query, key]``.
            causal: whether a position may read itself and what is before it.
            attend: with `fused_attention` the weights are None.
        """
        query, key = self.W_Q(x), self.W_K(x)  # [..., position, d_key]
        value = self.W_V(x)  # [..., position, d_model]
        return attend(query, key, value, mask, causal=causal)
