"""Multi-head attention: several attentions beside each other, each in a slice of the width."""

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention.multi_head_checks import (
    check_biases,
    check_inputs,
    check_maps,
    head_widths,
    joint_mask,
)
from bottomup.attention.scaled_dot_product import scaled_dot_product_attention
from bottomup.checks import check_axes, check_integer, check_number


def split_heads(
    x: Float[Tensor, "*leading n width"], num_heads: int
) -> Float[Tensor, "*leading head n d_head"]:
    """Cut the width into equal slices, one for each head, and give the heads an axis of their own.

    ``split[..., h, i, c] = x[..., i, h d_head + c]``, ``d_head = width / num_heads``

    The result is a view: no number is copied.

    Args:
        x: one vector for each position; the heads lie beside each other in it.
        num_heads: number of heads; it divides the width.

    Raises:
        TypeError: `x` is not a floating-point tensor, or `num_heads` no integer.
        ValueError: axes are missing or empty, or `num_heads` does not divide the width.

    Source: Vaswani et al. (2017), section 3.2.2. Chapter 03 derives it.
    """
    width = check_axes("x", x, "... n width")["width"]
    check_integer("num_heads", num_heads, at_least=1)
    if width % num_heads:
        raise ValueError(f"num_heads: expected a divisor of the width {width}, got {num_heads}")
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def merge_heads(
    x: Float[Tensor, "*leading head n d_head"],
) -> Float[Tensor, "*leading n width"]:
    """Put the heads beside each other again: the inverse of `split_heads`.

    ``merged[..., i, h d_head + c] = x[..., h, i, c]``, the "Concat" of the paper.

    Raises:
        TypeError: `x` is not a floating-point tensor.
        ValueError: axes are missing or empty.

    Source: Vaswani et al. (2017), section 3.2.2. Chapter 03 derives it.
    """
    check_axes("x", x, "... head n d_head")
    return x.transpose(-3, -2).flatten(-2)


