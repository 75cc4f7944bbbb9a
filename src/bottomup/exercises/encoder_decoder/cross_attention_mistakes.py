"""Mistakes in the wiring of a decoder layer: whose queries, whose keys, whose mask."""

import torch

from bottomup.exercises.encoder_decoder.cross_attention_parts import (
    cross_reading,
    first,
    in_turn,
    second,
    self_reading,
)
from bottomup.exercises.encoder_decoder.cross_attention_steps import AROUND, HAND, SECTION
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

__all__ = ["HAND", "MISCONCEPTIONS", "PADDED"]

PADDED = _("two source positions, the second is padding")

SOURCES = (
    Misconception(
        "keys-and-values-from-the-decoder",
        cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.norm_2(x), p.source_mask)),
        _(
            "Keys or values of the second attention are made of the decoder's own stream. With "
            "both, it is a second self-attention, the memory is not used, and the decoder writes "
            "fluent sentences that have nothing to do with the source. Query from the stream, keys "
            "and values from the memory."
        ),
        SECTION,
        (
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.norm_2(x), p.target_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.norm_2(x), None)),
            cross_reading(lambda x, p: (p.norm_2(x), x, x, p.source_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), x, x, p.target_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.memory, p.source_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.norm_2(x), p.source_mask)),
        ),
        HAND,
    ),
    Misconception(
        "query-from-the-encoder",
        cross_reading(lambda x, p: (p.memory, p.norm_2(x), p.norm_2(x), p.source_mask)),
        _(
            "The query comes from the encoder. The result has one vector for each source position, "
            "which as a rule does not even fit the stream; where the lengths agree it runs, and no "
            "target position can say what it looks for. The target asks: the query is the "
            "normalised stream."
        ),
        SECTION,
        (
            cross_reading(lambda x, p: (p.memory, p.norm_2(x), p.norm_2(x), p.target_mask)),
            cross_reading(lambda x, p: (p.memory, x, x, p.source_mask)),
            cross_reading(lambda x, p: (p.memory, x, x, p.target_mask)),
            cross_reading(lambda x, p: (p.memory, p.memory, p.memory, p.source_mask)),
            cross_reading(lambda x, p: (p.memory, p.memory, p.norm_2(x), p.source_mask)),
            cross_reading(lambda x, p: (p.memory, p.norm_2(x), p.norm_2(x), None)),
            cross_reading(
                lambda x, p: (p.norm_2(p.memory), p.norm_2(x), p.norm_2(x), p.target_mask)
            ),
        ),
        HAND,
    ),
    Misconception(
        "memory-normalised",
        cross_reading(
            lambda x, p: (p.norm_2(x), p.norm_2(p.memory), p.norm_2(p.memory), p.source_mask)
        ),
        _(
            "The memory goes through the decoder's norm. The encoder has normalised it already, "
            "and the norm's gain was learned for the stream, another set of vectors; a model with "
            "copied weights then gives other logits. The norm stands before the query alone."
        ),
        SECTION,
        (
            cross_reading(lambda x, p: (x, p.norm_2(p.memory), p.norm_2(p.memory), p.source_mask)),
            cross_reading(
                lambda x, p: (p.norm_2(x), p.norm_1(p.memory), p.norm_1(p.memory), p.source_mask)
            ),
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(p.memory), p.memory, p.source_mask)),
        ),
        HAND,
    ),
)

