"""Checks of what a Transformer is given: token numbers, their masks, and the steps of decoding."""

import torch
from torch import Tensor

from bottomup.attention import KeyValueCache
from bottomup.checks import (
    check_device,
    check_mask,
    check_tensor,
    check_token_ids,
)
from bottomup.data import Batch


def check_tokens(
    name: str,
    tokens: Tensor,
    mask: Tensor,
    *,
    mask_name: str,
    vocabulary: int,
    max_length: int,
) -> None:
    """Check token numbers [batch, position] and the mask that tells the real ones."""
    check_token_ids(name, tokens, "batch position", vocabulary=vocabulary)
    if tokens.shape[1] > max_length:
        raise ValueError(
            f"{name}: expected at most max_length={max_length} positions, got {tokens.shape[1]}"
        )
    check_tensor(mask_name, mask)
    if mask.shape != tokens.shape:
        wanted, got = tuple(tokens.shape), tuple(mask.shape)
        raise ValueError(
            f"{mask_name}: expected the shape {wanted} of {name}, got {got}"
        )
    check_mask(mask_name, mask, tuple(tokens.shape))
    check_device(mask_name, mask, name, tokens)
    _check_padding(mask_name, mask)


def _check_padding(name: str, mask: Tensor) -> None:
    """Check that in each row there are real tokens, and padding behind them only."""
    rising = (mask[:, 1:] & ~mask[:, :-1]).any()
    nothing = ~mask.any(dim=1)
    padded_before, empty = torch.stack(
        [rising, nothing.any()]
    ).tolist()  # one reading
    if padded_before:
        raise ValueError(f"{name}: expected padding on the right only")
    if empty:
        rows = nothing.nonzero().flatten().tolist()
        raise ValueError(
            f"{name}: expected a real token in each row, got none in rows {rows}"
        )


def check_same_batch(batch: Batch) -> None:
    """Check that source and target have equally many rows, on one device."""
    check_tensor("source", batch.source)
    check_tensor("target_in", batch.target_in)
    rows, got = batch.source.shape[:1], batch.target_in.shape[:1]
    if rows != got:
        raise ValueError(
            f"target_in: expected batch={[*rows]} as in source, got {[*got]}"
        )
    check_device("target_in", batch.target_in, "source", batch.source)


def check_step(
    token: Tensor, length: int, cache: KeyValueCache, *, vocabulary: int
) -> None:
    """Check one token for each sequence, and that the cache holds what came before and has room."""
    check_token_ids("token", token, "batch", vocabulary=vocabulary)
    if len(token) != cache.batch:
        raise ValueError(
            f"token: expected batch={cache.batch} as in the source, got {len(token)}"
        )
    if cache.length != length:
        raise ValueError(
            f"state: expected the newest, with length={cache.length}, got one with length={length}"
            "; a step writes into the caches of its state, so that none can be continued twice"
        )
    if length >= cache.max_length:
        raise ValueError(
            f"token: expected at most max_length={cache.max_length} positions, got one more"
        )