def multi_head_attention(
    query: Float[Tensor, "batch query d_model"],
    key: Float[Tensor, "batch key d_model"],
    value: Float[Tensor, "batch key d_model"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    num_heads: int,
    W_Q: Float[Tensor, "heads_x_d_head d_model"],
    W_K: Float[Tensor, "heads_x_d_head d_model"],
    W_V: Float[Tensor, "heads_x_d_value d_model"],
    W_O: Float[Tensor, "d_model heads_x_d_value"],
    b_Q: Float[Tensor, " heads_x_d_head"] | None = None,
    b_K: Float[Tensor, " heads_x_d_head"] | None = None,
    b_V: Float[Tensor, " heads_x_d_value"] | None = None,
    b_O: Float[Tensor, " d_model"] | None = None,
    head_mask: Bool[Tensor, "..."] | None = None,
    dropout: int | float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch head query key"] | None]:
    """Attend once in each head, put what the heads read beside each other, and mix it.

    ``Q = query W_Q^T + b_Q``, ``K = key W_K^T + b_K``, ``V = value W_V^T + b_V``;
    ``head_h = softmax(Q_h K_h^T / sqrt(d_head)) V_h``, where ``Q_h``, ``K_h`` and ``V_h`` are
    columns of Q, K and V; ``output = [head_1 ... head_H] W_O^T + b_O``

    Head h owns the rows ``h d_head ... (h + 1) d_head - 1`` of W_Q and W_K, the rows
    ``h d_value ...`` of W_V, and the columns ``h d_value ...`` of W_O, counted from 0. The paper
    writes each head's map apart, as W_h^Q with inputs on the left; stacking them changes nothing.

    Args:
        query: what looks for something, one vector for each position.
        key: what is compared with the queries.
        value: what is read, one for each key. In self-attention all three are one tensor.
        mask: True = may attend. With up to two axes it broadcasts to ``[query, key]`` and counts
            for every sequence and head; three axes are ``[batch, query, key]``, the same for all
            heads; four are ``[batch, head, query, key]``. An axis may be 1.
        num_heads: number of heads; it divides the rows of W_Q, W_K and W_V.
        W_Q, W_K, W_V, W_O: the maps, in the layout of ``nn.Linear``.
        b_Q, b_K, b_V, b_O: what is added after each map.
        head_mask: True = the head is on; broadcasts to ``[batch, head]``. A head that is off may
            attend to nothing: its weights and what it reads are zero.
        dropout: probability in [0, 1) with which a weight is set to zero. 0 outside training.
        need_weights: whether to return the weights; without them torch's fused kernel is used.

    Returns:
        The output, and each head's weights before dropout, or None. A query that may attend to no
        key in any head reads zeros, and its output is b_O.

    Raises:
        TypeError: an argument is not of its type, a mask is not boolean, or the dtypes differ.
        ValueError: axes are missing, empty or of sizes that do not fit, `num_heads` does not
            divide, the devices differ, or `dropout` lies outside [0, 1).

    Source: Vaswani et al. (2017), section 3.2.2. Chapter 03 derives it.
    """
    shape = check_inputs(query, key, value, num_heads)  # [batch, head, query, key]
    check_maps(query, num_heads, {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O})
    check_biases(query, {"b_Q": b_Q, "b_K": b_K, "b_V": b_V, "b_O": b_O}, W_Q, W_V)
    mask = joint_mask(mask, head_mask, shape, query)
    heads, weights = scaled_dot_product_attention(
        split_heads(linear(query, W_Q, b_Q), num_heads),
        split_heads(linear(key, W_K, b_K), num_heads),
        split_heads(linear(value, W_V, b_V), num_heads),
        mask,
        dropout=dropout,
        need_weights=need_weights,
    )
    return linear(merge_heads(heads), W_O, b_O), weights


class MultiHeadAttention(nn.Module):
    """Attention with several heads, for one sequence or from one sequence to another.

    ``output = [head_1 ... head_H] W_O^T + b_O``; `multi_head_attention` gives the formula.

    With d_head = d_value = d_model / num_heads the number of parameters does not depend on
    num_heads: ``4 d_model^2``, and ``4 d_model`` more with biases.

    Args:
        d_model: width of a position, in and out.
        num_heads: number of heads.
        d_head: width of one head's queries and keys; by default d_model / num_heads.
        d_value: width of one head's values; by default d_head.
        bias: whether the four maps add a bias.
        dropout: probability in [0, 1) with which a weight is set to zero during training.

    The maps start as Glorot's uniform distribution draws them, the biases as zeros.

    Raises:
        TypeError, ValueError: a size is not an integer of at least 1, `num_heads` does not divide
            `d_model` and `d_head` is not given, or `dropout` lies outside [0, 1).

    Source: Vaswani et al. (2017), section 3.2.2; the paper has d_value = d_head and names no
    biases. Chapter 03 derives it.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_head: int | None = None,
        d_value: int | None = None,
        bias: bool = True,
        dropout: int | float = 0.0,
    ) -> None:
        super().__init__()
        d_head, d_value = head_widths(d_model, num_heads, d_head, d_value)
        check_number("dropout", dropout, at_least=0, below=1)
        self.d_model, self.num_heads = d_model, num_heads
        self.d_head, self.d_value = d_head, d_value
        self.dropout = float(dropout)
        self.W_Q = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.W_K = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.W_V = nn.Linear(d_model, num_heads * d_value, bias=bias)
        self.W_O = nn.Linear(num_heads * d_value, d_model, bias=bias)
        for linear_map in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(linear_map.weight)
            if linear_map.bias is not None:
                nn.init.zeros_(linear_map.bias)

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        key: Float[Tensor, "batch key d_model"],
        value: Float[Tensor, "batch key d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = True,
        *,
        head_mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch head query key"] | None]:
        """Return ``(output, weights)``; row i of a head's weights says what position i reads there.

        Args:
            query, key, value: one tensor three times in self-attention; in cross-attention the
                query comes from one sequence, key and value from the other.
            mask: True = may attend: ``[query, key]``, ``[batch, query, key]`` or
                ``[batch, head, query, key]``, each axis as given or 1.
            need_weights: without them torch's fused kernel is used, and None returned.
            head_mask: True = the head is on; broadcasts to ``[batch, head]``.

        Raises:
            TypeError, ValueError: as `multi_head_attention`; a width is not d_model.
        """
        check_axes("query", query, "batch query d_model", d_model=self.d_model)
        return multi_head_attention(
            query,
            key,
            value,
            mask,
            num_heads=self.num_heads,
            W_Q=self.W_Q.weight,
            W_K=self.W_K.weight,
            W_V=self.W_V.weight,
            W_O=self.W_O.weight,
            b_Q=self.W_Q.bias,
            b_K=self.W_K.bias,
            b_V=self.W_V.bias,
            b_O=self.W_O.bias,
            head_mask=head_mask,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )

    def extra_repr(self) -> str:
        """Show the sizes in the module's printout."""
        sizes = ("d_model", "num_heads", "d_head", "d_value", "dropout")
        return ", ".join(f"{name}={getattr(self, name)}" for name in sizes)
