"""Multi-head attention: several attentions, each in a slice of the width."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.scaled_dot_product import (
    Attention,
    scaled_dot_product_attention,
)
from bottomup.checks import (
    ask_which_axes,
    check_divisor,
    check_integer,
    check_mask,
    check_number,
    check_switch,
    check_weights,
    checked,
    point_to_from_torch,
    without_torch_names,
)


@checked
def split_heads(
    x: Float[Tensor, "*leading n width"], num_heads: int
) -> Float[Tensor, "*leading head n d_head"]:
    """Cut the width into a slice for each head, and give the heads an axis.

    ``split[..., h, i, c] = x[..., i, h d_head + c]``,
    ``d_head = width / num_heads``

    The result is a view: no number is copied.

    Source: Vaswani et al. (2017), section 3.2.2. Chapter 03 derives it.

    Example:
        >>> x = torch.tensor([[0.0, 1.0, 2.0, 3.0]])
        >>> split_heads(x, num_heads=2).tolist()
        [[[0.0, 1.0]], [[2.0, 3.0]]]
    """
    check_integer("num_heads", num_heads, at_least=1)
    check_divisor("num_heads", num_heads, "width", x.shape[-1])
    *leading, n, width = x.shape
    split = x.view(*leading, n, num_heads, width // num_heads)
    return split.transpose(-3, -2)  # [..., head, n, d_head]


@checked
def merge_heads(
    x: Float[Tensor, "*leading head n d_head"],
) -> Float[Tensor, "*leading n width"]:
    """Put the heads beside each other again: the inverse of `split_heads`.

    ``merged[..., i, h d_head + c] = x[..., h, i, c]``, the paper's "Concat".

    Source: Vaswani et al. (2017), section 3.2.2. Chapter 03 derives it.

    Example:
        >>> x = torch.arange(8).float().reshape(2, 4)
        >>> torch.equal(merge_heads(split_heads(x, num_heads=2)), x)
        True
    """
    return x.transpose(-3, -2).flatten(-2)


class MultiHeadAttention(nn.Module):
    """Attend once in each head, and mix what the heads have read.

    ``Q = query W_Q^T + b_Q``, ``K = key W_K^T + b_K``,
    ``V = value W_V^T + b_V``;
    ``head_h = softmax(Q_h K_h^T / sqrt(d_head)) V_h``, where ``Q_h``, ``K_h``
    and ``V_h`` are columns of Q, K and V;
    ``output = [head_1 ... head_H] W_O^T + b_O``

    Head h owns the rows ``h d_head ... (h + 1) d_head - 1`` of W_Q and W_K, the
    rows ``h d_value ...`` of W_V and such columns of W_O, counted from 0. The
    paper writes each head's map apart; stacking them changes nothing. With
    d_head = d_value = d_model / num_heads there are ``4 d_model^2`` weights for
    any number of heads, and ``4 d_model`` biases.

    Args:
        d_model: width of a position, in and out.
        num_heads: number of heads.
        d_head: width of a head's queries and keys; d_model / num_heads.
        d_value: width of a head's values; by default d_head.
        bias: whether the four maps add a bias.
        dropout: probability in [0, 1) with which a weight is set to zero during
            training.

    The maps start as Glorot's uniform distribution draws them, biases as zeros.

    Source: Vaswani et al. (2017), section 3.2.2, with d_value = d_head and no
    word of biases. Chapter 03 derives it.

    Example:
        >>> import torch
        >>> from bottomup.attention import MultiHeadAttention
        >>> attention = MultiHeadAttention(d_model=12, num_heads=3)
        >>> x = torch.randn(2, 5, 12)
        >>> output, weights = attention(x, x, x, causal=True)
        >>> output.shape, weights.shape
        (torch.Size([2, 5, 12]), torch.Size([2, 3, 5, 5]))
    """

    @without_torch_names
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
        check_integer("d_model", d_model, at_least=1)
        check_integer("num_heads", num_heads, at_least=1)
        if d_head is None:
            hint = "; with d_head given, any number of heads will do"
            check_divisor("num_heads", num_heads, "d_model", d_model, hint)
            d_head = d_model // num_heads
        d_value = d_head if d_value is None else d_value
        check_integer("d_head", d_head, at_least=1)
        check_integer("d_value", d_value, at_least=1)
        check_switch("bias", bias)
        check_number("dropout", dropout, at_least=0, below=1)
        self.d_model, self.num_heads = d_model, num_heads
        self.d_head, self.d_value = d_head, d_value
        self.dropout = float(dropout)
        self.W_Q = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.W_K = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.W_V = nn.Linear(d_model, num_heads * d_value, bias=bias)
        self.W_O = nn.Linear(num_heads * d_value, d_model, bias=bias)
        for linear in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(linear.weight)
            if linear.bias is not None:
                nn.init.zeros_(linear.bias)

    @checked
    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        key: Float[Tensor, "batch key d_model"],
        value: Float[Tensor, "batch key d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        causal: bool = False,
        head_mask: Bool[Tensor, "..."] | None = None,
        attend: Attention = scaled_dot_product_attention,
    ) -> tuple[
        Float[Tensor, "batch query d_model"],
        Float[Tensor, "batch head query key"] | None,
    ]:
        """Return ``(output, weights)``.

        The weights are those of each head, before dropout.

        Args:
            query, key, value: one tensor three times in self-attention; in
                cross-attention the query comes from one sequence, key and value
                from the other.
            mask: True = may attend: ``[query, key]``,
                ``[batch, query, key]`` or ``[batch, head, query, key]``, each
                axis as given or 1. Of two axes the first is always query: a
                mask of padding ``[batch, key]`` is given as ``mask[:, None]``.
                A warning asks where one fits by chance, unless it looks like a
                causal mask.
            causal: whether a position may read itself and what is before it.
            head_mask: True = the head is on; broadcasts to ``[batch, head]``. A
                head that is off reads zeros.
            attend: what each head does; with `fused_attention` the weights are
                None.
        """
        H = self.num_heads
        if mask is not None or head_mask is not None:
            sizes = (query.shape[0], H, query.shape[1], key.shape[1])
            mask = with_heads(mask, head_mask, sizes)
        read, weights = attend(
            split_heads(self.W_Q(query), H),  # [batch, head, query, d_head]
            split_heads(self.W_K(key), H),  # [batch, head, key, d_head]
            split_heads(self.W_V(value), H),  # [batch, head, key, d_value]
            mask,
            causal=causal,
            dropout=self.dropout if self.training else 0.0,
        )  # [batch, head, query, d_value]
        return self.W_O(merge_heads(read)), weights  # [batch, query, d_model]

    def extra_repr(self) -> str:
        """Show the sizes in the module's printout."""
        sizes = ("d_model", "num_heads", "d_head", "d_value", "dropout")
        return ", ".join(f"{name}={getattr(self, name)}" for name in sizes)

    def _load_from_state_dict(
        self, weights: dict[str, Any], prefix: str, *rest: Any
    ) -> None:
        key = f"{prefix}in_proj_weight"
        point_to_from_torch("attention", weights, key)
        super()._load_from_state_dict(weights, prefix, *rest)


