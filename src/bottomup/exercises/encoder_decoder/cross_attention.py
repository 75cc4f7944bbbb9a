"""Exercise: the two attentions of a decoder layer, wired (Vaswani et al., 2017, section 3.1)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.encoder_decoder.cross_attention_functions import (
    CROSS,
    DIGITS,
    FIRST_NORM,
    FUNCTIONS,
    NOTHING,
    OWN,
    SECOND_NORM,
    WIDTH,
    Attention,
    Norm,
)
from bottomup.exercises.encoder_decoder.cross_attention_mistakes import (
    HAND,
    MISCONCEPTIONS,
    PADDED,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.gradients import differentiate
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask

STUB = '''\
def two_attentions(x, memory, target_mask, source_mask,
                   attend, cross_attend, norm_1, norm_2):
    """A decoder layer's stream after self- and cross-attention, pre-norm.

    x [batch, target, d_model]: the stream. memory [batch, source, d_model]:
    what the encoder returned, normalised already. Masks are True where
    reading is allowed: target_mask [batch, target, target] is causal, and
    hides padding; source_mask [batch, 1, source] hides padding.
    attend and cross_attend are functions of (query, key, value, mask) and
    return an update like query; norm_1 and norm_2 normalise a stream.
    Self-attention comes first; the feed-forward network is not part of it.
    """
    ...
'''


def two_attentions(
    x: torch.Tensor, memory: torch.Tensor, target_mask: torch.Tensor, source_mask: torch.Tensor,
    attend: "Attention", cross_attend: "Attention", norm_1: "Norm", norm_2: "Norm",
) -> torch.Tensor:  # fmt: skip
    own = norm_1(x)
    x = x + attend(own, own, own, target_mask)
    return x + cross_attend(norm_2(x), memory, memory, source_mask)


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

CROSS_ATTENTION_WIRING = Exercise(
    slug="cross-attention-wiring",
    title=_("Wire the decoder's two attentions"),
    chapter="05",
    difficulty=2,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Who asks, and who is read? Write down query, keys and values of both attentions, and "
            "for each whether it comes from the target or from the source."
        ),
        _(
            "Self-attention first. It reads one thing three times: `own = norm_1(x)`. Its mask is "
            "the one with the axes [target, target], and its update is added to x."
        ),
        _(
            "In cross-attention the query is the normalised stream as it is now. Keys and values "
            "are the memory as it came, and the mask says which source positions are tokens."
        ),
    ),
    solution=two_attentions,
    alternatives=(with_updates, with_a_loop, with_whole_masks),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
)
