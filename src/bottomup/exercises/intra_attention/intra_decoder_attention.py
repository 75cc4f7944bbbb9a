"""Exercise: the intra-decoder attention of Paulus et al. (2018, section 2.2, equations 6 to 8)."""

from collections.abc import Callable
from math import inf
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def intra_decoder_attention(states: torch.Tensor, W_d: torch.Tensor) -> torch.Tensor:
    scores = states @ W_d @ states.mT  # [batch, step, step]
    hidden = torch.ones_like(scores, dtype=torch.bool).triu()
    weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    return weights.masked_fill(hidden, 0) @ states  # the first row is NaN until here


def with_zeros_put_first(states: Tensor, W_d: Tensor) -> Tensor:
    scores = torch.einsum("btd,de,bue->btu", states[:, 1:], W_d, states[:, :-1])
    steps = scores.shape[-1]
    later = torch.arange(steps) > torch.arange(steps)[:, None]
    read = (scores + torch.zeros(later.shape).masked_fill(later, -inf)).softmax(-1) @ states[:, :-1]
    return torch.cat([torch.zeros_like(states[:, :1]), read.to(states.dtype)], dim=1)


def with_exponentials(states: Tensor, W_d: Tensor) -> Tensor:
    scores = (states @ W_d).matmul(states.transpose(1, 2))
    before = torch.ones_like(scores[0]).tril(-1)
    largest = torch.where(before > 0, scores, -inf).amax(-1, keepdim=True).clamp(min=-1e30)
    exponentials = torch.where(before > 0, scores - largest, -inf).exp()
    return exponentials @ states / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)


def with_loops(states: Tensor, W_d: Tensor) -> Tensor:
    sentences = []
    for s in states:
        rows = [torch.zeros_like(s[0])]
        for t in range(1, len(s)):
            past = torch.stack([s[t] @ W_d @ s[u] for u in range(t)]).softmax(dim=0)
            rows.append(sum(w * x for w, x in zip(past, s, strict=False)))
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


# ---- Parts that a mistake replaces

Answer = Callable[[Tensor, Tensor], Tensor]
Score = Callable[[Tensor, Tensor], Tensor]
Weigh = Callable[[Tensor], Tensor]


def right_scores(states: Tensor, W_d: Tensor) -> Tensor:
    return states @ W_d @ states.mT


def square(scores: Tensor) -> Tensor:
    return torch.ones(scores.shape[-2:], dtype=torch.bool)


def emptied(weights: Tensor) -> Tensor:
    """Zeros in the first row, the others as they are."""
    return torch.cat([torch.zeros_like(weights[:, :1]), weights[:, 1:]], dim=1)


def right_weights(scores: Tensor) -> Tensor:
    return emptied(nan_first(scores))


def nan_first(scores: Tensor) -> Tensor:
    return scores.masked_fill(square(scores).triu(), -inf).softmax(-1)


def all_first(scores: Tensor) -> Tensor:
    return scores.masked_fill(square(scores).triu(), -1e9).softmax(-1)


def weighed(weigh: Weigh) -> Answer:
    """A wrong answer with other weights of the right scores."""
    return lambda states, W_d: weigh(right_scores(states, W_d)) @ states


def scored(score: Score) -> tuple[Answer, ...]:
    """Wrong scores, with a first row of zeros, of NaN and of equal weights."""

    def with_weights(weigh: Weigh) -> Answer:
        return lambda states, W_d: weigh(score(states, W_d)) @ states

    return tuple(with_weights(weigh) for weigh in (right_weights, nan_first, all_first))


# ---- Mistakes

ONE_STEP = _("one step")


def _up_to_itself(scores: Tensor) -> Tensor:
    return scores.masked_fill(square(scores).triu(1), -inf).softmax(-1)


def _itself_at_first(scores: Tensor) -> Tensor:
    hidden = square(scores).triu()
    hidden[0, 0] = False
    return scores.masked_fill(hidden, -inf).softmax(-1)


def _repaired(scores: Tensor) -> Tensor:
    """Added -inf, of which the NaN is replaced too late for the gradient."""
    return (
        (scores + torch.zeros(scores.shape[-2:]).masked_fill(square(scores).triu(), -inf))
        .softmax(-1)
        .nan_to_num()
    )


def _later(fill: float) -> Weigh:
    return lambda scores: scores.masked_fill(square(scores).tril(), fill).softmax(-1)


def _masked_late(scores: Tensor) -> Tensor:
    return scores.softmax(-1) * square(scores).tril(-1)


def _zeroed(scores: Tensor) -> Tensor:
    return (scores * square(scores).tril(-1)).softmax(-1)


def _by_column(fill: float) -> Weigh:
    return lambda scores: scores.masked_fill(square(scores).triu(), fill).softmax(-2)


def _by_batch(fill: float) -> Weigh:
    return lambda scores: scores.masked_fill(square(scores).triu(), fill).softmax(0)


def _without_first(states: Tensor, W_d: Tensor) -> Tensor:
    return intra_decoder_attention(states, W_d)[:, 1:]


def _values_mapped(turn: bool, weigh: Weigh) -> Answer:
    def wrong(states: Tensor, W_d: Tensor) -> Tensor:
        return weigh(right_scores(states, W_d)) @ (states @ (W_d.mT if turn else W_d))

    return wrong


