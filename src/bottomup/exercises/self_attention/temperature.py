"""Exercise: the softmax at a temperature."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


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


# ---- Mistakes

TINY = _("the smallest temperature")
CLOSE = _("the smallest temperature, logits close together")
FAR_APART = _("logits far apart at a high temperature")


def _ratio(values: Tensor) -> Tensor:
    return values / values.sum(-1, keepdim=True)


def _from_scaled(
    scale: Callable[[Tensor, float], Tensor], axis: int = -1
) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """Two ways to go on after wrong exponents: a softmax, and a quotient that may overflow."""
    return (
        lambda logits, temperature: scale(logits, temperature).softmax(axis),
        lambda logits, temperature: _ratio(scale(logits, temperature).exp()),
    )


MULTIPLIED = _from_scaled(lambda logits, temperature: logits * temperature)
ROOT = _from_scaled(lambda logits, temperature: logits / temperature**0.5)
SQUARE = _from_scaled(lambda logits, temperature: logits / temperature**2)
SIGN = _from_scaled(lambda logits, temperature: -logits / temperature)
SOFTMAX_FIRST = _from_scaled(lambda logits, temperature: logits.softmax(-1) / temperature)


def _over_axis(axis: int) -> tuple[Callable[..., Tensor], ...]:
    return (
        lambda logits, temperature: (logits / temperature).softmax(axis),
        lambda logits, temperature: (logits / temperature).softmax(axis).nan_to_num(),
    )


def _one_sum(logits: Tensor, temperature: float) -> Tensor:
    exponentials = (logits / temperature).exp()
    return exponentials / exponentials.sum()


def _one_sum_shifted(logits: Tensor, temperature: float) -> Tensor:
    scaled = logits / temperature
    exponentials = (scaled - scaled.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum()


def _over_everything(logits: Tensor, temperature: float) -> Tensor:
    return (logits / temperature).flatten().softmax(0).reshape(logits.shape)


def _shifted_by_one_number(logits: Tensor, temperature: float, floor: float = 0.0) -> Tensor:
    exponentials = ((logits - logits.max()) / temperature).exp()
    return exponentials / (exponentials.sum(-1, keepdim=True) + floor)


def _unshifted(logits: Tensor, temperature: float) -> Tensor:
    return _ratio((logits / temperature).exp())


def _raised(by: float) -> Callable[..., Tensor]:
    return lambda logits, temperature: (logits / (temperature + by)).softmax(-1)


MISTAKES = (
    Mistake(
        "multiplied",
        MULTIPLIED[0],
        (
            MULTIPLIED[1],
            lambda logits, temperature: _ratio(logits.softmax(-1) ** temperature),
        ),
    ),
    Mistake("softmax-before-temperature", SOFTMAX_FIRST[0], (SOFTMAX_FIRST[1],)),
    Mistake(
        "divided-after-softmax",
        lambda logits, temperature: logits.softmax(-1) / temperature,
        (lambda logits, temperature: logits.softmax(-1) * temperature,),
    ),
    Mistake(
        "temperature-without-effect",
        lambda logits, temperature: logits.softmax(-1),
        (lambda logits, temperature: _ratio(logits.exp() / temperature),),
    ),
    Mistake("root-of-the-temperature", ROOT[0], (ROOT[1],)),
    Mistake("square-of-the-temperature", SQUARE[0], (SQUARE[1],)),
    Mistake(
        "added-to-the-temperature",
        _raised(1e-3),
        tuple(map(_raised, (1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9))),
        case=CLOSE,
    ),
    Mistake(
        "sign",
        SIGN[0],
        (
            SIGN[1],
            lambda logits, temperature: _ratio(logits.softmax(-1) ** (-1 / temperature)),
        ),
    ),
    Mistake(
        "not-normalised",
        lambda logits, temperature: (logits / temperature).exp(),
        (
            lambda logits, temperature: logits.softmax(-1) ** (1 / temperature),
            lambda logits, temperature: (
                (logits / temperature).exp() / logits.exp().sum(-1, keepdim=True)
            ),
        ),
    ),
    Mistake(
        "overflow",
        _unshifted,
        (
            lambda logits, temperature: _unshifted(logits, temperature).nan_to_num(),
            lambda logits, temperature: (
                (logits / temperature).exp()
                / ((logits / temperature).exp().sum(-1, keepdim=True) + 1e-9)
            ),
        ),
        case=TINY,
    ),
    Mistake(
        "powers-of-rounded-probabilities",
        lambda logits, temperature: _ratio(logits.softmax(-1) ** (1 / temperature)),
        (
            lambda logits, temperature: (logits.softmax(-1).log() / temperature).softmax(-1),
            lambda logits, temperature: ((logits.softmax(-1) + 1e-9).log() / temperature).softmax(
                -1
            ),
            lambda logits, temperature: _ratio(logits.exp() ** (1 / temperature)),
        ),
        case=FAR_APART,
    ),
    Mistake("first-axis", _over_axis(0)[0], (*_over_axis(0)[1:], *_over_axis(-2), *_over_axis(1))),
    Mistake("one-sum-for-all-rows", _over_everything, (_one_sum, _one_sum_shifted)),
    Mistake(
        "one-largest-for-all-rows",
        _shifted_by_one_number,
        (
            lambda logits, temperature: _shifted_by_one_number(logits, temperature).nan_to_num(),
            lambda logits, temperature: _shifted_by_one_number(logits, temperature, 1e-9),
        ),
        case=TINY,
    ),
    Mistake(
        "logarithm",
        lambda logits, temperature: (logits / temperature).log_softmax(-1),
        (lambda logits, temperature: (logits / temperature).softmax(-1).log(),),
    ),
)


# ---- Cases


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

ANSWERS = Answers(
    solution=softmax_with_temperature,
    alternatives=(with_torch, with_logsumexp, with_powers, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
