"""The first two sublayers of a decoder layer in other wirings: what the mistakes are made of."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from bottomup.exercises.encoder_decoder.cross_attention_functions import Attention, Norm


@dataclass(frozen=True)
class Parts:
    """What a decoder layer is given besides its stream.

    Args:
        memory: the encoder's output, [batch, source, d_model].
        target_mask: what a target position may read of the target, [batch, target, target].
        source_mask: which source positions hold tokens, [batch, 1, source].
        attend: self-attention, a function of query, key, value and mask.
        cross_attend: cross-attention, a function of the same.
        norm_1: the norm of the first sublayer.
        norm_2: the norm of the second sublayer.
    """

    memory: Tensor
    target_mask: Tensor
    source_mask: Tensor
    attend: Attention
    cross_attend: Attention
    norm_1: Norm
    norm_2: Norm


Step = Callable[[Tensor, Parts], Tensor]  # stream -> stream
Answer = Callable[..., Tensor]
Reads = Callable[[Tensor, Parts], tuple[Tensor, Tensor, Tensor, Tensor | None]]


def first(x: Tensor, p: Parts) -> Tensor:
    own = p.norm_1(x)
    return x + p.attend(own, own, own, p.target_mask)


def second(x: Tensor, p: Parts) -> Tensor:
    return x + p.cross_attend(p.norm_2(x), p.memory, p.memory, p.source_mask)


def in_turn(*steps: Step) -> Answer:
    """The steps one after the other."""

    def wrong(x: Tensor, memory: Tensor, *rest: object) -> Tensor:
        parts = Parts(memory, *rest)  # type: ignore[arg-type]
        for step in steps:
            x = step(x, parts)
        return x

    return wrong


def self_reading(reads: Reads) -> Answer:
    """Self-attention that reads something else; the second sublayer is right."""
    return in_turn(lambda x, p: x + p.attend(*reads(x, p)), second)


def cross_reading(reads: Reads) -> Answer:
    """Cross-attention that reads something else; the first sublayer is right."""
    return in_turn(first, lambda x, p: x + p.cross_attend(*reads(x, p)))
