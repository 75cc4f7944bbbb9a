"""Scaled dot-product attention: ``softmax(Q K^T / sqrt(d_key)) V``."""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.checks import check_number, check_scale, checked
from bottomup.masks import masked_softmax
from bottomup.precision import in_float32


@runtime_checkable
class Attention(Protocol):
    """What each head does: any function that is called like this."""

    def __call__(
        self,
        query: Tensor,  # [batch, head, query, d_key]
        key: Tensor,  # [batch, head, key, d_key]
        value: Tensor,  # [batch, head, key, d_value]
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        dropout: int | float = 0.0,
    ) -> tuple[Tensor, Tensor | None]:
        """Return ``(output, weights)``; the weights may be None."""


@checked
@in_float32
def scaled_dot_scores(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    *,
    scale: int | float | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Score every query against every key by their scaled dot product.

    ``scores[i, j] = scale query[i] · key[j]``, ``scale = 1 / sqrt(d_key)``

    If the components of query and key are independent with mean 0 and variance
    1, their dot product has the variance d_key, and the scaled score has the
    variance 1 at every width.

    Args:
        query: what each position looks for.
        key: what each position offers.
        scale: the factor, above 0; by default ``1 / sqrt(d_key)``.

    Source: Vaswani et al. (2017), section 3.2.1. Chapter 02 derives it.
    """
    if scale is None:
        scale = query.shape[-1] ** -0.5
    else:
        check_scale(scale, query.dtype)
    # The query is scaled, since it usually has fewer numbers than the scores.
    return (query * float(scale)) @ key.transpose(-2, -1)


@checked
@in_float32
def scaled_dot_product_attention(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    causal: bool = False,
    scale: int | float | None = None,
    dropout: int | float = 0.0,
    generator: torch.Generator | None = None,
) -> tuple[
    Float[Tensor, "*leading query d_value"],
    Float[Tensor, "*leading query key"],
]:
    """Read a weighted mean of the values, weighted by scaled dot products.

    ``weights = masked_softmax(scale query key^T, mask)``,
    ``output = weights value``

    A query that may attend to no key reads zeros, with zero weights, and passes
    no gradient on. `fused_attention` gives the same output faster, without the
    weights.

    Args:
        query: what each position looks for.
        key: what each position offers.
        value: what is read, one for each key.
        mask: True = may attend; broadcasts to ``[..., query, key]``.
        causal: whether a position may read itself and what is before it only.
        scale: factor of the scores; by default ``1 / sqrt(d_key)``.
        dropout: probability in [0, 1) with which a weight is set to zero; the
            others grow by ``1 / (1 - dropout)``. 0 outside training.
        generator: draws the dropout; by default torch's global generator.

    Returns:
        The output, and the weights before dropout.

    Source: Vaswani et al. (2017), section 3.2.1, equation 1. Chapter 02 derives
    it.

    Example:
        >>> import torch
        >>> from bottomup.attention import scaled_dot_product_attention
        >>> query = torch.tensor([[0.0]])
        >>> key = torch.tensor([[1.0], [2.0]])
        >>> value = torch.tensor([[3.0], [5.0]])
        >>> scaled_dot_product_attention(query, key, value)
        (tensor([[4.]]), tensor([[0.5000, 0.5000]]))
    """
    check_number("dropout", dropout, at_least=0, below=1)
    scores = scaled_dot_scores(query, key, scale=scale)  # [..., query, key]
    # Nobody else has the scores, so the weights may take their place.
    weights = masked_softmax(scores, mask, causal=causal, in_place=True)
    read = _drop(weights, dropout, generator) if dropout else weights
    return read @ value, weights  # [..., query, d_value]


def _drop(
    weights: Tensor, dropout: int | float, generator: torch.Generator | None
) -> Tensor:
    keep = torch.empty_like(weights)
    keep.bernoulli_(1 - dropout, generator=generator)
    return weights * keep / (1 - dropout)
