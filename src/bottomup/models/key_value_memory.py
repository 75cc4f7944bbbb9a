"""A feed-forward network as a memory: keys are triggered, values are written.

Neuron k has a key, row k of W_in, and a value, column k of W_out. Chapter 04
reads a network that has learnt facts in this way.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.blocks import FeedForward, LayerNorm
from bottomup.checks import check_integer, checked


class Triggers(NamedTuple):
    """The inputs that activate each neuron most, the strongest first.

    `activation` says how strongly, `place` which input it is.
    """

    activation: Float[Tensor, "d_ff count"]
    place: Int64[Tensor, "d_ff count"]


@checked
def contributions(
    memory: FeedForward, x: Float[Tensor, "*leading d_model"]
) -> Float[Tensor, "*leading d_ff d_model"]:
    """Return what each neuron adds to the output.

    ``contribution_k = f(W_in x + b_in)[k] * W_out[:, k]``: its activation times
    its value vector. The sum over k, plus b_out, is the output, exactly and not
    as an approximation. Dropout is left out.

    Args:
        memory: the network.
        x: vectors that it reads.

    Source: Geva et al. (2021), section 2, equation 1. Chapter 04 derives it.
    """
    return memory.activations(x)[..., None] * value_vectors(memory)


def value_vectors(memory: FeedForward) -> Float[Tensor, "d_ff d_model"]:
    """Return what each neuron writes at activation 1: W_out's columns, as rows.

    Source: Geva et al. (2021), section 2.
    """
    return memory.W_out.weight.T


@checked
def top_triggers(
    memory: FeedForward, inputs: Float[Tensor, "input d_model"], *, count: int
) -> Triggers:
    """Find for each neuron the inputs that activate its key most.

    Of equal activations the earlier input comes first. With ReLU an activation
    of 0 says that the input does not trigger the neuron at all.

    Args:
        memory: the network.
        inputs: the vectors to choose from, as the network reads them: after
            LayerNorm, where one stands before it.
        count: how many to return for each neuron, at most all.

    Source: Geva et al. (2021), section 3. Chapter 04 uses it.
    """
    check_integer("count", count, at_least=1)
    if count > len(inputs):
        wanted = f"at most the {len(inputs)} inputs"
        raise ValueError(f"count: expected {wanted}, got {count}")
    activations = memory.activations(inputs).T  # [d_ff, input]
    ordered = activations.sort(dim=1, descending=True, stable=True)
    return Triggers(ordered.values[:, :count], ordered.indices[:, :count])


@checked
@torch.no_grad()
def value_logits(
    memory: FeedForward,
    U: Float[Tensor, "vocabulary d_model"],
    *,
    norm: LayerNorm | None = None,
) -> Float[Tensor, "d_ff vocabulary"]:
    """Return what each value vector adds to each logit: the values' logit lens.

    ``lens = V U^T`` with the value vectors as the rows of V; with a LayerNorm
    before the unembedding ``lens = (gain * (V - mean(V))) U^T``.

    This is LayerNorm's linear part. It leaves out the division by the standard
    deviation of the stream, which differs from position to position, is
    positive and the same for all logits, and which the value itself changes a
    little. So signs and order within a neuron are as in the model, sizes are
    not. A later layer that reads the value is not seen either.

    Args:
        memory: the network, best of the last layer.
        U: the unembedding, one row for each word.
        norm: the LayerNorm before it; None for none.

    Source: Geva et al. (2021), section 4, without its softmax. Chapter 04 uses
    it.
    """
    values = value_vectors(memory)
    if norm is not None:
        values = norm.gain * (values - values.mean(dim=1, keepdim=True))
    return values @ U.T
