"""Chapter 07: what follows from the patterns alone: how many scores, and what two steps reach.

Nothing here is random: every seed finds the same.
"""

from typing import Any

import torch
from torch import Tensor

from bottomup.analysis import reached, reached_share
from bottomup.attention import (
    ScoreCount,
    causal_scores,
    fixed_masks,
    fixed_scores,
    strided_masks,
    strided_scores,
)
from bottomup.experiments.decoding.search.cost import growth
from bottomup.experiments.sparse_transformers.config import Config

PATTERNS = ("dense", "strided", "fixed")
KINDS = ("needed", "computed")


def measure_counts(config: Config) -> dict[str, Any]:
    """Count the scores of one head by the number of positions, at l = sqrt(n) and c = 1.

    ``dense``, ``strided``, ``fixed``: ``needed`` and ``computed``, as `ScoreCount` has them.
    ``growth``: the exponent g of ``n^g`` that fits each count best, by the logarithms.
    ``strided_over_dense``, ``fixed_over_strided``: ratios of the scores that are needed.
    ``triangle``: needed over all n^2 in dense causal attention, ``(n + 1) / 2n``.
    """
    counts = {n: _counted(n) for n in config.lengths}
    tables = {
        name: {kind: {n: getattr(at[name], kind) for n, at in counts.items()} for kind in KINDS}
        for name in PATTERNS
    }
    needed = {name: tables[name]["needed"] for name in PATTERNS}
    return {
        **tables,
        "growth": {
            name: {kind: growth(table) for kind, table in kinds.items()}
            for name, kinds in tables.items()
        },
        "strided_over_dense": _ratios(needed["strided"], needed["dense"]),
        "fixed_over_strided": _ratios(needed["fixed"], needed["strided"]),
        "triangle": {n: table / n**2 for n, table in needed["dense"].items()},
    }


def _counted(n: int) -> dict[str, ScoreCount]:
    root = round(n**0.5)
    return {
        "dense": causal_scores(n),
        "strided": strided_scores(n, root),
        "fixed": fixed_scores(n, root, 1),
    }


def _ratios(one: dict[int, int], other: dict[int, int]) -> dict[int, float]:
    return {n: one[n] / other[n] for n in one}


def measure_reach(config: Config, device: torch.device) -> dict[str, Any]:
    """Say which pairs j <= i two layers connect, for each order of the two sets.

    ``strided.first_second``: the window in the first layer, the column in the second;
    ``fixed.first_second``: own block, then summaries; ``second_first``: the other order;
    ``_residual``: a position also keeps what it had. ``unions``: both sets in both layers;
    ``union_once``: both sets in one layer; ``first_twice``: the first set in both layers.

    Each has ``share``, that of the pairs that are connected, and ``missing``, the number of the
    others. ``fixed.missing_in_own_block``: share of the pairs that ``fixed.first_second`` misses
    which lie within one block.
    """
    n = config.positions
    strided = strided_masks(n, config.stride, device=device)
    fixed = fixed_masks(n, config.stride, config.summary, device=device)
    own_block = fixed_masks(n, config.stride, device=device)[0]
    missed = ~reached(*fixed) & torch.ones_like(own_block).tril()
    return {
        "strided": two_steps(*strided),
        "fixed": {
            **two_steps(*fixed),
            "missing_in_own_block": int((missed & own_block).sum()) / max(1, int(missed.sum())),
        },
    }


def two_steps(first: Tensor, second: Tensor) -> dict[str, dict[str, float]]:
    """Return share and number of missing pairs for each way to use two sets in two layers."""
    union = first | second
    reach = {
        "first_second": reached(first, second),
        "first_second_residual": reached(first, second, residual=True),
        "second_first": reached(second, first),
        "second_first_residual": reached(second, first, residual=True),
        "unions": reached(union, union),
        "union_once": reached(union),
        "first_twice": reached(first, first),
    }
    pairs = len(first) * (len(first) + 1) // 2
    return {
        name: {"share": reached_share(found), "missing": pairs - int(found.tril().sum())}
        for name, found in reach.items()
    }
