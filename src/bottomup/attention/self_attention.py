"""Self-attention: one sequence, and three maps that make query, key and value of each position."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.scaled_dot_product import scaled_dot_product_attention
from bottomup.checks import check_axes, check_integer, check_same_kind


class SelfAttention(nn.Module):
    """Every position of a sequence reads the sequence it belongs to.

    ``q_i = W_Q x_i``, ``k_j = W_K x_j``, ``v_j = W_V x_j``;
    ``output = softmax(Q K^T / sqrt(d_key)) V``, where Q, K and V hold one vector in each row.

    Args:
        d_model: width of a position, in and out.
        d_key: width of queries and keys; by default d_model.

    Raises:
        TypeError, ValueError: a width is not an integer of at least 1.

    Source: Vaswani et al. (2017), section 3.2.1, for one head, whose values keep the width d_model.
    Chapter 02 derives it; chapter 03 adds heads.
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

    def forward(
        self,
        x: Float[Tensor, "*leading position d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[
        Float[Tensor, "*leading position d_model"],
        Float[Tensor, "*leading position position"] | None,
    ]:
        """Return ``(output, weights)``; row i of the weights says what position i reads.

        Args:
            x: one vector for each position.
            mask: True = may attend; broadcasts to ``[..., query, key]``.
            need_weights: without them torch's fused kernel is used, and None returned.

        Raises:
            TypeError, ValueError: as `scaled_dot_product_attention`; `x` is not d_model wide, or
                of another dtype or device than the module.
        """
        check_axes("x", x, "... position d_model", d_model=self.d_model)
        check_same_kind("x", x, "W_Q", self.W_Q.weight)
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        return scaled_dot_product_attention(query, key, value, mask, need_weights=need_weights)
