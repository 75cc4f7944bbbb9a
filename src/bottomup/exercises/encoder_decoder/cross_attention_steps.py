"""Mistakes around the two attentions of a decoder layer: norms, skips and streams."""

from torch import Tensor

from bottomup.exercises.encoder_decoder.cross_attention_parts import (
    Parts,
    Step,
    cross_reading,
    first,
    in_turn,
    second,
    self_reading,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Cross-attention")
HAND = _("one number at each of two source and two target positions")


def _own(x: Tensor, p: Parts) -> Tensor:
    """Self-attention's update of a stream that is already normalised, or not."""
    return p.attend(x, x, x, p.target_mask)


def _cross(query: Tensor, p: Parts) -> Tensor:
    return p.cross_attend(query, p.memory, p.memory, p.source_mask)


def _first_without_skip(x: Tensor, p: Parts) -> Tensor:
    return _own(p.norm_1(x), p)


def _second_without_skip(x: Tensor, p: Parts) -> Tensor:
    return _cross(p.norm_2(x), p)


def _skip_from_the_norm(norm: str, update: Step) -> Step:
    def step(x: Tensor, p: Parts) -> Tensor:
        normalised = getattr(p, norm)(x)
        return normalised + update(normalised, p)

    return step


def _beside(x: Tensor, p: Parts) -> Tensor:
    return first(x, p) + _cross(p.norm_2(x), p)


def _old_query(x: Tensor, p: Parts) -> Tensor:
    return first(x, p) + _cross(p.norm_1(x), p)


def _lost(x: Tensor, p: Parts) -> Tensor:
    return x + _cross(p.norm_2(x), p)


def _second_skip_from_the_input(x: Tensor, p: Parts) -> Tensor:
    return x + _cross(p.norm_2(first(x, p)), p)


AROUND = (
    Misconception(
        "query-not-normalised",
        cross_reading(lambda x, p: (x, p.memory, p.memory, p.source_mask)),
        _(
            "A sublayer reads the stream without its norm. The stream grows from layer to layer, "
            "and the scores with it, so the weights become sharp for no reason but depth. In "
            "pre-norm every sublayer reads the normalised stream."
        ),
        SECTION,
        (
            in_turn(lambda x, p: x + _own(x, p), second),
            self_reading(lambda x, p: (p.norm_1(x), x, x, p.target_mask)),
            self_reading(lambda x, p: (x, p.norm_1(x), p.norm_1(x), p.target_mask)),
            self_reading(lambda x, p: (p.norm_1(x), x, p.norm_1(x), p.target_mask)),
            in_turn(lambda x, p: x + _own(x, p), lambda x, p: x + _cross(x, p)),
        ),
    ),
    Misconception(
        "value-not-normalised",
        self_reading(lambda x, p: (p.norm_1(x), p.norm_1(x), x, p.target_mask)),
        _(
            "Self-attention's values are the stream without its norm. The weights are right, but "
            "what they average grows with the stream from layer to layer, and the update with it. "
            "In pre-norm the query, the keys and the values are all norm_1(x)."
        ),
        SECTION,
        (self_reading(lambda x, p: (x, p.norm_1(x), x, p.target_mask)),),
        HAND,
    ),
    Misconception(
        "skip-omitted",
        in_turn(first, _second_without_skip),
        _(
            "A sublayer's output replaces the stream, where it should be added to it. After "
            "cross-attention a target position then holds a mixture of source vectors and no "
            "longer knows which word it has just written. Add to x."
        ),
        SECTION,
        (
            in_turn(_first_without_skip, second),
            in_turn(_first_without_skip, _second_without_skip),
        ),
    ),
    Misconception(
        "skip-from-the-normalised-stream",
        in_turn(first, _skip_from_the_norm("norm_2", _cross)),
        _(
            "The update is added to the normalised stream, so the norm stands on the line and not "
            "on the branch. What earlier layers wrote is rescaled at every sublayer, and the "
            "straight path for the gradient is gone. Normalise for the sublayer, add to x."
        ),
        SECTION,
        (
            in_turn(_skip_from_the_norm("norm_1", _own), second),
            in_turn(_skip_from_the_norm("norm_1", _own), _skip_from_the_norm("norm_2", _cross)),
        ),
    ),
    Misconception(
        "post-norm",
        in_turn(lambda x, p: p.norm_1(x + _own(x, p)), lambda x, p: p.norm_2(x + _cross(x, p))),
        _(
            "This is post-norm, the wiring of the paper: the sum of stream and update is "
            "normalised. It is no mistake in itself, but weights trained in one wiring do not work "
            "in the other, and the statement asks for pre-norm."
        ),
        SECTION,
    ),
    Misconception(
        "beside-each-other",
        in_turn(_beside),
        _(
            "Cross-attention reads the layer's input, or adds to it, and not the stream after "
            "self-attention. The query then knows one token of the prefix and no more, or what "
            "self-attention has read is lost. Go on with the current stream."
        ),
        SECTION,
        (in_turn(_old_query), in_turn(_lost), in_turn(_second_skip_from_the_input)),
    ),
    Misconception(
        "norms-exchanged",
        in_turn(lambda x, p: x + _own(p.norm_2(x), p), lambda x, p: x + _cross(p.norm_1(x), p)),
        _(
            "A norm stands in the other's place. At the start of training all gains are ones, and "
            "nothing shows; a trained model has a gain for each sublayer. norm_1 belongs to "
            "self-attention, norm_2 to cross-attention."
        ),
        SECTION,
        (
            in_turn(first, lambda x, p: x + _cross(p.norm_1(x), p)),
            self_reading(lambda x, p: (*3 * (p.norm_2(x),), p.target_mask)),
        ),
    ),
)
