"""Removing heads for good: a smaller module that does what the larger one does with heads off."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from bottomup.attention.multi_head import MultiHeadAttention
from bottomup.checks import check_integer


def prune_heads(
    module: MultiHeadAttention, heads: Iterable[int]
) -> MultiHeadAttention:
    """Return a smaller module whose output is the original's with these heads switched off.

    Head h leaves with its rows of W_Q, W_K and W_V, the same entries of their biases, and its
    columns of W_O: ``output = b_O + sum_h head_h W_O[:, columns of h]^T``, and its term is gone.
    b_O belongs to no head and stays whole. The bias of a head's values goes with the head.

    The new module holds copies and keeps d_model, d_head, d_value, dropout and the training mode.
    The original is not changed.

    Args:
        module: the attention to make smaller.
        heads: numbers of the heads to remove, counted from 0; naming one twice removes it once.

    Source: Michel, Levy and Neubig (2019) mask heads of trained models and prune them; that both
    give the same follows from the sum above. Chapter 03 derives it.
    """
    if not isinstance(module, MultiHeadAttention):
        raise TypeError(
            f"module: expected a MultiHeadAttention, got {type(module).__name__}"
        )
    kept = _kept(module.num_heads, heads)
    with torch.random.fork_rng(
        devices=[]
    ):  # what is drawn is overwritten below
        smaller = MultiHeadAttention(
            module.d_model,
            len(kept),
            d_head=module.d_head,
            d_value=module.d_value,
            bias=module.W_O.bias is not None,
            dropout=module.dropout,
        ).to(module.W_O.weight)
    with torch.no_grad():
        for old, new, width in (
            (module.W_Q, smaller.W_Q, module.d_head),
            (module.W_K, smaller.W_K, module.d_head),
            (module.W_V, smaller.W_V, module.d_value),
        ):
            _copy_rows(old, new, _places(kept, width, old.weight))
        columns = _places(kept, module.d_value, module.W_O.weight)
        smaller.W_O.weight.copy_(module.W_O.weight[:, columns])
        if smaller.W_O.bias is not None:
            smaller.W_O.bias.copy_(module.W_O.bias)
    return smaller.train(module.training)


def _kept(num_heads: int, heads: Iterable[int]) -> list[int]:
    removed = set()
    for head in heads:
        check_integer("heads", head, at_least=0)
        if head >= num_heads:
            raise ValueError(
                f"heads: expected numbers below num_heads={num_heads}, got {head}"
            )
        removed.add(int(head))
    if len(removed) == num_heads:
        raise ValueError(
            f"heads: expected at least one of {num_heads} heads to stay, got {sorted(removed)}"
        )
    return [head for head in range(num_heads) if head not in removed]


def _places(kept: list[int], width: int, like: Tensor) -> Tensor:
    """Return where the slices of the kept heads lie among all heads x width places."""
    first = torch.tensor(kept, device=like.device)[:, None] * width
    return (first + torch.arange(width, device=like.device)).flatten()


def _copy_rows(old: nn.Linear, new: nn.Linear, rows: Tensor) -> None:
    new.weight.copy_(old.weight[rows])
    if new.bias is not None:
        new.bias.copy_(old.bias[rows])
