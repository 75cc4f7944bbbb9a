"""Attention that reads in the same amounts for everybody: what do its weights themselves carry?"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Int64
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, merge_heads, split_heads
from bottomup.checks import check_integer, check_tensor
from bottomup.training.modes import evaluating


@contextmanager
def frozen_weights(
    model: nn.Module,
    *,
    layer: int,
    reference: Int64[Tensor, "sequence position"],
) -> Iterator[None]:
    """Give every sequence the same attention weights for as long as the block lasts.

    Each head of the layer then reads with the mean of its weights over the sequences of
    `reference`. What is read still differs from sequence to sequence, how much of it does not: an
    answer that is lost was carried by the weights, and not by what they weigh.

    The reference runs through the model once, when the block is entered, in evaluation mode. The
    weights that the layer returns are those it computed.

    Args:
        model: a model with `layers`, whose `attention` is a `MultiHeadAttention`; called with token
            numbers and ``need_weights=True`` it returns ``weights``, one tensor a layer.
        layer: number of the layer, from 0.
        reference: token numbers, without padding.

    Chapter 04 finds with it that one head stores facts in its weights.
    """
    attention = _attention(model, layer)
    check_tensor("reference", reference)
    with evaluating(model), torch.no_grad():
        weights = model(reference, need_weights=True).weights[layer].mean(dim=0)

    def replace(
        module: MultiHeadAttention, inputs: tuple[Any, ...], output: Any
    ) -> Any:
        value = inputs[2]
        if value.shape[1] != weights.shape[-1]:
            raise ValueError(
                f"reference: expected sequences of length {value.shape[1]}, got {weights.shape[-1]}"
            )
        heads = weights @ split_heads(module.W_V(value), module.num_heads)
        return module.W_O(merge_heads(heads)), output[1]

    handle = attention.register_forward_hook(replace)
    try:
        yield
    finally:
        handle.remove()


def _attention(model: nn.Module, layer: int) -> MultiHeadAttention:
    layers = getattr(model, "layers", None)
    if not isinstance(layers, nn.ModuleList):
        raise TypeError(
            f"model: expected a model with layers, got {type(model).__name__}"
        )
    check_integer("layer", layer, at_least=0)
    if layer >= len(layers):
        raise ValueError(
            f"layer: expected a number below {len(layers)}, got {layer}"
        )
    attention = getattr(layers[layer], "attention", None)
    if not isinstance(attention, MultiHeadAttention):
        raise TypeError(
            f"layer: expected one with multi-head attention, got {layers[layer]!r}"
        )
    return attention
