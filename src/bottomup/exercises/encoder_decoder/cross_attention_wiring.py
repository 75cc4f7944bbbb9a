"""Exercise: the two attentions of a decoder layer, wired (Vaswani et al., 2017, section 3.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import masked_softmax
from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.gradients import differentiate
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask


def two_attentions(
    x: torch.Tensor, memory: torch.Tensor, target_mask: torch.Tensor, source_mask: torch.Tensor,
    attend: "Attention", cross_attend: "Attention", norm_1: "Norm", norm_2: "Norm",
) -> torch.Tensor:  # fmt: skip
    own = norm_1(x)
    x = x + attend(own, own, own, target_mask)
    return x + cross_attend(norm_2(x), memory, memory, source_mask)


Norm = Callable[[Tensor], Tensor]
Attention = Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]


def with_updates(
    x: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor,
    attend: Attention, cross_attend: Attention, norm_1: Norm, norm_2: Norm,
) -> Tensor:  # fmt: skip
    from_prefix = attend(norm_1(x), norm_1(x), norm_1(x), target_mask)
    from_source = cross_attend(norm_2(x + from_prefix), memory, memory, source_mask)
    return torch.stack([x, from_prefix, from_source]).sum(0)


def with_a_loop(
    x: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor,
    attend: Attention, cross_attend: Attention, norm_1: Norm, norm_2: Norm,
) -> Tensor:  # fmt: skip
    sublayers = ((attend, norm_1, None, target_mask), (cross_attend, norm_2, memory, source_mask))
    for sublayer, norm, others, mask in sublayers:
        query = norm(x)
        read = query if others is None else others
        x = torch.add(sublayer(query, read, read, mask), x)
    return x


def with_whole_masks(
    x: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor,
    attend: Attention, cross_attend: Attention, norm_1: Norm, norm_2: Norm,
) -> Tensor:  # fmt: skip
    own, everywhere = norm_1(x), source_mask.expand(-1, x.shape[1], -1)
    stream = attend(own, own, own, target_mask) + x
    return cross_attend(norm_2(stream), memory, memory, everywhere) + stream


# ---- Functions that a case names by a text, so that a report can show them

WIDTH = 5


def _drawn(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _attention(seed: int) -> Attention:
    """Attention in one head, with fixed maps of its own."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            x @ _drawn(WIDTH, WIDTH, seed=seed + i).to(x) / WIDTH**0.5
            for i, x in enumerate((query, key, value))
        )
        return masked_softmax(q @ k.mT, mask) @ v

    return attend


def _digits(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """What went in can be read off the sum: a query, keys in tens, values in hundreds."""
    scores = query.new_zeros(*query.shape[:-1], key.shape[-2])
    weights = masked_softmax(scores, mask)
    return query + 10 * (weights @ key) + 100 * (weights @ value)


def _norm(seed: int) -> Norm:
    """LayerNorm with a gain and a bias of its own."""

    def norm(x: Tensor) -> Tensor:
        gain, bias = 1 + 0.5 * _drawn(WIDTH, seed=seed), _drawn(WIDTH, seed=seed + 1)
        return F.layer_norm(x, (WIDTH,), gain.to(x), bias.to(x))

    return norm


DIGITS = _("query + 10 * mean of the keys it may read + 100 * mean of those values")
NOTHING = _("nothing: zeros")
OWN, CROSS = _("attention with fixed maps"), _("attention with other fixed maps")
FIRST_NORM, SECOND_NORM = _("LayerNorm with a first gain"), _("LayerNorm with a second gain")

FUNCTIONS: dict[str, Attention | Norm] = {
    "x / 2": lambda x: x / 2,
    "x + 1": lambda x: x + 1,
    DIGITS: _digits,
    NOTHING: lambda query, key, value, mask=None: torch.zeros_like(query),
    OWN: _attention(1),
    CROSS: _attention(4),
    FIRST_NORM: _norm(7),
    SECOND_NORM: _norm(9),
}


# ---- Other wirings: what the mistakes are made of


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


# ---- Mistakes: norms, skips and streams

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
    Mistake(
        "query-not-normalised",
        cross_reading(lambda x, p: (x, p.memory, p.memory, p.source_mask)),
        (
            in_turn(lambda x, p: x + _own(x, p), second),
            self_reading(lambda x, p: (p.norm_1(x), x, x, p.target_mask)),
            self_reading(lambda x, p: (x, p.norm_1(x), p.norm_1(x), p.target_mask)),
            self_reading(lambda x, p: (p.norm_1(x), x, p.norm_1(x), p.target_mask)),
            in_turn(lambda x, p: x + _own(x, p), lambda x, p: x + _cross(x, p)),
        ),
    ),
    Mistake(
        "value-not-normalised",
        self_reading(lambda x, p: (p.norm_1(x), p.norm_1(x), x, p.target_mask)),
        (self_reading(lambda x, p: (x, p.norm_1(x), x, p.target_mask)),),
        case=HAND,
    ),
    Mistake(
        "skip-omitted",
        in_turn(first, _second_without_skip),
        (
            in_turn(_first_without_skip, second),
            in_turn(_first_without_skip, _second_without_skip),
        ),
    ),
    Mistake(
        "skip-from-the-normalised-stream",
        in_turn(first, _skip_from_the_norm("norm_2", _cross)),
        (
            in_turn(_skip_from_the_norm("norm_1", _own), second),
            in_turn(_skip_from_the_norm("norm_1", _own), _skip_from_the_norm("norm_2", _cross)),
        ),
    ),
    Mistake(
        "post-norm",
        in_turn(lambda x, p: p.norm_1(x + _own(x, p)), lambda x, p: p.norm_2(x + _cross(x, p))),
    ),
    Mistake(
        "beside-each-other",
        in_turn(_beside),
        (in_turn(_old_query), in_turn(_lost), in_turn(_second_skip_from_the_input)),
    ),
    Mistake(
        "norms-exchanged",
        in_turn(lambda x, p: x + _own(p.norm_2(x), p), lambda x, p: x + _cross(p.norm_1(x), p)),
        (
            in_turn(first, lambda x, p: x + _cross(p.norm_1(x), p)),
            self_reading(lambda x, p: (*3 * (p.norm_2(x),), p.target_mask)),
        ),
    ),
)


