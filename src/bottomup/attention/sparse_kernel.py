"""One dense product of sparse attention, forward and backward, with its log-sum-exp.

Forward, for each query i over the keys j that it may attend to, with ``s = scale query key^T``:
``log_sum[i] = log sum_j exp(s[i, j])``, ``output[i] = sum_j exp(s[i, j] - log_sum[i]) value[j]``.

Backward, the weights are ``P[i, j] = exp(s[i, j] - log_sum[i])`` with the log-sum-exp of *all* keys
of query i, those of other products too. So a softmax over several products needs no more than this
one number for each query, and its gradient is the sum of what the products give.

On a CPU torch's own kernel computes both. It is the one that its `scaled_dot_product_attention`
uses, which however keeps the log-sum-exp to itself; hence the call to torch's operator by name.
Where it is missing, on a GPU, or if values are wider or narrower than keys, matrix products do.
"""

from typing import Any

import torch
from torch import Tensor

_FORWARD: Any = getattr(
    torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None
)
_BACKWARD: Any = getattr(
    torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu_backward", None
)


def forward_product(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    scale: float,
    causal: bool,
    bias: Tensor | None,
    some_empty: bool,
) -> tuple[Tensor, Tensor]:
    """Return output, [lead, group, row, d_value], and log_sum, [lead, group, row].

    A query that may attend to no key has the output 0 and the log-sum-exp -inf.

    Args:
        query: [lead, group, row, d_key].
        key: [lead, group, key, d_key].
        value: [lead, group, key, d_value].
        scale: factor of the scores.
        causal: whether the k-th query of a group may attend to its first k keys only.
        bias: added to the scores, 0 = may attend, -inf = may not; four axes that broadcast to
            [lead, group, row, key].
        some_empty: whether there may be a query without any key.
    """
    if not _fused(query, value):
        return _forward_by_products(query, key, value, scale, causal, bias)
    output, log_sum = _FORWARD(
        query, key, value, 0.0, causal, attn_mask=bias, scale=scale
    )
    if some_empty and bias is not None:
        # What torch's kernel says of such a row is no part of its interface.
        empty = _empty(bias, causal, key.shape[-2])
        log_sum = log_sum.masked_fill(empty, -torch.inf)
        output = output.masked_fill_(empty[..., None], 0.0)
    return output, log_sum


def backward_product(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_sum: Tensor,
    *,
    scale: float,
    causal: bool,
    bias: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of query, key and value.

    Args:
        gradient: of the loss with respect to the softmax's whole output, [lead, group, row,
            d_value].
        query, key, value, scale, causal, bias: as in `forward_product`.
        output: the softmax's whole output.
        log_sum: over all keys of the query, [lead, group, row]; finite.
    """
    if not _fused(query, value):
        return _backward_by_products(
            gradient, query, key, value, output, log_sum, scale, causal, bias
        )
    return _BACKWARD(
        gradient,
        query,
        key,
        value,
        output,
        log_sum,
        0.0,
        causal,
        attn_mask=bias,
        scale=scale,
    )


def _fused(query: Tensor, value: Tensor) -> bool:
    here = _FORWARD is not None and _BACKWARD is not None
    return (
        here
        and query.device.type == "cpu"
        and query.shape[-1] == value.shape[-1]
    )


def _empty(bias: Tensor, causal: bool, keys: int) -> Tensor:
    """Say which queries may attend to no key, [lead, group, row] with axes of 1."""
    allowed = bias == 0
    if causal:
        allowed = allowed.expand(
            *allowed.shape[:-2], keys, keys
        ).tril()  # as many queries as keys
    return ~allowed.any(dim=-1)


def _scores(
    query: Tensor, key: Tensor, causal: bool, bias: Tensor | None
) -> Tensor:
    """Return the scores in float32 or better, with -inf where a query may not attend.

    A score of two vectors in float16 may be larger than float16 can hold.
    """
    if query.dtype in (torch.float16, torch.bfloat16):
        query, key = query.float(), key.float()
    scores = query @ key.mT
    if causal:
        later = torch.ones(
            scores.shape[-2:], dtype=torch.bool, device=scores.device
        ).triu(1)
        scores.masked_fill_(later, -torch.inf)
    return scores if bias is None else scores.add_(bias)


def _forward_by_products(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: float,
    causal: bool,
    bias: Tensor | None,
) -> tuple[Tensor, Tensor]:
    scores = _scores(query * scale, key, causal, bias)
    top = scores.amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == -torch.inf, 0.0)
    exponentials = scores.sub_(top).exp_()
    total = exponentials.sum(
        dim=-1, keepdim=True
    )  # at least 1, or 0 in an empty row
    weights = exponentials.div_(total.clamp(min=1.0))
    output = weights.to(value.dtype) @ value
    return output, (top + total.log()).squeeze(-1)


def _backward_by_products(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_sum: Tensor,
    scale: float,
    causal: bool,
    bias: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    scaled = query * scale
    weights = _scores(scaled, key, causal, bias).sub_(log_sum[..., None]).exp_()
    value_gradient = weights.to(value.dtype).mT @ gradient
    mean = (gradient * output).sum(dim=-1, keepdim=True)
    by_score = weights.mul_(gradient @ value.mT - mean).to(query.dtype)
    return by_score @ key * scale, by_score.mT @ scaled, value_gradient