def with_heads(
    mask: Tensor | None, head_mask: Tensor | None, sizes: tuple[int, ...]
) -> Tensor | None:
    """Return one mask for all heads, [batch, head, query, key], each axis or 1.

    A head that is off may attend to nothing.

    Args:
        mask: of two axes, [query, key], of three, or of four.
        head_mask: True = the head is on; broadcasts to [batch, head].
        sizes: of batch, head, query and key.
    """
    batch, heads, query, key = sizes
    if mask is not None and mask.dim() == 2:
        check_mask("mask", mask, (batch, query, key))
        ask_which_axes("mask", mask, (batch, query, key))
        mask = mask[None]  # [1, query, key]
    if mask is not None and mask.dim() == 3:
        if mask.shape[0] not in (1, batch):
            raise ValueError(
                f"mask: expected three axes [batch={batch}, query={query}, "
                f"key={key}], got {tuple(mask.shape)}; a mask for each head "
                f"has four, [batch, head={heads}, query, key]"
            )
        check_mask("mask", mask, (batch, query, key))
        mask = mask[:, None]  # [batch, 1, query, key]
    check_mask("mask", mask, sizes)
    check_mask("head_mask", head_mask, sizes[:2])
    if head_mask is None:
        return mask
    on = head_mask[..., None, None]  # [batch, head, 1, 1]
    return on if mask is None else mask & on


def check_attention(module: MultiHeadAttention) -> None:
    """Check that a module computes what `MultiHeadAttention` does.

    An heir with a `forward` of its own computes something else.
    """
    kind = type(module).__name__
    if not isinstance(module, MultiHeadAttention):
        raise TypeError(f"module: expected a MultiHeadAttention, got {kind}")
    own = type(module).forward is not MultiHeadAttention.forward
    if own or "forward" in vars(module):
        raise TypeError(
            "module: expected an attention that computes as "
            f"MultiHeadAttention does, got {kind} with a forward of its own"
        )


def check_maps(module: MultiHeadAttention) -> None:
    """Check also that its four plain maps are all that it holds."""
    check_attention(module)
    for name, part in module.named_children():
        if type(part) is not nn.Linear:
            raise TypeError(
                f"module: expected plain maps, nn.Linear, got {name}, "
                f"{type(part).__name__}"
            )
    with torch.device("meta"):  # shapes without numbers
        plain = MultiHeadAttention(
            module.d_model,
            module.num_heads,
            d_head=module.d_head,
            d_value=module.d_value,
            bias=module.W_O.bias is not None,
        )
    check_weights("module", module.state_dict(), plain.state_dict())
