"""Run a plan of sparse attention: one product for each part, merged into one softmax."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

from bottomup.attention.sparse_kernel import backward_product, forward_product
from bottomup.attention.sparse_parts import Part, Plan

NUMBERS_AT_ONCE = 2**17  # in one step on a CPU: 512 KiB of float32, so that its cache holds them


def run_plan(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, plan: Plan) -> Tensor:
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
    rows = None if mask is None else mask.expand(batch, -1).repeat_interleave(heads, dim=0)
    inputs = (tensor.flatten(0, 1) for tensor in (query, key, value))
    return _Sparse.apply(*inputs, rows, plan).unflatten(0, (batch, heads))


class _Sparse(torch.autograd.Function):
    """Keeps inputs, output and one log-sum-exp a query; scores are computed again on the way back.

    Batch and heads are one axis, `lead`. On a CPU it is worked through in slices, and a part's
    groups in steps, that a cache holds: with all at once half of the time goes to memory.
    """

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, plan: Plan
    ) -> Tensor:
        n, results = query.shape[1], []
        for some in _slices(query):
            rows = [_padded(tensor[some], plan.length) for tensor in (query, key, value)]
            results.append(_forward(rows, None if mask is None else mask[some], plan))
        output = _joined([output for output, _ in results])[:, :n]
        log_sum = _joined([log_sum for _, log_sum in results])[:, :n]
        ctx.save_for_backward(query, key, value, mask, output, log_sum)
        ctx.plan = plan
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, mask, output, log_sum = ctx.saved_tensors
        # A row without keys has weights exp(-inf - 0) = 0.
        log_sum = log_sum.masked_fill(log_sum == -torch.inf, 0.0)
        n, results = query.shape[1], []
        for some in _slices(query):
            rows = (gradient, query, key, value, output, log_sum[..., None])
            padded = [_padded(tensor[some], ctx.plan.length) for tensor in rows]
            results.append(_backward(padded, None if mask is None else mask[some], ctx.plan))
        return *(_joined(list(each))[:, :n] for each in zip(*results, strict=True)), None, None


def _slices(query: Tensor) -> Iterator[slice]:
    lead = query.shape[0]
    step = lead if query.is_cuda else max(1, NUMBERS_AT_ONCE // query[0].numel())
    return (slice(first, first + step) for first in range(0, lead, step))


def _steps(part: Part, query: Tensor, key: Tensor) -> Iterator[slice]:
    queries, keys = part.queries(query), part.keys(key)
    groups = queries.shape[1]
    largest = max(queries.numel(), keys.numel()) // groups
    step = groups if query.is_cuda else max(1, NUMBERS_AT_ONCE // largest)
    return (slice(first, first + step) for first in range(0, groups, step))


def _joined(parts: list[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _padded(x: Tensor, length: int) -> Tensor:
    """Add positions behind the others: all queries come before them, and none reads them."""
    missing = length - x.shape[1]
    return pad(x, (0, 0, 0, missing)) if missing else x.contiguous()


def _forward(rows: list[Tensor], mask: Tensor | None, plan: Plan) -> tuple[Tensor, Tensor]:
    """Return output and log-sum-exp for the rows of query, key and value."""
    query, key, value = rows
    output, log_sum = _nothing_read(query, value, filled=not plan.parts[0].whole)
    for part in plan.parts:
        for groups in _steps(part, query, key):
            found = forward_product(
                part.read_queries(query, groups),
                part.read_keys(key, groups),
                part.read_keys(value, groups),
                scale=1 / math.sqrt(query.shape[-1]),
                causal=part.causal,
                allowed=_allowed(part, mask, query, groups),
                some_empty=mask is not None,
            )
            _merge(part, groups, output, log_sum, *found)
    return output, log_sum.squeeze(-1)


def _nothing_read(query: Tensor, value: Tensor, *, filled: bool) -> tuple[Tensor, Tensor]:
    """Return the memory for output and log-sum-exp; unless `filled`, a whole part fills it."""
    half = value.dtype in (torch.float16, torch.bfloat16)
    shape, kind = query.shape[:2], torch.float32 if half else value.dtype
    if not filled:
        return value.new_empty(*shape, value.shape[-1]), value.new_empty(*shape, 1, dtype=kind)
    log_sum = value.new_full((*shape, 1), -torch.inf, dtype=kind)
    return value.new_zeros(*shape, value.shape[-1]), log_sum


def _merge(
    part: Part, groups: slice, output: Tensor, log_sum: Tensor, new: Tensor, new_sum: Tensor
) -> None:
    """Merge what a part's groups have found into what their queries have read so far."""
    rows, sums = part.queries(output)[:, groups], part.queries(log_sum)[:, groups]
    new, new_sum = new.reshape(rows.shape), new_sum.reshape(sums.shape)
    if part.whole:
        rows.copy_(new)
        sums.copy_(new_sum)
        return
    # e^b / (e^a + e^b) = sigmoid(b - a); -inf against -inf, no key in either, gives NaN.
    share = torch.sigmoid(new_sum - sums).nan_to_num_(nan=0.0)
    rows.lerp_(new, share.to(rows.dtype))
    torch.logaddexp(sums, new_sum, out=sums)


def _backward(rows: list[Tensor], mask: Tensor | None, plan: Plan) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of query, key and value."""
    gradient, query, key, value, output, log_sum = rows
    start = torch.empty_like if plan.parts[0].whole else torch.zeros_like
    totals = start(query), start(key), start(value)
    for part in plan.parts:
        for groups in _steps(part, query, key):
            by_query, by_key, by_value = backward_product(
                part.read_queries(gradient, groups),
                part.read_queries(query, groups),
                part.read_keys(key, groups),
                part.read_keys(value, groups),
                part.read_queries(output, groups),
                part.read_queries(log_sum, groups).squeeze(-1),
                scale=1 / math.sqrt(query.shape[-1]),
                causal=part.causal,
                allowed=_allowed(part, mask, query, groups),
            )
            part.add_to_queries(totals[0], by_query, groups)
            part.add_to_keys(totals[1], by_key, groups)
            part.add_to_keys(totals[2], by_value, groups)
    return totals


def _allowed(part: Part, mask: Tensor | None, like: Tensor, groups: slice) -> Tensor | None:
    """Return the part's mask and that of the keys in one, [lead, group, row, key]; some axes 1."""
    pairs = None if part.allowed is None else part.allowed.to(like.device)[None, None]
    if mask is None:
        return pairs
    keys = part.read_keys(_padded(mask[..., None], like.shape[1]), groups).mT
    return keys if pairs is None else keys & pairs
