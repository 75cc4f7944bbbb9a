"""Checks of a mask: its dtype, its axes, and what they are taken for."""

import torch
from torch import Tensor

from bottomup.checks.tracing import is_traced
from bottomup.checks.values import check_tensor
from bottomup.checks.warned import warn


def check_mask(name: str, mask: Tensor | None, shape: tuple[int, ...]) -> None:
    """Check that a mask is None, or boolean and broadcasts to `shape`.

    Before that, it may have any shape. True = may attend.
    """
    if mask is None:
        return
    check_tensor(name, mask)
    if mask.dtype != torch.bool:
        raise TypeError(f"{name}: expected {not_boolean(mask.dtype)}")
    axes, behind = mask.shape[::-1], shape[::-1]
    pairs = zip(axes, behind, strict=False)
    if len(axes) > len(behind) or any(own not in (1, n) for own, n in pairs):
        hint = _of_batch(name, tuple(mask.shape), tuple(shape))
        raise ValueError(
            f"{name}: expected a shape that broadcasts to {tuple(shape)}, "
            f"got {tuple(mask.shape)}{hint}"
        )


def _of_batch(name: str, got: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Say where a mask lacks axes, if it fits with them behind its batch."""
    axes = {2: "[batch, key]", 3: "[batch, query, key]"}.get(len(got))
    missing = len(shape) - len(got)
    behind = (*got[:1], *[1] * missing, *got[1:])
    fits = all(own in (1, n) for own, n in zip(behind, shape, strict=False))
    if axes is None or missing < 1 or not fits:
        return ""
    return f"; of {axes}, give `{name}[:{', None' * missing}]`"


def not_boolean(dtype: torch.dtype) -> str:
    """Say what a mask of another dtype is asked to be."""
    return (
        f"a boolean mask (True = may attend), got dtype {dtype}; convert an "
        "additive mask of 0 and -inf with `mask == 0`"
    )


def check_causal(shape: tuple[int, ...]) -> None:
    """Check that [..., query, key] has as many queries as keys."""
    queries, keys = shape[-2:]
    if queries != keys:
        wanted = f"as many queries as keys, got {queries} and {keys}"
        hint = (
            f"; of the newest queries, give mask=causal_mask({keys})"
            f"[-{queries}:], of the first ones, as torch has it, "
            f"mask=causal_mask({keys})[:{queries}]"
        )
        hint = hint if queries < keys else ""
        raise ValueError(f"causal: expected {wanted}{hint}")


def ask_which_axes(
    name: str, mask: Tensor | None, shape: tuple[int, ...]
) -> None:
    """Warn of a mask that looks like padding and is read as something else.

    A mask looks like padding where each row is a run of True with False behind
    it, or before it: padding on the left, or torch's masks with True = hidden.

    Axes are counted from the last. Where there are as many sequences as
    queries, [batch, key] is read as [query, key], and where there are as many
    as heads, [batch, 1, key] is read as [head, 1, key]. Other masks of padding
    do not broadcast, and `check_mask` refuses them.

    It is read all the same: to refuse it would stop a right program as soon as
    a batch has that size. Padding of sorted lengths may look like a causal mask
    and pass without a warning.

    Args:
        name: the argument's name, for the message.
        mask: broadcasts to ``[batch, head, query, key]``.
        shape: of the scores, [batch, query, key] or [batch, head, query, key].
    """
    if mask is None or not 2 <= mask.dim() < len(shape) <= 4 or is_traced():
        return
    rows, *between = mask.shape[:-1]
    missing = len(shape) - mask.dim()
    if between not in ([], [1]) or not rows == shape[0] == shape[missing] > 1:
        return
    flat = mask.reshape(rows, -1)
    runs = [each for each in (flat, flat.flip(0, 1)) if _is_of_runs(each)]
    if not runs or any(_may_be_causal(each) for each in runs):
        return
    given, read = (
        ("[batch, 1, key]", "[head, 1, key]")
        if between
        else ("[batch, key]", "[query, key]")
    )
    warn(
        f"{name}: {tuple(mask.shape)} is read as {read}, the same for all "
        f"{rows} sequences. Of {given}, give `{name}[:{', None' * missing}]`; "
        f"`{name}[None]` says that it is {read}, without this warning"
    )


def _is_of_runs(mask: Tensor) -> bool:
    """Say whether no True stands behind a False, in any row."""
    return not (mask[:, 1:] & ~mask[:, :-1]).any()


def _may_be_causal(mask: Tensor) -> bool:
    """Say whether runs grow from row to row and never shrink, or all is True.

    So do those of a causal mask, also in blocks or with a prefix that all may
    read.
    """
    grown = mask.sum(dim=-1).diff()
    return bool((grown >= 0).all() and (grown.any() or mask.all()))
