"""Attention that reads in the same amounts for everybody."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Int64
from torch import Tensor, nn

from bottomup.analysis.hooks import hooked, parts_of
from bottomup.attention import MultiHeadAttention, merge_heads, split_heads
from bottomup.checks import check_integer, checked
from bottomup.training.modes import evaluating


@checked
@contextmanager
def frozen_weights(
    model: nn.Module,
    *,
    layer: int,
    reference: Int64[Tensor, "sequence position"],
) -> Iterator[None]:
    """Give every sequence the same attention weights inside the block.

    Each head of the layer reads with the mean of its weights over the sequences
    of `reference`. What is read still differs from sequence to sequence, how
    much of it does not: an answer that is lost was carried by the weights, and
    not by what they weigh.

    The reference runs through the model once, when the block is entered, in
    evaluation mode. The weights that the layer returns are those it computed.

    Args:
        model: a model with `layers`, whose `attention` is a
            `MultiHeadAttention`, or a class that inherits from it and mixes
            what its weights read in the same way; called with token numbers and
            ``need_weights=True`` it returns ``weights``, one tensor a layer.
        layer: number of the layer, from 0.
        reference: token numbers, without padding.

    Chapter 04 finds with it that one head stores facts in its weights.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> model, one = LanguageModel(config), torch.tensor([[5, 6, 7]])
        >>> tokens = torch.tensor([[8, 9, 4]])
        >>> with frozen_weights(model, layer=0, reference=one):
        ...     frozen = model(tokens).logits
        >>> torch.equal(frozen, model(tokens).logits)
        False
    """
    check_integer("layer", layer, at_least=0)
    (attention,) = parts_of(model, layer, "attention")
    if not isinstance(attention, MultiHeadAttention):
        raise TypeError(
            f"layer: expected one with multi-head attention, got {attention!r}"
        )
    seen: list[tuple[Any, Any]] = []

    def keep(_module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
        seen.append((inputs[2], output[0]))

    with evaluating(model), torch.no_grad(), hooked([attention], [keep]):
        weights = model(reference, need_weights=True).weights[layer]
    if type(attention) is not MultiHeadAttention:
        _check_weighs(attention, weights, *seen[0])
    seen.clear()
    weights = weights.mean(dim=0)  # [head, query, key]

    def replace(
        _module: nn.Module, inputs: tuple[Any, ...], output: Any
    ) -> Any:
        value = inputs[2]
        if value.shape[1] != weights.shape[-1]:
            raise ValueError(
                f"reference: expected sequences of length {value.shape[1]}, "
                f"got {weights.shape[-1]}"
            )
        return _weighed(attention, weights, value), output[1]

    with hooked([attention], [replace]):
        yield


def _weighed(
    attention: MultiHeadAttention, weights: Tensor, value: Tensor
) -> Tensor:
    V = split_heads(attention.W_V(value), attention.num_heads)
    heads = weights @ V  # [batch, head, query, d_value]
    output: Tensor = attention.W_O(merge_heads(heads))
    return output


@torch.no_grad()
def _check_weighs(
    attention: MultiHeadAttention, weights: Tensor, value: Tensor, found: Tensor
) -> None:
    """Check that an heir puts out what its own weights give."""
    wanted = _weighed(attention, weights, value)
    allowed = max(1e-3, 32 * torch.finfo(found.dtype).eps) * wanted.std()
    if not ((found - wanted).abs() <= allowed).all():
        got = type(attention).__name__
        raise TypeError(
            "layer: expected one whose attention is its weights times its "
            f"values, mixed by W_O, got {got}"
        )
