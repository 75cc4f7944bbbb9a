"""Exercise: the softmax at a temperature."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.self_attention.temperature_mistakes import (
    CLOSE,
    FAR_APART,
    MISCONCEPTIONS,
    TINY,
)
from bottomup.i18n import _

STUB = '''\
def softmax_with_temperature(logits, temperature):
    """Probabilities proportional to e to the (logit / temperature).

    logits [..., vocabulary], floating point; a logit may be -inf, though
    never all of a row. temperature: a number from 1e-6 to 1e6.
    Returns probabilities of the same shape and dtype; each row sums to 1.
    """
    ...
'''


def softmax_with_temperature(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    scaled = logits / temperature
    shifted = scaled - scaled.amax(dim=-1, keepdim=True)  # for small temperatures
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def with_torch(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits / temperature, dim=-1)


def with_logsumexp(logits: Tensor, temperature: float) -> Tensor:
    scaled = logits * (1 / temperature)
    return torch.exp(scaled - torch.logsumexp(scaled, dim=-1, keepdim=True))


def with_powers(logits: Tensor, temperature: float) -> Tensor:
    powers = torch.log_softmax(logits, dim=-1) / temperature  # logarithm of p to the power 1 / T
    return torch.softmax(powers, dim=-1)


def with_loops(logits: Tensor, temperature: float) -> Tensor:
    rows = [row / temperature for row in logits.reshape(-1, logits.shape[-1])]
    exponentials = [torch.exp(row - max(row)) for row in rows]
    return torch.stack([row / sum(row) for row in exponentials]).reshape(logits.shape)


def _hand(
    logits: list[float] | list[list[float]],
    temperature: float,
    dtype: torch.dtype = torch.float32,
) -> Callable[..., Inputs]:
    return lambda generator: {
        "logits": torch.tensor(logits, dtype=dtype),
        "temperature": temperature,
    }


def _random(
    *shape: int, temperature: float, double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        logits = 2 * torch.randn(shape, generator=generator, dtype=dtype)
        return {"logits": logits, "temperature": temperature}

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    logits = torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], requires_grad=True)
    return {"logits": logits, "temperature": 0.5}


CASES = (
    Case(_("two tokens, log 4 apart, at T = 2"), _hand([0.0, log(4)], 2)),
    Case(_("two tokens, log 2 apart, at T = 0.5"), _hand([log(2), 0.0], 0.5)),
    Case(_("temperature one"), _hand([[0.0, 0.0, log(2)], [log(3), 0.0, -inf]], 1.0)),
    Case(_("a token that cannot be"), _hand([0.0, -inf, log(9)], 2.0)),
    Case(_("a batch"), _random(3, 5, temperature=0.7), seed=1),
    Case(_("as many rows as tokens"), _random(3, 3, temperature=1.7), seed=2),
    Case(_("two leading axes"), _random(2, 3, 7, temperature=3.0), seed=3),
    Case(_("float64"), _random(5, 2, temperature=0.3, double=True), seed=4),
    Case(TINY, _hand([[1.0, 2.0, 1.0], [-3.0, -4.0, -5.0]], 1e-6)),
    # in float64, where no way to compute it loses the small differences
    Case(
        CLOSE,
        _hand([0.0, 1e-6 * log(2), 0.0], 1e-6, torch.float64),
    ),
    Case(_("the largest temperature"), _hand([[0.0, 1e6 * log(2), 1e6 * log(3)]], 1e6)),
    Case(FAR_APART, _hand([[0.0, -200.0, -300.0]], 100.0)),
    Case(_("a gradient for the logits"), _with_gradient),
)

TEMPERATURE = Exercise(
    slug="temperature",
    title=_("A softmax with a temperature"),
    chapter="02",
    difficulty=1,
    minutes=6,
    stub=STUB,
    hints=(
        _("What do the odds between two tokens become when every logit is halved?"),
        _(
            "The temperature acts inside the exponential: divide the logits by it, before anything "
            "is normalised."
        ),
        _("One line: a softmax over dim=-1 of the logits divided by the temperature."),
    ),
    solution=softmax_with_temperature,
    alternatives=(with_torch, with_logsumexp, with_powers, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
