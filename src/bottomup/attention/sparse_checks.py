"""Checks of the arguments of sparse attention."""

import torch
from torch import Tensor

from bottomup.checks import (
    check_axes,
    check_choice,
    check_device,
    check_mask,
    check_same_kind,
)

MERGES = ("union", "heads")


def check_positions(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
) -> tuple[int, Tensor | None]:
    """Check the tensors, and return the number of positions and the mask as [batch or 1, n]."""
    sizes = check_axes("query", query, "batch head n d_key")
    shared = {name: sizes[name] for name in ("batch", "head", "n")}
    check_axes("key", key, "batch head n d_key", **sizes)
    check_axes("value", value, "batch head n d_value", **shared)
    check_same_kind("key", key, "query", query)
    check_same_kind("value", value, "query", query)
    return sizes["n"], None if mask is None else _key_mask(mask, query)


def _key_mask(mask: Tensor, query: Tensor) -> Tensor:
    batch, n = query.shape[0], query.shape[2]
    three = isinstance(mask, Tensor) and mask.dim() == 3
    check_mask("mask", mask, (batch, 1, n) if three else (batch, n))
    check_device("mask", mask, "query", query)
    rows = mask[:, 0] if three else mask
    return torch.broadcast_to(
        rows, (rows.shape[0] if rows.dim() == 2 else 1, n)
    )


def check_merge(merge: str, query: Tensor) -> None:
    """Raise unless `merge` is one of `MERGES` and, for "heads", the heads can be halved."""
    check_choice("merge", merge, MERGES)
    if merge == "heads" and query.shape[1] % 2:
        raise ValueError(
            "merge: expected an even number of heads for 'heads', "
            f"which gives half of them to each set, got {query.shape[1]}"
        )
