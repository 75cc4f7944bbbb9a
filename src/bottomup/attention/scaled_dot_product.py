"""Scaled dot-product attention: the dot product as score, divided by the root of its width."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as torch_attention

from bottomup.attention.luong import dot_scores
from bottomup.checks import (
    check_axes,
    check_device,
    check_generator,
    check_leading,
    check_mask,
    check_number,
    check_same_kind,
)
from bottomup.masks import causal_mask


def scaled_dot_scores(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    *,
    scale: int | float | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Score every query against every key by their dot product, scaled down by its spread.

    ``scores[i, j] = scale query[i] · key[j]``, ``scale = 1 / sqrt(d_key)``

    If the components of query and key are independent with mean 0 and variance 1, their dot product
    has the variance d_key, and the scaled score has the variance 1 at every width.

    Args:
        query: what each position looks for.
        key: what each position offers, of the same width d_key.
        scale: the factor; by default ``1 / sqrt(d_key)``.

    Raises:
        TypeError: an argument is not a floating-point tensor, the dtypes differ, or `scale` is no
            number.
        ValueError: axes are missing, empty or of sizes that do not fit, the devices differ, or
            `scale` is not a positive finite number.

    Source: Vaswani et al. (2017), section 3.2.1. Chapter 02 derives it.
    """
    _check_query_and_key(query, key)
    # Scaling the query touches [query, d_key] numbers, scaling the scores [query, key].
    return dot_scores(query * _factor(scale, query), key)


def scaled_dot_product_attention(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    scale: int | float | None = None,
    dropout: int | float = 0.0,
    generator: torch.Generator | None = None,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"] | None]:
    """Read a weighted mean of the values, weighted by scaled dot products.

    ``output = weights value``, ``weights = masked_softmax(scale query key^T, mask)``

    A query that may attend to no key reads zeros, with zero weights, and passes no gradient on.

    Without `need_weights` torch's own kernel computes the output, and the matrix [query, key] need
    not be stored. With a `generator` and dropout the weights are computed all the same, since the
    kernel draws from torch's global generator only.

    Args:
        query: what each position looks for.
        key: what each position offers, of the same width d_key.
        value: what is read, one for each key; d_value is free.
        mask: True = may attend; broadcasts to ``[..., query, key]``.
        scale: factor of the scores; by default ``1 / sqrt(d_key)``.
        dropout: probability in [0, 1) with which a weight is set to zero; the others grow by
            ``1 / (1 - dropout)``, which keeps the expected output. 0 outside training.
        generator: draws the dropout; by default torch's global generator.
        need_weights: whether to return the weights.

    Returns:
        The output, and the weights before dropout, which sum to one over the allowed keys; None in
        their place without `need_weights`.

    Raises:
        TypeError: an argument is not of its type, `mask` is not boolean, or the dtypes differ.
        ValueError: axes are missing, empty or of sizes that do not fit, the devices differ, `scale`
            is not a positive finite number, or `dropout` lies outside [0, 1).

    Source: Vaswani et al. (2017), section 3.2.1, equation 1. Chapter 02 derives it.
    """
    _check_query_and_key(query, key)
    _check_value_and_mask(query, key, value, mask)
    check_number("dropout", dropout, at_least=0, below=1)
    if generator is not None:
        check_generator("generator", generator, "query", query)
    if not need_weights and (dropout == 0 or generator is None):
        return _fused(query, key, value, mask, _factor(scale, query), dropout), None
    weights = _weights(scaled_dot_scores(query, key, scale=scale), mask)
    output = _drop(weights, dropout, generator) @ value
    return output, weights if need_weights else None


def _weights(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Do what `masked_softmax` does, in the scores' own memory: nobody needs them again."""
    if mask is None:
        return scores.softmax(dim=-1)
    empty = ~mask.any(dim=-1, keepdim=True)  # [..., query, 1]
    blocked = scores.new_zeros(mask.shape).masked_fill_(~(mask | empty), -torch.inf)
    # Adding needs no copy in the backward pass, where filling in would.
    weights = scores.add_(blocked).softmax(dim=-1)
    return weights if _is_none(empty) else weights.masked_fill(empty, 0.0)


def _is_none(empty: Tensor) -> bool:
    """Say whether no row is empty. A CPU answers at once; for a GPU the program would wait."""
    return empty.device.type == "cpu" and not empty.any()


def _is_causal(mask: Tensor) -> bool:
    """Say whether a CPU's mask is the causal one; for a GPU the program would wait."""
    if mask.device.type != "cpu" or mask.dim() < 2:
        return False
    n = mask.shape[-1]
    if mask.shape[-2] != n or mask.numel() != n * n:
        return False
    return n > 1 and torch.equal(mask.reshape(n, n), causal_mask(n))


def _check_query_and_key(query: Tensor, key: Tensor) -> None:
    width = check_axes("query", query, "... query d_key")["d_key"]
    check_axes("key", key, "... key d_key", d_key=width)
    check_leading("key", key, "query", query)
    check_same_kind("key", key, "query", query)


def _check_value_and_mask(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    check_axes("value", value, "... key d_value", key=key.shape[-2])
    check_leading("value", value, "key", key)
    check_same_kind("value", value, "query", query)
    if mask is None:
        return
    check_mask("mask", mask, (*query.shape[:-1], key.shape[-2]))
    check_device("mask", mask, "query", query)


def _factor(scale: int | float | None, query: Tensor) -> float:
    if scale is None:
        return query.shape[-1] ** -0.5
    check_number("scale", scale, above=0, below=math.inf)
    return float(scale)


def _drop(weights: Tensor, dropout: float, generator: torch.Generator | None) -> Tensor:
    if dropout == 0:
        return weights
    kept = torch.empty_like(weights).bernoulli_(1 - dropout, generator=generator)
    return weights * kept / (1 - dropout)


def _fused(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scale: float, dropout: float
) -> Tensor:
    """Call torch's kernel so that a fully masked row gives zeros, whatever the backend does."""
    if mask is None:
        return _kernel(query, key, value, None, scale, dropout)
    if query.shape[-2] == key.shape[-2] and _is_causal(mask):
        return _kernel(query, key, value, None, scale, dropout, causal=True)
    empty = ~mask.any(dim=-1, keepdim=True)  # [..., query, 1]
    if _is_none(empty):
        return _kernel(query, key, value, mask, scale, dropout)
    return _kernel(query, key, value, mask | empty, scale, dropout).masked_fill(empty, 0.0)


def _kernel(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    scale: float,
    dropout: float,
    *,
    causal: bool = False,
) -> Tensor:
    """Call torch on four axes or more: with fewer it falls back to a kernel that stores weights.

    With `causal` in the place of a mask it skips the half of the pairs that count for nothing.
    """
    axes = max(4, query.dim())
    added = axes - query.dim()
    output = torch_attention(
        _extend(query, axes),
        _extend(key, axes),
        _extend(value, axes),
        attn_mask=None if mask is None else _extend(mask, axes),
        dropout_p=dropout,
        is_causal=causal,
        scale=scale,
    )
    return output[(0,) * added]


def _extend(tensor: Tensor, axes: int) -> Tensor:
    """Put axes of size 1 in front until there are `axes` of them."""
    return tensor[(None,) * (axes - tensor.dim())]
