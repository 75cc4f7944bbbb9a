"""Checks of what goes into a cache of keys and values, and of who reads it."""

import torch
from torch import Tensor

from bottomup.attention.multi_head import MultiHeadAttention
from bottomup.checks import check_axes, check_same_kind, check_tensor


def check_module(module: MultiHeadAttention) -> None:
    """Raise `TypeError` unless `module` is a `MultiHeadAttention`."""
    if not isinstance(module, MultiHeadAttention):
        raise TypeError(
            f"module: expected a MultiHeadAttention, got {type(module).__name__}"
        )


def check_call(
    module: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor
) -> None:
    """Check that a module drops no weights, and that query and cached tensors fit it."""
    if module.training and module.dropout > 0:
        raise ValueError(
            f"module: expected evaluation mode or dropout=0, got training mode with "
            f"dropout={module.dropout}; call eval() first"
        )
    check_axes(
        "query",
        query,
        "batch query d_model",
        batch=key.shape[0],
        d_model=module.d_model,
    )
    check_same_kind("query", query, "module", module.W_Q.weight)
    for name, kept, width in (
        ("keys", key, module.d_head),
        ("values", value, module.d_value),
    ):
        got = (kept.shape[1], kept.shape[3])
        if got != (module.num_heads, width):
            raise ValueError(
                f"cache: expected {name} of {module.num_heads} heads of width {width}, "
                f"got {got[0]} of width {got[1]}"
            )
        check_same_kind("cache", kept, "query", query)


def check_index(index: Tensor, kept: Tensor) -> None:
    """Check numbers of sequences among those of a cached tensor."""
    check_tensor("index", index)
    if index.dtype != torch.int64:
        raise TypeError(f"index: expected dtype torch.int64, got {index.dtype}")
    if index.dim() != 1 or index.numel() == 0:
        raise ValueError(
            f"index: expected non-empty axes [kept], got {tuple(index.shape)}"
        )
    if index.device != kept.device:
        raise ValueError(
            f"index: expected the device {kept.device}, got {index.device}"
        )
    batch = kept.shape[0]
    low, high = torch.stack(
        torch.aminmax(index)
    ).tolist()  # one reading from the device
    if low < 0 or high >= batch:
        worst = low if low < 0 else high
        raise ValueError(
            f"index: expected entries in [0, {batch}), got {worst}"
        )
