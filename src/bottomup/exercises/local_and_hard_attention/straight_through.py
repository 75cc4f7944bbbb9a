"""Exercise: Gumbel straight-through (Jang, Gu and Poole, 2017, sections 2.1 and 2.2)."""

from collections.abc import Callable
from math import exp

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def straight_through(scores: torch.Tensor, u: torch.Tensor, temperature: float) -> torch.Tensor:
    noisy = scores - torch.log(-torch.log(u))
    soft = torch.softmax(noisy / temperature, dim=-1)
    index = noisy.argmax(dim=-1, keepdim=True)
    hard = torch.zeros_like(soft).scatter(-1, index, 1.0)
    return hard + soft - soft.detach()


def with_one_hot(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
    g = -(-u.log()).log()
    soft = F.softmax((scores + g) / temperature, -1)
    hard = F.one_hot(soft.argmax(-1), scores.shape[-1]).to(scores)
    return (hard - soft).detach() + soft


def with_log_probabilities(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
    noisy = scores.log_softmax(-1) - torch.log(-torch.log(u))
    shifted = (noisy - noisy.amax(-1, keepdim=True)) / temperature
    soft = shifted.exp() / shifted.exp().sum(-1, keepdim=True)
    with torch.no_grad():
        hard = (noisy == noisy.amax(-1, keepdim=True)).to(scores.dtype)
    return hard + (soft - soft.detach())


def with_a_loop(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
    rows = []
    for e, uniform in zip(
        scores.reshape(-1, scores.shape[-1]), u.reshape(-1, u.shape[-1]), strict=True
    ):
        noisy = e - (-uniform.log()).log()
        soft = (noisy / temperature).softmax(0)
        hard = torch.zeros_like(e)
        hard[int(noisy.argmax())] = 1
        rows.append(hard + soft - soft.data)
    return torch.stack(rows).reshape(scores.shape)


# ---- Mistakes

COLD = _("a temperature of 0.01")
Wrong = Callable[[Tensor, Tensor, float], Tensor]
Move = Callable[[Tensor], Tensor]


def _gumbel(u: Tensor) -> Tensor:
    return -torch.log(-torch.log(u))


def _hot(numbers: Tensor, dim: int = -1) -> Tensor:
    index = numbers.argmax(dim, keepdim=True)
    return torch.zeros_like(numbers).scatter(dim, index, 1.0)


def _through(hard: Tensor, soft: Tensor) -> Tensor:
    return hard.detach() + soft - soft.detach()


def _with_noisy(noisy: Callable[[Tensor, Tensor, float], Tensor], divided: bool = True) -> Wrong:
    """A wrong answer that adds other noise, or adds it to something else."""

    def wrong(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
        numbers = noisy(scores, u, temperature)
        soft = (numbers / temperature if divided else numbers).softmax(-1)
        return _through(_hot(numbers), soft)

    return wrong


def _with_soft(soft: Callable[[Tensor, Tensor, float], Tensor]) -> Wrong:
    """The right value with another gradient; `soft` is given e, e + g and the temperature."""

    def wrong(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
        noisy = scores + _gumbel(u)
        return _through(_hot(noisy), soft(scores, noisy, temperature))

    return wrong


def _with_both(join: Callable[[Tensor, Tensor], Tensor]) -> Wrong:
    """Both rows are right, and are joined in another way."""

    def wrong(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
        noisy = scores + _gumbel(u)
        return join(_hot(noisy).detach(), (noisy / temperature).softmax(-1))

    return wrong


def _other_axes(of_draw: int, of_softmax: int) -> Wrong:
    def wrong(scores: Tensor, u: Tensor, temperature: float) -> Tensor:
        noisy = scores + _gumbel(u)
        return _through(_hot(noisy, of_draw), (noisy / temperature).softmax(of_softmax))

    return wrong


def _without_shift(scores: Tensor, noisy: Tensor, temperature: float) -> Tensor:
    exponentials = torch.exp(noisy / temperature)
    return exponentials / exponentials.sum(-1, keepdim=True)


MISTAKES = (
    Mistake("softmax-forwards", _with_both(lambda hard, soft: soft)),
    Mistake(
        "softmax-added",
        _with_both(lambda hard, soft: hard + soft),
        (_with_both(lambda hard, soft: hard.detach() + soft + soft.detach()),),
    ),
    Mistake(
        "no-noise",
        _with_noisy(lambda scores, u, temperature: scores),
        (
            lambda scores, u, temperature: _through(
                _hot(scores), ((scores + _gumbel(u)) / temperature).softmax(-1)
            ),
        ),
    ),
    Mistake("noise-subtracted", _with_noisy(lambda scores, u, temperature: scores - _gumbel(u))),
    Mistake(
        "one-logarithm",
        _with_noisy(lambda scores, u, temperature: scores - u.log()),
        (_with_noisy(lambda scores, u, temperature: scores + u.log()),),
    ),
    Mistake("uniform-noise", _with_noisy(lambda scores, u, temperature: scores + u)),
    Mistake(
        "noise-on-the-weights",
        _with_noisy(lambda scores, u, temperature: scores.softmax(-1) + _gumbel(u)),
        (
            _with_noisy(
                lambda scores, u, temperature: (scores / temperature).softmax(-1) + _gumbel(u)
            ),
        ),
    ),
    Mistake(
        "temperature-before-the-noise",
        _with_noisy(lambda scores, u, temperature: scores / temperature + _gumbel(u), False),
        (_with_noisy(lambda scores, u, temperature: scores / temperature + _gumbel(u)),),
    ),
    Mistake(
        "noise-undivided-backwards",
        _with_soft(
            lambda scores, noisy, temperature: (scores / temperature + noisy - scores).softmax(-1)
        ),
        (
            _with_soft(
                lambda scores, noisy, temperature: (
                    scores + (noisy - scores) / temperature
                ).softmax(-1)
            ),
        ),
    ),
    Mistake(
        "first-axis",
        _other_axes(0, 0),
        (_other_axes(0, -1), _other_axes(-1, 0), _other_axes(-2, -2)),
    ),
    Mistake(
        "temperature-missing", _with_soft(lambda scores, noisy, temperature: noisy.softmax(-1))
    ),
    Mistake(
        "temperature-multiplied",
        _with_soft(lambda scores, noisy, temperature: (noisy * temperature).softmax(-1)),
    ),
    Mistake(
        "noise-missing-backwards",
        _with_soft(lambda scores, noisy, temperature: (scores / temperature).softmax(-1)),
        (_with_soft(lambda scores, noisy, temperature: scores.softmax(-1)),),
    ),
    Mistake("gradient-reversed", _with_both(lambda hard, soft: hard - soft + soft.detach())),
    Mistake(
        "gradient-of-the-scores",
        _with_soft(lambda scores, noisy, temperature: noisy),
        (_with_soft(lambda scores, noisy, temperature: noisy / temperature),),
    ),
    Mistake(
        "one-hot-times-softmax",
        _with_both(lambda hard, soft: hard * soft),
        (
            _with_both(lambda hard, soft: hard * soft / soft.detach()),
            _with_both(lambda hard, soft: hard + hard * soft - (hard * soft).detach()),
        ),
    ),
    Mistake("overflow", _with_soft(_without_shift), case=COLD),
    Mistake(
        "positions-returned",
        lambda scores, u, temperature: (scores + _gumbel(u)).argmax(-1),
        (lambda scores, u, temperature: (scores + _gumbel(u)).argmax(-1, keepdim=True),),
    ),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    """The noise is 2, 0 and 0 in the first row, 0, 0 and 2 in the second."""
    zero, two = exp(-1), exp(-exp(-2))
    return {
        "scores": torch.tensor([[0.0, 1.0, -3.0], [0.0, 3.0, 0.5]]),
        "u": torch.tensor([[two, zero, zero], [zero, zero, two]]),
        "temperature": 1.0,
    }


def _random(
    *shape: int, temperature: float = 1.0, double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        return {
            "scores": torch.randn(shape, generator=generator, dtype=dtype),
            "u": 0.01 + 0.98 * torch.rand(shape, generator=generator, dtype=dtype),
            "temperature": temperature,
        }

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    inputs = _random(2, 3, temperature=0.5, double=True)(generator)
    return {**inputs, "scores": inputs["scores"].requires_grad_()}


CASES = (
    Case(_("two rows of three; the noise is 0 or 2"), _hand),
    Case(_("a temperature of 0.5"), _random(3, 5, temperature=0.5), seed=1),
    Case(_("as many rows as columns"), _random(3, 3, temperature=2.0), seed=2),
    Case(_("two leading axes"), _random(5, 7, 11, temperature=0.3), seed=3),
    Case(_("one row"), _random(7), seed=4),
    Case(COLD, _random(2, 5, temperature=0.01), seed=5),
    Case(_("float64"), _random(13, 2, temperature=3.0, double=True), seed=6),
    Case(_("a gradient for the scores"), _with_gradient, seed=7),
)

ANSWERS = Answers(
    solution=straight_through,
    alternatives=(with_one_hot, with_log_probabilities, with_a_loop),
    mistakes=MISTAKES,
    cases=CASES,
)
