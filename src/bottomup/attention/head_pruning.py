"""Removing heads: a smaller module does what the larger does with heads off."""

from collections.abc import Iterable

import torch

from bottomup.attention.multi_head import MultiHeadAttention, check_maps
from bottomup.checks import check_integer, shown


def prune_heads(
    module: MultiHeadAttention, heads: Iterable[int]
) -> MultiHeadAttention:
    """Return a smaller module: the original with these heads switched off.

    ``output = b_O + sum_h head_h W_O[:, columns of h]^T``, and a head's term is
    gone. It leaves with its rows of W_Q, W_K and W_V, the same entries of their
    biases, and its columns of W_O. b_O belongs to no head and stays whole. The
    bias of a head's values goes with the head.

    The new module holds copies and keeps d_model, d_head, d_value, dropout and
    the training mode. The original is not changed.

    Args:
        module: the attention to make smaller, with plain maps; no heir with a
            `forward` of its own.
        heads: numbers of the heads to remove, counted from 0, not of all;
            naming one twice removes it once.

    Source: Michel, Levy and Neubig (2019) mask heads of trained models and
    prune them; that both give the same follows from the sum above. Chapter 03
    derives it.

    Example:
        >>> smaller = prune_heads(MultiHeadAttention(12, 3), heads=[1])
        >>> smaller.num_heads, smaller.W_O.weight.shape
        (2, torch.Size([12, 8]))
    """
    check_maps(module)
    remaining = _remaining(module.num_heads, heads)
    with torch.device("meta"):  # no number is drawn
        smaller = MultiHeadAttention(
            module.d_model,
            len(remaining),
            d_head=module.d_head,
            d_value=module.d_value,
            bias=module.W_O.bias is not None,
            dropout=module.dropout,
        )
    index = torch.tensor(remaining, device=module.W_O.weight.device)
    weights = module.state_dict()
    for name, tensor in weights.items():
        if name != "W_O.bias":
            axis = 1 if name == "W_O.weight" else 0  # columns or rows
            by_head = tensor.unflatten(axis, (module.num_heads, -1))
            tensor = by_head.index_select(axis, index).flatten(axis, axis + 1)
        weights[name] = tensor.clone()
    smaller.load_state_dict(weights, assign=True)
    return smaller.train(module.training)


def _remaining(num_heads: int, heads: object) -> list[int]:
    if not isinstance(heads, Iterable):
        wanted = "an iterable of numbers"
        raise TypeError(f"heads: expected {wanted}, got {shown(heads)}")
    removed = set()
    for head in heads:
        check_integer("heads", head, at_least=0)
        if head >= num_heads:
            raise ValueError(
                f"heads: expected numbers below num_heads={num_heads}, "
                f"got {head}"
            )
        removed.add(int(head))
    if len(removed) == num_heads:
        raise ValueError(
            f"heads: expected at least one of {num_heads} heads to stay, "
            f"got {sorted(removed)}"
        )
    return [head for head in range(num_heads) if head not in removed]
