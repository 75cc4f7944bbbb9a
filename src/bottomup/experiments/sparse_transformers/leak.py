"""Chapter 07: the sets as the paper prints them, read literally, and a position that counts twice.

Who reads what is not taken from a mask: a key and its value are edited, and the outputs compared.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bottomup.attention import (
    fixed_attention,
    fixed_masks,
    merge_attention,
    partial_attention,
    scaled_dot_product_attention,
    strided_attention,
    strided_masks,
)
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.sparse_transformers.config import Config

D_KEY, D_VALUE = 5, 3

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def measure_leak(config: Config, seed: int, device: torch.device) -> dict[str, Any]:
    """Measure what the printed sets let a position read of later ones, in float64.

    ``literal``: by set, what `reads_ahead` finds for dense attention under the set as printed;
    ``proper``: the same with j <= i, and for the functions that compute sparsely.
    ``proper_pairs``: the sum over these of pairs found by edits and by gradients.
    ``window``, ``duplicates``: as `window_overlap` and `duplicates`.
    """
    n, size, summary = config.leak
    generator = torch.Generator().manual_seed(seed)
    inputs = [
        torch.randn(1, 1, n, width, generator=generator, dtype=torch.float64).to(device)
        for width in (D_KEY, D_KEY, D_VALUE)
    ]
    literal = {
        name: reads_ahead(under(mask), inputs)
        for name, mask in literal_sets(n, size, summary, device).items()
    }
    proper = {
        name: reads_ahead(attention, inputs)
        for name, attention in _proper(n, size, summary, device).items()
    }
    return {
        "literal": literal,
        "proper": proper,
        "proper_pairs": sum(each["pairs"] + each["gradient_pairs"] for each in proper.values()),
        "window": window_overlap(n, size),
        "duplicates": duplicates(n, size, summary, inputs),
    }


def literal_sets(n: int, size: int, summary: int, device: torch.device) -> dict[str, Tensor]:
    """Return the four sets as printed, and the union of each two, as masks [query, key].

    - window: ``{t, t + 1, ..., i}`` with ``t = max(0, i - l)``
    - column: ``{j: (i - j) mod l = 0}``
    - own: ``{j: floor(j / l) = floor(i / l)}``
    - summaries: ``{j: j mod l in {l - c, ..., l}}``

    Source: Child et al. (2019), section 4.3.
    """
    position = torch.arange(n, device=device)
    back = position[:, None] - position  # i - j
    window, column = (back >= 0) & (back <= size), back % size == 0
    own = position[:, None] // size == position // size
    summaries = (position % size >= size - summary).expand(n, n)
    return {
        "window": window,
        "column": column,
        "own": own,
        "summaries": summaries,
        "strided": window | column,
        "fixed": own | summaries,
    }


def _proper(n: int, size: int, summary: int, device: torch.device) -> dict[str, Attention]:
    window, column = strided_masks(n, size, device=device)
    own, summaries = fixed_masks(n, size, summary, device=device)
    masks = {"window": window, "column": column, "own": own, "summaries": summaries}
    return {
        **{name: under(mask) for name, mask in masks.items()},
        "strided_attention": partial(strided_attention, stride=size),
        "fixed_attention": partial(fixed_attention, block=size, summary=summary),
    }


def under(mask: Tensor) -> Attention:
    """Return dense attention under a mask."""
    return lambda query, key, value: scaled_dot_product_attention(query, key, value, mask)[0]


def reads_ahead(attention: Attention, inputs: list[Tensor]) -> dict[str, float]:
    """Edit key and value of each position in turn, and compare the outputs before it.

    ``pairs``: pairs i < j for which an edit at j changes a bit of the output at i; ``share``: of
    all pairs i < j; ``largest``: the largest change, where 1 is added to every component.
    ``gradient_pairs``: pairs i < j for which the output at i has a gradient other than zero with
    respect to key or value at j.
    """
    query, key, value = inputs
    n, largest = query.shape[-2], 0.0
    changed, felt = (torch.zeros(n, n, dtype=torch.bool) for _ in range(2))  # [query, key]
    output = attention(query, key, value)
    for j in range(n):
        edit = torch.zeros(n, 1, dtype=query.dtype, device=query.device)
        edit[j] = 1.0
        difference = (attention(query, key + edit, value + edit) - output)[0, 0]
        changed[:, j] = (difference != 0).any(dim=-1).cpu()
        largest = max(largest, difference[:j].abs().max().item() if j else 0.0)
    key, value = (tensor.clone().requires_grad_() for tensor in (key, value))
    sums = attention(query, key, value).square().sum(dim=-1)[0, 0]  # one number a position
    for i in range(n):
        gradients = torch.autograd.grad(sums[i], (key, value), retain_graph=True)
        felt[i] = (torch.cat(gradients, dim=-1) != 0).any(dim=-1)[0, 0].cpu()
    pairs = int(changed.triu(1).sum())
    return {
        "pairs": pairs,
        "share": pairs / (n * (n - 1) // 2),
        "largest": largest,
        "gradient_pairs": int(felt.triu(1).sum()),
    }


def window_overlap(n: int, stride: int) -> dict[str, Any]:
    """Compare the window of l positions with that of l + 1, which the paper's formula gives.

    ``union_differs``: entries in which the unions with the column differ. ``twice``: pairs of
    different positions that stand in both sets.
    """
    ours, printed = strided_masks(n, stride), strided_masks(n, stride, paper_window=True)
    others = ~torch.eye(n, dtype=torch.bool)
    return {
        "union_differs": int(((ours[0] | ours[1]) != (printed[0] | printed[1])).sum()),
        "twice": {
            name: int((first & second & others).sum())
            for name, (first, second) in (("l", ours), ("l_plus_1", printed))
        },
    }


def duplicates(n: int, size: int, summary: int, inputs: list[Tensor]) -> dict[str, Any]:
    """Put the scores of both sets into one softmax without taking out what stands in both.

    By pair of sets, ``l`` and ``l_plus_1`` for strided attention with either window, and ``fixed``:
    ``largest``, the largest difference of an output from that over the union, and ``relative``,
    the root mean square of the differences over that of the outputs. ``removed_digits``: the
    decimal places on which the two agree once the second set has lost what the first has, the
    least of the three.
    """
    device = inputs[0].device
    sets = {
        "l": strided_masks(n, size, device=device),
        "l_plus_1": strided_masks(n, size, paper_window=True, device=device),
        "fixed": fixed_masks(n, size, summary, device=device),
    }
    found: dict[str, Any] = {}
    removed = []
    for name, (first, second) in sets.items():
        right = under(first | second)(*inputs)
        difference = in_one_softmax(inputs, first, second) - right
        found[name] = {
            "largest": difference.abs().max().item(),
            "relative": (difference.square().mean() / right.square().mean()).sqrt().item(),
        }
        removed.append(agreeing_digits(in_one_softmax(inputs, first, second & ~first), right))
    return {**found, "removed_digits": min(removed)}


def in_one_softmax(inputs: list[Tensor], *masks: Tensor) -> Tensor:
    """Return one softmax over the scores of several sets, each with all of its positions."""
    query, key, value = inputs
    parts = [partial_attention(query, key, value, mask) for mask in masks]
    outputs, log_sums = zip(*parts, strict=True)
    return merge_attention(outputs, log_sums)[0]