# ---- Mistakes: whose queries, whose keys, whose mask

PADDED = _("two source positions, the second is padding")

SOURCES = (
    Mistake(
        "keys-and-values-from-the-decoder",
        cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.norm_2(x), p.source_mask)),
        (
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.norm_2(x), p.target_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.norm_2(x), None)),
            cross_reading(lambda x, p: (p.norm_2(x), x, x, p.source_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), x, x, p.target_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(x), p.memory, p.source_mask)),
            cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.norm_2(x), p.source_mask)),
        ),
        case=HAND,
    ),
    Mistake(
        "query-from-the-encoder",
        cross_reading(lambda x, p: (p.memory, p.norm_2(x), p.norm_2(x), p.source_mask)),
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
        case=HAND,
    ),
    Mistake(
        "memory-normalised",
        cross_reading(
            lambda x, p: (p.norm_2(x), p.norm_2(p.memory), p.norm_2(p.memory), p.source_mask)
        ),
        (
            cross_reading(lambda x, p: (x, p.norm_2(p.memory), p.norm_2(p.memory), p.source_mask)),
            cross_reading(
                lambda x, p: (p.norm_2(x), p.norm_1(p.memory), p.norm_1(p.memory), p.source_mask)
            ),
            cross_reading(lambda x, p: (p.norm_2(x), p.norm_2(p.memory), p.memory, p.source_mask)),
        ),
        case=HAND,
    ),
)

MASKS = (
    Mistake(
        "source-mask-missing",
        cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.memory, None)),
        (
            cross_reading(
                lambda x, p: (p.norm_2(x), p.memory, p.memory, torch.ones_like(p.source_mask))
            ),
        ),
        case=PADDED,
    ),
    Mistake(
        "mask-inverted",
        cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.memory, ~p.source_mask)),
        (
            self_reading(lambda x, p: (*3 * (p.norm_1(x),), ~p.target_mask)),
            in_turn(
                lambda x, p: x + p.attend(*3 * (p.norm_1(x),), ~p.target_mask),
                lambda x, p: x + p.cross_attend(p.norm_2(x), p.memory, p.memory, ~p.source_mask),
            ),
        ),
        case=PADDED,
    ),
    Mistake(
        "target-mask-in-cross-attention",
        cross_reading(lambda x, p: (p.norm_2(x), p.memory, p.memory, p.target_mask)),
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
        case=HAND,
    ),
    Mistake(
        "source-mask-in-self-attention",
        self_reading(lambda x, p: (*3 * (p.norm_1(x),), p.source_mask)),
        (
            in_turn(
                lambda x, p: x + p.attend(*3 * (p.norm_1(x),), p.source_mask),
                lambda x, p: x + p.cross_attend(p.norm_2(x), p.memory, p.memory, p.target_mask),
            ),
        ),
        case=HAND,
    ),
    Mistake(
        "target-mask-missing",
        self_reading(lambda x, p: (*3 * (p.norm_1(x),), None)),
        (
            in_turn(
                lambda x, p: x + p.attend(*3 * (p.norm_1(x),), None),
                lambda x, p: x + p.cross_attend(p.norm_2(x), p.memory, p.memory, None),
            ),
        ),
        case=HAND,
    ),
)

