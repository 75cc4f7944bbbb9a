"""The fast path: run a plan, one product for each part, into one softmax.

Forward, for each query i over a part's keys j, with ``s = scale query key^T``:
``log_sum[i] = log sum_j exp(s[i, j])``,
``output[i] = sum_j exp(s[i, j] - log_sum[i]) value[j]``; then parts are merged.

Backward, the weights are ``P[i, j] = exp(s[i, j] - log_sum[i])`` with the
log-sum-exp of *all* keys of query i, those of other parts too. So a softmax
over several products needs no more than this one number for each query, and its
gradient is the sum of what the products give.

On a CPU torch's own kernel computes the products. It is the one that its
`scaled_dot_product_attention` uses, which however keeps the log-sum-exp to
itself; hence the call to torch's operator by name. Where it is missing, on a
GPU, or if values are wider or narrower than keys, matrix products do.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

from bottomup.attention.sparse.plans import Part, Plan
from bottomup.checks import is_transformed
from bottomup.precision import HALF, widened, without_autocast

_FORWARD: Any = getattr(
    torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu", None
)
_BACKWARD: Any = getattr(
    torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu_backward", None
)

NUMBERS_AT_ONCE = 2**18  # of a step on a CPU: 1 MiB of float32, for its caches


def run_plan(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, plan: Plan
) -> Tensor:
    """Attend as the plan's parts say, with one softmax over all keys.

    Args:
        query, key: [batch, head, n, d_key].
        value: [batch, head, n, d_value].
        mask: True = the key may be read, [batch, n].
        plan: which query reads which key.

    Returns:
        The output, [batch, head, n, d_value]; zeros where a query may read no
        key.

    Raises:
        NotImplementedError: under ``torch.func``.
    """
    if is_transformed():
        raise NotImplementedError(
            "sparse attention: expected no transform of torch.func and no "
            "forward mode, which its kernel does not know; attend densely, "
            "with the pattern's mask"
        )
    batch, heads = query.shape[:2]
    if mask is not None:
        mask = mask.repeat_interleave(heads, dim=0)[..., None]  # [lead, n, 1]
    # One dtype: under autocast they may have come in several.
    dtype = torch.promote_types(query.dtype, key.dtype)
    dtype = torch.promote_types(dtype, value.dtype)
    inputs = (x.to(dtype).flatten(0, 1) for x in (query, key, value))
    with without_autocast(query.device):
        output = _Sparse.apply(*inputs, mask, plan)  # [lead, n, d_value]
    return output.unflatten(0, (batch, heads))


class _Sparse(torch.autograd.Function):
    """Keep inputs, output and one log-sum-exp a query, and no scores.

    Batch and heads are one axis, `lead`. On a CPU it is worked through in
    steps, and so are a part's groups, that its caches hold: with all at once
    half of the time goes to memory.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        plan: Plan,
    ) -> Tensor:
        lead, n = query.shape[:2]
        exact = torch.float32 if value.dtype in HALF else value.dtype
        output = value.new_empty(lead, plan.length, value.shape[-1])
        log_sum = value.new_empty(lead, plan.length, 1, dtype=exact)
        for some in _steps(0, query):
            inputs = (query[some], key[some], value[some])
            padded = [_padded(tensor, plan.length) for tensor in inputs]
            keys = None if mask is None else _padded(mask[some], plan.length)
            _forward(plan, output[some], log_sum[some], keys, *padded)
        output, log_sum = output[:, :n], log_sum[:, :n]
        ctx.save_for_backward(query, key, value, mask, output, log_sum)
        ctx.plan = plan
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, mask, output, log_sum = ctx.saved_tensors
        if mask is not None:  # a row without keys: its weights are exp(-inf)
            log_sum = log_sum.masked_fill(log_sum == -torch.inf, 0.0)
        n, plan = query.shape[1], ctx.plan
        totals = [
            x.new_empty(x.shape[0], plan.length, x.shape[-1])
            for x in (query, key, value)
        ]
        saved = (gradient, query, key, value, output, log_sum)
        for some in _steps(0, query):
            padded = [_padded(tensor[some], plan.length) for tensor in saved]
            keys = None if mask is None else _padded(mask[some], plan.length)
            with without_autocast(query.device):
                _backward(plan, [x[some] for x in totals], keys, *padded)
        return *(total[:, :n] for total in totals), None, None


