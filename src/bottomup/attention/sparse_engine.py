"""Run a plan of sparse attention: one product for each part, merged into one softmax."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

from bottomup.attention.sparse_kernel import backward_product, forward_product
from bottomup.attention.sparse_parts import Part, Plan, rows_of

NUMBERS_AT_ONCE = (
    2**18
)  # in one step on a CPU: 1 MiB of float32, so that its caches hold them


def run_plan(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, plan: Plan
) -> Tensor:
    """Attend as the plan's parts say, with one softmax over all keys of a query.

    Args:
        query, key: [batch, head, n, d_key].
        value: [batch, head, n, d_value].
        mask: True = the key may be read, [batch, n]; a batch of 1 counts for all.
        plan: which query reads which key.

    Returns:
        The output, [batch, head, n, d_value]; zeros where a query may read no key.
    """
    batch, heads = query.shape[:2]
    rows = (
        None
        if mask is None
        else mask.expand(batch, -1).repeat_interleave(heads, dim=0)
    )
    inputs = (tensor.flatten(0, 1) for tensor in (query, key, value))
    return _Sparse.apply(*inputs, rows, plan).unflatten(0, (batch, heads))


class _Sparse(torch.autograd.Function):
    """Keeps inputs, output and one log-sum-exp a query; scores are computed again on the way back.

    Batch and heads are one axis, `lead`. On a CPU it is worked through in slices, and a part's
    groups in steps, that its caches hold: with all at once half of the time goes to memory.
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
        output = value.new_empty(lead, plan.length, value.shape[-1])
        log_sum = value.new_empty(lead, plan.length, 1, dtype=_kind(value))
        for some in _slices(query):
            rows = [
                _padded(tensor[some], plan.length)
                for tensor in (query, key, value)
            ]
            keys = (
                None
                if mask is None
                else _padded(mask[some, :, None], plan.length)
            )
            _forward(rows, keys, plan, output[some], log_sum[some])
        output, log_sum = output[:, :n], log_sum[:, :n]
        ctx.save_for_backward(query, key, value, mask, output, log_sum)
        ctx.plan = plan
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, mask, output, log_sum = ctx.saved_tensors
        if (
            mask is not None
        ):  # else no row is without keys; its weights are exp(-inf - 0) = 0
            log_sum = log_sum.masked_fill(log_sum == -torch.inf, 0.0)
        n, length = query.shape[1], ctx.plan.length
        totals = [
            x.new_empty(x.shape[0], length, x.shape[-1])
            for x in (query, key, value)
        ]
        for some in _slices(query):
            rows = (gradient, query, key, value, output, log_sum)
            padded = [_padded(tensor[some], length) for tensor in rows]
            keys = (
                None if mask is None else _padded(mask[some, :, None], length)
            )
            _backward(padded, keys, ctx.plan, [total[some] for total in totals])
        return *(total[:, :n] for total in totals), None, None


def _kind(value: Tensor) -> torch.dtype:
    """Return the dtype of the log-sum-exp: float32 or better."""
    return (
        torch.float32
        if value.dtype in (torch.float16, torch.bfloat16)
        else value.dtype
    )


def _slices(query: Tensor) -> Iterator[slice]:
    lead = query.shape[0]
    step = (
        lead if query.is_cuda else max(1, NUMBERS_AT_ONCE // query[0].numel())
    )
    return (slice(first, first + step) for first in range(0, lead, step))


def _steps(queries: Tensor, keys: Tensor) -> Iterator[slice]:
    groups = queries.shape[1]
    largest = max(queries.numel(), keys.numel()) // groups
    step = groups if queries.is_cuda else max(1, NUMBERS_AT_ONCE // largest)
    return (slice(first, first + step) for first in range(0, groups, step))


def _padded(x: Tensor, length: int) -> Tensor:
    """Add positions behind the others: all queries come before them, and none reads them."""
    missing = length - x.shape[1]
    return pad(x, (0, 0, 0, missing)) if missing else x.contiguous()


def _forward(
    rows: list[Tensor],
    mask: Tensor | None,
    plan: Plan,
    output: Tensor,
    log_sum: Tensor,
) -> None:
    """Write output and log-sum-exp for the rows of query, key and value."""
    query, key, value = rows
    if not plan.starts_whole:
        output.zero_()
        log_sum.fill_(-torch.inf)
    for part in plan.parts:
        queries, keys, values = (
            part.queries(query),
            part.keys(key),
            part.keys(value),
        )
        old, old_sum = part.queries(output), part.queries(log_sum)
        for groups in _steps(queries, keys):
            found = forward_product(
                rows_of(queries, groups),
                rows_of(keys, groups),
                rows_of(values, groups),
                scale=1 / math.sqrt(query.shape[-1]),
                causal=part.causal,
                bias=_bias(part, mask, query, groups),
                some_empty=mask is not None,
            )
            write = _fill if part.whole else _merge
            write(old[:, groups], old_sum[:, groups], *found)


def _fill(rows: Tensor, sums: Tensor, new: Tensor, new_sum: Tensor) -> None:
    """Write what the first part has found."""
    rows.copy_(new.reshape(rows.shape))
    sums.copy_(new_sum.reshape(sums.shape))


def _merge(rows: Tensor, sums: Tensor, new: Tensor, new_sum: Tensor) -> None:
    """Merge what a part's groups have found into what their queries have read so far."""
    new, new_sum = new.reshape(rows.shape), new_sum.reshape(sums.shape)
    # e^b / (e^a + e^b) = sigmoid(b - a); -inf against -inf, no key in either, gives NaN.
    share = torch.sigmoid(new_sum - sums).nan_to_num_(nan=0.0)
    rows.lerp_(new, share.to(rows.dtype))
    torch.logaddexp(sums, new_sum, out=sums)


def _backward(
    rows: list[Tensor], mask: Tensor | None, plan: Plan, totals: list[Tensor]
) -> None:
    """Write the gradients of query, key and value."""
    query, key = rows[1:3]
    if not plan.starts_whole:
        for total in totals:
            total.zero_()
    for part in plan.parts:
        gradient, queries, output, log_sum = (
            part.queries(rows[k]) for k in (0, 1, 4, 5)
        )
        keys, values = part.keys(key), part.keys(rows[3])
        for groups in _steps(queries, keys):
            by_query, by_key, by_value = backward_product(
                rows_of(gradient, groups),
                rows_of(queries, groups),
                rows_of(keys, groups),
                rows_of(values, groups),
                rows_of(output, groups),
                rows_of(log_sum, groups).squeeze(-1),
                scale=1 / math.sqrt(query.shape[-1]),
                causal=part.causal,
                bias=_bias(part, mask, query, groups),
            )
            part.add_to_queries(totals[0], by_query, groups)
            part.add_to_keys(totals[1], by_key, groups)
            part.add_to_keys(totals[2], by_value, groups)


def _bias(
    part: Part, mask: Tensor | None, like: Tensor, groups: slice
) -> Tensor | None:
    """Return the part's bias with that of the masked keys, [lead, group, row, key]; some axes 1."""
    pairs = None if part.bias is None else part.bias.to(like)[None, None]
    if mask is None:
        return pairs
    keys = rows_of(part.keys(mask), groups).mT
    none = like.new_zeros(()) if pairs is None else pairs
    return none.masked_fill(~keys, -torch.inf)