ORDER = (
    Mistake(
        "cross-attention-first",
        in_turn(second, first),
        (
            in_turn(
                lambda x, p: x + p.cross_attend(p.norm_1(x), p.memory, p.memory, p.source_mask),
                lambda x, p: x + p.attend(*3 * (p.norm_2(x),), p.target_mask),
            ),
        ),
        case=HAND,
    ),
    Mistake(
        "one-attention-for-both",
        in_turn(first, lambda x, p: x + p.attend(p.norm_2(x), p.memory, p.memory, p.source_mask)),
        (
            in_turn(lambda x, p: x + p.cross_attend(*3 * (p.norm_1(x),), p.target_mask), second),
            in_turn(
                lambda x, p: x + p.cross_attend(*3 * (p.norm_1(x),), p.target_mask),
                lambda x, p: x + p.attend(p.norm_2(x), p.memory, p.memory, p.source_mask),
            ),
        ),
    ),
)

MISTAKES = (*SOURCES, *MASKS, *ORDER, *AROUND)


# ---- Cases


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer with the functions that the case names."""
    inputs = {
        name: FUNCTIONS[value] if isinstance(value, str) else value
        for name, value in case.inputs.items()
    }
    return differentiate(answer, inputs) if case.wants_gradients else answer(*inputs.values())


Make = Callable[[torch.Generator], Inputs]
DRAWN = (OWN, CROSS, FIRST_NORM, SECOND_NORM)


def _wired(
    x: Tensor, memory: Tensor, lengths: tuple[list[int], list[int]],
    functions: tuple[str, str, str, str],
) -> Inputs:  # fmt: skip
    target, source = (torch.tensor(each) for each in lengths)
    own = causal_mask(x.shape[1]) & padding_mask(target, width=x.shape[1])
    named = dict(zip(("attend", "cross_attend", "norm_1", "norm_2"), functions, strict=True))
    masks = {"target_mask": own, "source_mask": padding_mask(source, width=memory.shape[1]).clone()}
    return {"x": x, "memory": memory, **masks, **named}


def _by_hand(source: int) -> Make:
    """The source has so many real tokens of two."""
    x, memory = torch.tensor([[[2.0], [4.0]]]), torch.tensor([[[3.0], [5.0]]])
    functions = (DIGITS, DIGITS, "x / 2", "x + 1")
    return lambda generator: _wired(x.clone(), memory.clone(), ([2], [source]), functions)


def _random(
    target: list[int], source: list[int], *, functions: tuple[str, str, str, str] = DRAWN,
    scale: float = 1.0, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Sentences of these lengths, each side padded to its longest."""

    def make(generator: torch.Generator) -> Inputs:
        x, memory = (
            torch.randn(len(each), max(each), WIDTH, generator=generator, dtype=dtype)
            for each in (target, source)
        )
        return _wired(scale * x, memory, (target, source), functions)

    return make


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random([3], [3], dtype=torch.float64)(generator)
    return {**inputs, **{name: inputs[name].requires_grad_() for name in ("x", "memory")}}


CASES = (
    Case(HAND, _by_hand(2)),
    Case(PADDED, _by_hand(1)),
    Case(_("a padded batch, the source longer"), _random([3, 2], [7, 4]), seed=1),
    Case(_("a padded batch, the target longer"), _random([7, 5, 2], [2, 3, 1]), seed=2),
    Case(_("as many source as target positions"), _random([5, 3], [4, 5]), seed=3),
    Case(_("one source token"), _random([3, 1], [1, 1]), seed=4),
    Case(
        _("self-attention finds nothing"),
        _random([3, 2], [2, 3], functions=(NOTHING, CROSS, FIRST_NORM, SECOND_NORM)),
        seed=5,
    ),
    Case(_("a large stream"), _random([2, 3], [3, 2], scale=100.0), seed=6),
    Case(_("float64"), _random([3, 2], [2, 5], dtype=torch.float64), seed=7),
    Case(_("gradients for x and memory"), _with_gradients, seed=8),
)

ANSWERS = Answers(
    solution=two_attentions,
    alternatives=(with_updates, with_a_loop, with_whole_masks),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
)
