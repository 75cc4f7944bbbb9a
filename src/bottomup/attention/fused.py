"""The fast path: the same output from torch's kernel, without the weights."""

from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as torch_attention

from bottomup.attention.scaled_dot_product import (
    Attention,
    scaled_dot_product_attention,
)
from bottomup.checks import (
    ask_which_axes,
    check_causal,
    check_mask,
    check_number,
    check_scale,
    check_switch,
    checked,
    is_transformed,
)
from bottomup.masks import and_causal, empty_rows


@checked
def fused_attention(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    causal: bool = False,
    scale: int | float | None = None,
    dropout: int | float = 0.0,
) -> tuple[Float[Tensor, "*leading query d_value"], None]:
    """Do what `scaled_dot_product_attention` does, and give no weights.

    The matrix [query, key] need not be stored, and of a `causal` attention only
    the half that counts is computed. Dropout draws from torch's own generator.

    Returns:
        The output, and None in the place of the weights.

    Source: Dao et al. (2022). Chapter 07 measures it.

    Example:
        >>> import torch
        >>> from bottomup.attention import (
        ...     fused_attention,
        ...     scaled_dot_product_attention,
        ... )
        >>> x = torch.randn(2, 5, 12)
        >>> output, weights = fused_attention(x, x, x, causal=True)
        >>> wanted, _ = scaled_dot_product_attention(x, x, x, causal=True)
        >>> torch.allclose(output, wanted, atol=1e-5), weights
        (True, None)
    """
    if scale is None:
        scale = query.shape[-1] ** -0.5
    else:
        check_scale(scale, query.dtype)
    check_number("dropout", dropout, at_least=0, below=1)
    shape = (*query.shape[:-1], key.shape[-2])  # [..., query, key]
    check_mask("mask", mask, shape)
    ask_which_axes("mask", mask, shape)
    check_switch("causal", causal)
    if causal and mask is not None:
        mask, causal = and_causal(mask, shape, mask.device), False
    elif causal:
        check_causal(shape)
    if is_transformed():  # torch's kernel is not
        output, _ = scaled_dot_product_attention(
            query,
            key,
            value,
            mask,
            causal=causal,
            scale=scale,
            dropout=dropout,
        )
        return output, None
    empty = None if mask is None else empty_rows(mask)  # [..., query, 1]
    if mask is not None and empty is not None:
        mask = mask | empty  # backends disagree on a row that reads nothing
    # With fewer than four axes torch takes a kernel that stores the weights.
    axes = max(4, query.dim())
    output = torch_attention(
        _with_axes(query, axes),
        _with_axes(key, axes),
        _with_axes(value, axes),
        attn_mask=None if mask is None else _with_axes(mask, axes),
        dropout_p=dropout,
        is_causal=bool(causal),
        scale=scale,
    )[(0,) * (axes - query.dim())]
    return output if empty is None else output.masked_fill(empty, 0.0), None


def attention_for(need_weights: bool) -> Attention:
    """Return the attention that gives its weights, or the faster one.

    Chapter 03 compares them.
    """
    check_switch("need_weights", need_weights)
    return scaled_dot_product_attention if need_weights else fused_attention


def _with_axes(tensor: Tensor, axes: int) -> Tensor:
    """Put axes of size 1 in front until there are `axes` of them."""
    missing = axes - tensor.dim()
    return tensor[(None,) * missing] if missing else tensor
