"""Exercise: the temporal attention of Paulus et al. (2018, section 2.1, equations 3 and 4)."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def temporal_weights(scores: torch.Tensor) -> torch.Tensor:
    past = scores.logcumsumexp(dim=-2)[..., :-1, :]  # log of the sums over u < t
    later = scores[..., 1:, :] - past
    return torch.cat([scores[..., :1, :], later], dim=-2).softmax(dim=-1)


def with_a_running_sum(scores: Tensor) -> Tensor:
    rows, past = [], None
    for step in scores.unbind(dim=1):
        rows.append(torch.softmax(step if past is None else step - past, dim=-1))
        past = step if past is None else torch.logaddexp(past, step)
    return torch.stack(rows, dim=1)


def with_loops(scores: Tensor) -> Tensor:
    sentences = []
    for sentence in scores:
        rows = [sentence[0].softmax(0)]
        for t in range(1, len(sentence)):
            rows.append((sentence[t] - sentence[:t].logsumexp(0)).softmax(0))
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


def with_a_mask(scores: Tensor) -> Tensor:
    steps = scores.shape[1]
    earlier = torch.ones(steps, steps, dtype=torch.bool).tril(-1)  # [step, step before]
    sums = scores[:, None].masked_fill(~earlier[..., None], -inf)[:, 1:].logsumexp(dim=2)
    past = torch.nn.functional.pad(sums, (0, 0, 1, 0))
    return torch.softmax(scores - past, dim=-1)


# ---- One thing in another way: what the mistakes are made of

Past = Callable[
    [Tensor], Tensor
]  # scores of all steps -> what divides the steps from the second on


def shifted(sums: Tensor) -> Tensor:
    """Put zeros, the logarithm of 1, before the first step, and drop what follows the last."""
    return torch.cat([torch.zeros_like(sums[..., :1, :]), sums[..., :-1, :]], dim=-2)


def right_past(scores: Tensor) -> Tensor:
    return shifted(scores.logcumsumexp(dim=-2))


def subtracting(past: Past) -> Past:
    """A wrong answer in logarithms that subtracts another past."""
    return lambda scores: (scores - past(scores)).softmax(dim=-1)


def ratio(quotients: Tensor, floor: float = 0.0) -> Tensor:
    return quotients / (quotients.sum(dim=-1, keepdim=True) + floor)


def quotients(scores: Tensor, floor: float = 0.0) -> Tensor:
    """The quotients as they are written; right for small scores."""
    exponentials = scores.exp()
    sums = exponentials.cumsum(dim=-2)[..., :-1, :] + floor
    later = exponentials[..., 1:, :] / sums
    return torch.cat([exponentials[..., :1, :], later], dim=-2)


def ways(past: Past) -> tuple[Past, ...]:
    """In logarithms, and as a quotient of exponentials, which overflows."""
    return subtracting(past), lambda scores: ratio(scores.exp() / past(scores).exp())


# ---- Mistakes

LARGE = _("large scores")
RISING = _("a score that rises far")
THREE_STEPS = _("three steps that point to the same word")


def _own_step_later(scores: Tensor) -> Tensor:
    sums = scores.logcumsumexp(dim=-2)
    return torch.cat([torch.zeros_like(sums[..., :1, :]), sums[..., 1:, :]], dim=-2)


def _own_step(scores: Tensor) -> Tensor:
    return scores.logcumsumexp(dim=-2)


def _all_steps(scores: Tensor) -> Tensor:
    return scores.logsumexp(dim=-2, keepdim=True).expand_as(scores)


def _all_steps_later(scores: Tensor) -> Tensor:
    sums = _all_steps(scores)
    return torch.cat([torch.zeros_like(sums[..., :1, :]), sums[..., 1:, :]], dim=-2)


def _words_before(scores: Tensor) -> Tensor:
    sums = scores.logcumsumexp(dim=-1)
    return torch.cat([torch.zeros_like(sums[..., :1]), sums[..., :-1]], dim=-1)


def _words_up_to_this(scores: Tensor) -> Tensor:
    return scores.logcumsumexp(dim=-1)


def _words_before_later_steps(scores: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(scores[:, :1]), _words_before(scores)[:, 1:]], dim=1)


def _words_of_the_step_before(scores: Tensor) -> Tensor:
    return shifted(_words_up_to_this(scores))


def _even_first(scores: Tensor) -> Tensor:
    return torch.cat([scores[..., :1, :], right_past(scores)[..., 1:, :]], dim=-2)


def _softmaxed(scores: Tensor) -> Tensor:
    return shifted(scores.log_softmax(dim=-1).logcumsumexp(dim=-2))


def _own_weights(scores: Tensor) -> Tensor:
    """The past is made of the weights that earlier steps had in the end."""
    rows = [scores[:, 0].log_softmax(-1)]
    for t in range(1, scores.shape[1]):
        past = torch.stack(rows, dim=1).logsumexp(dim=1)
        rows.append((scores[:, t] - past).log_softmax(-1))
    return torch.stack(rows, dim=1).exp()


def _own_weights_of_quotients(scores: Tensor) -> Tensor:
    """The same from the quotients as they are written."""
    rows = [scores[:, 0].softmax(-1)]
    for t in range(1, scores.shape[1]):
        rows.append(ratio(scores[:, t].exp() / torch.stack(rows, dim=1).sum(dim=1)))
    return torch.stack(rows, dim=1)


def _own_quotients(scores: Tensor) -> Tensor:
    rows = [scores[:, 0]]
    for t in range(1, scores.shape[1]):
        rows.append(scores[:, t] - torch.stack(rows, dim=1).logsumexp(dim=1))
    return torch.stack(rows, dim=1).softmax(-1)


def _raw_sum(scores: Tensor) -> Tensor:
    return shifted(scores.cumsum(dim=-2))


def _sum_without_logarithm(scores: Tensor) -> Tensor:
    return shifted(scores.exp().cumsum(dim=-2))


def _by_step(scores: Tensor) -> Tensor:
    return scores - scores.amax(dim=-1, keepdim=True)


def _by_word(scores: Tensor) -> Tensor:
    return scores - scores.amax(dim=-2, keepdim=True)


def _by_sentence(scores: Tensor) -> Tensor:
    return scores - scores.amax(dim=(-2, -1), keepdim=True)


def _by_everything(scores: Tensor) -> Tensor:
    return scores - scores.max()


def _with_one(scores: Tensor) -> Tensor:
    one = torch.zeros_like(scores[..., :1, :])
    return torch.cat([one, scores[..., :-1, :]], dim=-2).logcumsumexp(dim=-2)


def _clipped(lowest: float, highest: float) -> Past:
    return lambda scores: ratio(quotients(scores.clamp(lowest, highest)))


MISTAKES = (
    Mistake(
        "past-forgotten",
        lambda scores: scores.softmax(dim=-1),
        (lambda scores: ratio(scores.exp()),),
    ),
    Mistake(
        "own-step-in-the-sum",
        subtracting(_own_step_later),
        (*ways(_own_step), ways(_own_step_later)[1]),
    ),
    Mistake(
        "only-the-step-before",
        subtracting(shifted),
        (ways(shifted)[1],),
        case=THREE_STEPS,
    ),
    Mistake(
        "all-steps-in-the-sum",
        subtracting(_all_steps_later),
        (*ways(_all_steps), ways(_all_steps_later)[1]),
    ),
    Mistake(
        "past-of-the-words-before",
        subtracting(_words_before),
        (
            subtracting(_words_up_to_this),
            subtracting(_words_of_the_step_before),
            subtracting(_words_before_later_steps),
            ways(_words_before)[1],
            ways(_words_up_to_this)[1],
            ways(_words_before_later_steps)[1],
        ),
    ),
    Mistake(
        "softmax-in-the-sum",
        subtracting(_softmaxed),
        (
            _own_weights,
            ways(_softmaxed)[1],
            lambda scores: ratio(scores.exp() / _softmaxed(scores).exp()),
            _own_weights_of_quotients,
            lambda scores: ratio(quotients(scores.log_softmax(-1))),
            lambda scores: ratio(scores.softmax(-1) / _softmaxed(scores).exp()),
        ),
    ),
    Mistake("first-step-even", subtracting(_even_first)),
    Mistake("quotients-in-the-sum", _own_quotients, case=THREE_STEPS),
    Mistake("scores-in-the-sum", subtracting(_raw_sum)),
    Mistake("logarithm-forgotten", subtracting(_sum_without_logarithm)),
    Mistake(
        "multiplied-by-the-past",
        subtracting(lambda scores: -right_past(scores)),
        (ways(lambda scores: -right_past(scores))[1],),
    ),
    Mistake(
        "each-step-shifted",
        lambda scores: temporal_weights(_by_step(scores)),
        (lambda scores: ratio(quotients(_by_step(scores))),),
    ),
    Mistake(
        "shifted-too-far",
        lambda scores: ratio(quotients(_by_word(scores))),
        (
            lambda scores: ratio(quotients(_by_sentence(scores))),
            lambda scores: ratio(quotients(_by_everything(scores))),
        ),
        case=RISING,
    ),
    Mistake(
        "overflow",
        lambda scores: ratio(quotients(scores)),
        (
            lambda scores: ratio(quotients(scores)).nan_to_num(),
            lambda scores: ratio(quotients(scores), 1e-9),
            lambda scores: ratio(quotients(scores, 1e-9)),
            lambda scores: quotients(scores).log().softmax(-1),
            lambda scores: ratio(quotients(scores.double())).to(scores.dtype),
        ),
        case=LARGE,
    ),
    Mistake(
        "scores-clipped",
        _clipped(-80, 80),
        tuple(_clipped(-limit, limit) for limit in (10, 20, 30, 50, 60, 70, 85, 88)),
    ),
    Mistake("one-in-the-sum", subtracting(_with_one), (ways(_with_one)[1],)),
    Mistake(
        "softmax-of-the-quotients",
        lambda scores: quotients(scores).softmax(-1),
        (lambda scores: (scores - right_past(scores)).exp().softmax(-1),),
    ),
    Mistake(
        "not-normalised",
        lambda scores: (scores - right_past(scores)).exp(),
        (
            quotients,
            lambda scores: scores - right_past(scores),
            lambda scores: scores.softmax(-1) / right_past(scores).exp(),
        ),
    ),
    Mistake(
        "softmax-over-steps",
        lambda scores: (scores - right_past(scores)).softmax(-2),
        (
            lambda scores: quotients(scores) / quotients(scores).sum(-2, keepdim=True),
            lambda scores: (scores - right_past(scores)).softmax(0),
        ),
    ),
)


# ---- Cases


def _hand(scores: list[list[list[float]]]) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"scores": torch.tensor(scores)}


def _random(
    *shape: int, dtype: torch.dtype = torch.float32, added: float = 0.0
) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        return {"scores": 2 * torch.randn(shape, generator=generator, dtype=dtype) + added}

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    scores = torch.tensor([[[0.0, 1.0], [2.0, 1.0], [1.0, -1.0]]], requires_grad=True)
    return {"scores": scores}


A, B = log(2), log(3)

CASES = (
    Case(_("two steps, scores 0, log 2 and log 3"), _hand([[[0.0, A, B], [A, A, B]]])),
    Case(THREE_STEPS, _hand([[[3.0, 1.0, 0.0], [3.0, 2.0, 0.0], [3.0, 2.0, 1.0]]])),
    Case(_("a batch"), _random(2, 5, 7), seed=1),
    Case(_("as many sentences, steps and words"), _random(3, 3, 3), seed=2),
    Case(_("one step"), _random(2, 1, 5), seed=3),
    Case(_("one source word"), _random(2, 3, 1), seed=4),
    Case(_("float64"), _random(3, 2, 5, dtype=torch.float64), seed=5),
    Case(LARGE, _hand([[[200.0, 199.0], [201.0, 199.0], [199.0, 200.0]]])),
    Case(_("scores beyond the range of float64"), _hand([[[1000.0, 999.0], [1001.0, 999.0]]])),
    Case(_("scores far below zero"), _hand([[[-200.0, -199.0], [-201.0, -199.0]]])),
    Case(RISING, _hand([[[0.0, 0.0, -1.0], [150.0, 148.0, 149.0], [149.0, 150.0, 149.0]]])),
    Case(_("a gradient for the scores"), _with_gradient),
)

ANSWERS = Answers(
    solution=temporal_weights,
    alternatives=(with_a_running_sum, with_loops, with_a_mask),
    mistakes=MISTAKES,
    cases=CASES,
)