def _state_before(states: Tensor, W_d: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)


def _mean_before(states: Tensor, W_d: Tensor) -> Tensor:
    count = torch.arange(states.shape[1]).clamp(min=1)[:, None]
    return _state_before(states, W_d).cumsum(dim=1) / count


def _one_late(states: Tensor, W_d: Tensor) -> Tensor:
    read = intra_decoder_attention(states, W_d)
    return torch.cat([torch.zeros_like(read[:, :1]), read[:, :-1]], dim=1)


def _one_late_with_itself(states: Tensor, W_d: Tensor) -> Tensor:
    """Each step asks about itself and the past, and the next step gets the reading."""
    read = _up_to_itself(right_scores(states, W_d)) @ states
    return torch.cat([torch.zeros_like(read[:, :1]), read[:, :-1]], dim=1)


TRANSPOSED = scored(lambda states, W_d: states @ W_d.mT @ states.mT)
PLAIN = scored(lambda states, W_d: states @ states.mT)
SCALED = scored(lambda states, W_d: right_scores(states, W_d) / states.shape[-1] ** 0.5)

MISTAKES = (
    Mistake("itself-read", weighed(_up_to_itself), (weighed(lambda s: emptied(_up_to_itself(s))),)),
    Mistake("first-step-reads-itself", weighed(_itself_at_first)),
    Mistake("first-step-nan", weighed(nan_first)),
    Mistake("nan-on-the-way-back", weighed(_repaired)),
    Mistake(
        "nan-everywhere",
        weighed(lambda scores: (scores + square(scores).triu() * -inf).softmax(-1)),
        (weighed(_by_column(-inf)), weighed(_by_batch(-inf))),
    ),
    Mistake(
        "first-step-reads-all",
        weighed(all_first),
        (weighed(lambda scores: nan_first(scores).nan_to_num(1 / scores.shape[-1])),),
    ),
    Mistake(
        "first-step-left-out",
        _without_first,
    ),
    Mistake(
        "future-read",
        weighed(lambda scores: _later(-inf)(scores).nan_to_num()),
        (
            weighed(_later(-inf)),
            weighed(_later(-1e9)),
            weighed(lambda scores: scores.masked_fill(square(scores).tril(-1), -inf).softmax(-1)),
        ),
    ),
    Mistake(
        "nothing-hidden",
        weighed(lambda scores: scores.softmax(-1)),
        (weighed(lambda scores: emptied(scores.softmax(-1))),),
    ),
    Mistake("masked-after-the-softmax", weighed(_masked_late)),
    Mistake(
        "masked-scores-zero", weighed(_zeroed), (weighed(lambda scores: emptied(_zeroed(scores))),)
    ),
    Mistake("matrix-transposed", TRANSPOSED[0], TRANSPOSED[1:]),
    Mistake("matrix-missing", PLAIN[0], PLAIN[1:]),
    Mistake(
        "mapped-states-read",
        _values_mapped(True, right_weights),
        tuple(
            _values_mapped(turn, weigh)
            for turn in (True, False)
            for weigh in (right_weights, nan_first, all_first)
        ),
    ),
    Mistake(
        "softmax-over-queries",
        weighed(lambda scores: _by_column(-inf)(scores).nan_to_num()),
        (weighed(_by_column(-1e9)),),
    ),
    Mistake(
        "over-the-batch",
        weighed(lambda scores: _by_batch(-inf)(scores).nan_to_num()),
        (weighed(_by_batch(-1e9)),),
    ),
    Mistake("scaled", SCALED[0], SCALED[1:]),
    Mistake("last-state-read", _state_before, (_mean_before,)),
    Mistake("one-step-late", _one_late, (_one_late_with_itself,)),
)


# ---- Cases


def _random(
    *sizes: int, double: bool = False, scale: float = 1.0
) -> Callable[[torch.Generator], Inputs]:
    batch, steps, d_state = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "states": scale * torch.randn(batch, steps, d_state, **options),
            "W_d": torch.randn(d_state, d_state, **options) / 2,
        }

    return make


def _hand(generator: torch.Generator) -> Inputs:
    # s_3 W_d = (0, ln 3): scores 0 with s_1 and ln 3 with s_2
    return {
        "states": torch.tensor([[[4.0, 0.0], [0.0, 1.0], [1.0, 0.0]]]),
        "W_d": torch.tensor([[0.0, 1.0986123], [2.0, 1.0]]),
    }


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 4, 2)(generator)
    return {name: tensor.requires_grad_() for name, tensor in inputs.items()}


CASES = (
    Case(_("three steps by hand"), _hand),
    Case(_("a batch"), _random(2, 5, 3), seed=1),
    Case(_("as many sentences, steps and widths"), _random(3, 3, 3), seed=2),
    Case(ONE_STEP, _random(2, 1, 3), seed=3),
    Case(_("two steps"), _random(3, 2, 5), seed=4),
    Case(_("float64"), _random(2, 7, 3, double=True), seed=5),
    Case(_("large scores"), _random(1, 4, 2, scale=10.0), seed=6),
    Case(_("the gradients of a small case"), _with_gradients, seed=7),
)

ANSWERS = Answers(
    solution=intra_decoder_attention,
    alternatives=(with_zeros_put_first, with_exponentials, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