MASKS = (
    Misconception(
        "source-mask-missing",
        cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.memory, None)),
        _(
            "Cross-attention has no mask, so it reads the padding of shorter source sentences. The "
            "same sentence then gets another translation in another batch. Pass source_mask: True "
            "at real source tokens, the same for every target position."
        ),
        SECTION,
        (
            cross_reading(
                lambda x, p: (p.norm_2(x), p.memory, p.memory, torch.ones_like(p.source_mask))
            ),
        ),
        PADDED,
    ),
    Misconception(
        "mask-inverted",
        cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.memory, ~p.source_mask)),
        _(
            "A mask is inverted. In `key_padding_mask` of torch's attention True means that a "
            "position must not be read; here True means that it may. With `~source_mask` the "
            "decoder reads the padding and nothing of the sentence. Pass the masks as they come."
        ),
        SECTION,
        (
            self_reading(lambda x, p: (*3 * (p.norm_1(x),), ~p.target_mask)),
            in_turn(
                lambda x, p: x + p.attend(*3 * (p.norm_1(x),), ~p.target_mask),
                lambda x, p: x + p.cross_attend(p.norm_2(x), p.memory, p.memory, ~p.source_mask),
            ),
        ),
        PADDED,
    ),
    Misconception(
        "target-mask-in-cross-attention",
        cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.memory, p.target_mask)),
        _(
            "Cross-attention gets the target's mask, [batch, target, target]. Where source and "
            "target have one length it runs: target position 1 then reads source position 1 alone, "
            "and padding is not left out. The source is complete before decoding starts, so there "
            "is no future in it: pass source_mask."
        ),
        SECTION,
        (
            cross_reading(
                lambda x, p: (p.norm_2(x), p.memory, p.memory, p.target_mask & p.source_mask)
            ),
            cross_reading(
                lambda x, p: (
                    p.norm_2(x),
                    p.memory,
                    p.memory,
                    p.source_mask.expand(-1, x.shape[1], -1).tril(),
                )
            ),
        ),
        HAND,
    ),
    Misconception(
        "source-mask-in-self-attention",
        self_reading(lambda x, p: (*3 * (p.norm_1(x),), p.source_mask)),
        _(
            "Self-attention gets the source's mask. Where the lengths agree it runs, and a target "
            "position reads the tokens that it is to predict. The first attention stays inside the "
            "target: pass target_mask, which is causal and hides padding."
        ),
        SECTION,
        (
            in_turn(
                lambda x, p: x + p.attend(*3 * (p.norm_1(x),), p.source_mask),
                lambda x, p: x + p.cross_attend(p.norm_2(x), p.memory, p.memory, p.target_mask),
            ),
        ),
        HAND,
    ),
    Misconception(
        "target-mask-missing",
        self_reading(lambda x, p: (*3 * (p.norm_1(x),), None)),
        _(
            "Self-attention has no mask: every target position reads the tokens after it, which "
            "are the ones it is to predict. The training loss falls to nearly zero, and generation "
            "is at chance. Pass target_mask."
        ),
        SECTION,
        (
            in_turn(
                lambda x, p: x + p.attend(*3 * (p.norm_1(x),), None),
                lambda x, p: x + p.cross_attend(p.norm_2(x), p.memory, p.memory, None),
            ),
        ),
        HAND,
    ),
)

ORDER = (
    Misconception(
        "cross-attention-first",
        in_turn(second, first),
        _(
            "Cross-attention comes before self-attention. It then asks the source without knowing "
            "what has been written so far: each query holds one target token. Self-attention "
            "gathers the prefix first, and the query is made of that."
        ),
        SECTION,
        (
            in_turn(
                lambda x, p: x + p.cross_attend(p.norm_1(x), p.memory, p.memory, p.source_mask),
                lambda x, p: x + p.attend(*3 * (p.norm_2(x),), p.target_mask),
            ),
        ),
        HAND,
    ),
    Misconception(
        "one-attention-for-both",
        in_turn(first, lambda x, p: x + p.attend(p.norm_2(x), p.memory, p.memory, p.source_mask)),
        _(
            "One attention serves both sublayers, or the two have changed places. Their maps are "
            "trained for questions to the prefix and for questions to the source, and a trained "
            "model has a set for each. attend reads the target, cross_attend the memory."
        ),
        SECTION,
        (
            in_turn(lambda x, p: x + p.cross_attend(*3 * (p.norm_1(x),), p.target_mask), second),
            in_turn(
                lambda x, p: x + p.cross_attend(*3 * (p.norm_1(x),), p.target_mask),
                lambda x, p: x + p.attend(p.norm_2(x), p.memory, p.memory, p.source_mask),
            ),
        ),
    ),
)

MISCONCEPTIONS = (*SOURCES, *MASKS, *ORDER, *AROUND)