def _steps(axis: int, *tensors: Tensor) -> Iterator[slice]:
    """Cut an axis of the tensors as a CPU's caches hold the largest of them."""
    count = tensors[0].shape[axis]
    each = max(tensor.numel() for tensor in tensors) // count
    on_gpu = tensors[0].is_cuda
    step = count if on_gpu else max(1, NUMBERS_AT_ONCE // each)
    return (slice(first, first + step) for first in range(0, count, step))


def _padded(x: Tensor, length: int) -> Tensor:
    """Add positions behind: the queries come before them, and read none."""
    missing = length - x.shape[1]
    return pad(x, (0, 0, 0, missing)) if missing else x.contiguous()


def _rows(view: Tensor, groups: slice) -> Tensor:
    """Return some groups of a part's view as [lead, group, row, width]."""
    return view[:, groups].flatten(2, -2)


def _forward(
    plan: Plan,
    output: Tensor,
    log_sum: Tensor,
    mask: Tensor | None,
    query: Tensor,
    key: Tensor,
    value: Tensor,
) -> None:
    """Write output and log-sum-exp."""
    if not plan.starts_whole:
        output.zero_()
        log_sum.fill_(-torch.inf)
    for part in plan.parts:
        queries, keys = part.queries(query), part.keys(key)
        values = part.keys(value)
        read, read_sum = part.queries(output), part.queries(log_sum)
        for groups in _steps(1, queries, keys):
            new, new_sum = forward_product(
                _rows(queries, groups),
                _rows(keys, groups),
                _rows(values, groups),
                scale=1 / math.sqrt(query.shape[-1]),
                causal=part.causal,
                bias=_bias(part, mask, query, groups),
                some_empty=mask is not None,
            )
            merge = _fill if part.whole else _merge
            merge(read[:, groups], read_sum[:, groups], new, new_sum)


def _fill(read: Tensor, log_sum: Tensor, new: Tensor, new_sum: Tensor) -> None:
    """Write what the first part has read."""
    read.copy_(new.reshape(read.shape))
    log_sum.copy_(new_sum.reshape(log_sum.shape))


def _merge(read: Tensor, log_sum: Tensor, new: Tensor, new_sum: Tensor) -> None:
    """Merge what a part has read into what its queries have read so far.

    ``read <- read + share (new - read)``,
    ``share = e^new_sum / (e^log_sum + e^new_sum) = sigmoid(new_sum - log_sum)``
    """
    new, new_sum = new.reshape(read.shape), new_sum.reshape(log_sum.shape)
    # -inf against -inf, no key in either, gives NaN.
    share = torch.sigmoid(new_sum - log_sum).nan_to_num_(nan=0.0)
    read.lerp_(new, share.to(read.dtype))
    log_sum.copy_(torch.logaddexp(log_sum, new_sum))


def _backward(
    plan: Plan,
    totals: list[Tensor],
    mask: Tensor | None,
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_sum: Tensor,
) -> None:
    """Write the gradients of query, key and value into `totals`."""
    query_total, key_total, value_total = totals
    if not plan.starts_whole:
        for total in totals:
            total.zero_()
    for part in plan.parts:
        gradients, queries = part.queries(gradient), part.queries(query)
        outputs, log_sums = part.queries(output), part.queries(log_sum)
        keys, values = part.keys(key), part.keys(value)
        for groups in _steps(1, queries, keys):
            by_query, by_key, by_value = backward_product(
                _rows(gradients, groups),
                _rows(queries, groups),
                _rows(keys, groups),
                _rows(values, groups),
                _rows(outputs, groups),
                _rows(log_sums, groups).squeeze(-1),
                scale=1 / math.sqrt(query.shape[-1]),
                causal=part.causal,
                bias=_bias(part, mask, query, groups),
            )
            part.add_to_queries(query_total, by_query, groups)
            part.add_to_keys(key_total, by_key, groups)
            part.add_to_keys(value_total, by_value, groups)


def _bias(
    part: Part, mask: Tensor | None, like: Tensor, groups: slice
) -> Tensor | None:
    """Return the bias of a part and of masked keys, [lead, group, row, key]."""
    pairs = None if part.bias is None else part.bias.to(like)[None, None]
    if mask is None:
        return pairs
    keys = _rows(part.keys(mask), groups).mT  # [lead, group, 1, key]
    none = like.new_zeros(()) if pairs is None else pairs
    return none.masked_fill(~keys, -torch.inf)


# ---- One product


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
    """Return output, [lead, group, row, d_value], and its log-sum-exp.

    That is [lead, group, row]. A query that may attend to no key has the output
    0 and the log-sum-exp -inf.

    Args:
        query: [lead, group, row, d_key].
        key: [lead, group, key, d_key].
        value: [lead, group, key, d_value].
        scale: factor of the scores.
        causal: whether the k-th query of a group may attend to its first k keys
            only.
        bias: added to the scores, 0 = may attend, -inf = may not; four axes
            that broadcast to [lead, group, row, key].
        some_empty: whether there may be a query without any key.
    """
    if not _fused(query, value):
        scores = _scores(query * scale, key, causal, bias)
        top = scores.amax(dim=-1, keepdim=True)  # [lead, group, row, 1]
        top = top.masked_fill(top == -torch.inf, 0.0)
        exponentials = scores.sub_(top).exp_()  # [lead, group, row, key]
        total = exponentials.sum(dim=-1, keepdim=True)
        # The total is at least 1, or 0 in an empty row.
        weights = exponentials.div_(total.clamp(min=1.0))
        output = weights.to(value.dtype) @ value
        return output, (top + total.log()).squeeze(-1)
    output, log_sum = _FORWARD(
        query, key, value, 0.0, causal, attn_mask=bias, scale=scale
    )
    if some_empty and bias is not None:
        # What torch's kernel says of such a row is no part of its interface.
        allowed, keys = bias == 0, key.shape[-2]
        if causal:  # as many queries as keys
            allowed = allowed.expand(*bias.shape[:-2], keys, keys).tril()
        empty = ~allowed.any(dim=-1)  # [lead, group, row], some axes 1
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

    ``dV = P^T dO``, ``dS = P * (dO V^T - sum_c dO O)``,
    ``dQ = scale dS K``, ``dK = scale dS^T Q``

    Args:
        gradient: of the loss with respect to the softmax's whole output, dO,
            [lead, group, row, d_value].
        query, key, value, scale, causal, bias: as in `forward_product`.
        output: the softmax's whole output, O.
        log_sum: over all keys of the query, [lead, group, row]; finite.
    """
    if _fused(query, value):
        inputs = (gradient, query, key, value, output, log_sum)
        return _BACKWARD(*inputs, 0.0, causal, attn_mask=bias, scale=scale)
    scaled = query * scale
    scores = _scores(scaled, key, causal, bias)  # [lead, group, row, key]
    weights = scores.sub_(log_sum[..., None]).exp_()
    by_value = weights.to(value.dtype).mT @ gradient
    # Of a sharp softmax this is a small difference of large numbers.
    wide = widened(gradient)
    mean = (wide * widened(output)).sum(dim=-1, keepdim=True)
    by_score = weights.mul_(wide @ widened(value).mT - mean).to(query.dtype)
    return by_score @ key * scale, by_score.mT @ scaled, by_value


def _fused(query: Tensor, value: Tensor) -> bool:
    here = _FORWARD is not None and _BACKWARD is not None
    like = query.shape[-1] == value.shape[-1]
    return here and query.device.type == "cpu" and like


def _scores(
    query: Tensor, key: Tensor, causal: bool, bias: Tensor | None
) -> Tensor:
    """Return the scores in float32 or better; -inf: a query may not attend.

    A score of two vectors in float16 may be larger than float16 can hold.
    """
    scores = widened(query) @ widened(key).mT
    if causal:
        pairs, device = scores.shape[-2:], scores.device
        later = torch.ones(pairs, dtype=torch.bool, device=device).triu(1)
        scores.masked_fill_(later, -torch.inf)
    return scores if bias is None else scores.add_(bias)
