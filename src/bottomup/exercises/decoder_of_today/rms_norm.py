"""Exercise: root-mean-square normalisation (Zhang and Sennrich, 2019)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def rms_norm(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    square = x.square().mean(dim=-1, keepdim=True)
    return gain * x / torch.sqrt(square + 1e-5)


def with_torch(x: Tensor, gain: Tensor) -> Tensor:
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), gain, 1e-5)


def with_einsum(x: Tensor, gain: Tensor) -> Tensor:
    square = torch.einsum("bpc,bpc->bp", x, x) / x.shape[-1]
    return torch.einsum("bpc,bp,c->bpc", x, (square + EPSILON).rsqrt(), gain)


def with_loops(x: Tensor, gain: Tensor) -> Tensor:
    rows = []
    for vector in x.flatten(0, 1):
        square = sum(number**2 for number in vector) / len(vector)
        rows.append(vector * gain / (square + EPSILON) ** 0.5)
    return torch.stack(rows).reshape(x.shape)


# ---- One step in another way: what the mistakes are made of

EPSILON = 1e-5
Answer = Callable[[Tensor, Tensor], Tensor]
Divisor = Callable[[Tensor], Tensor]


def mean_square(x: Tensor) -> Tensor:
    return x.square().mean(dim=-1, keepdim=True)


def root(x: Tensor) -> Tensor:
    return (mean_square(x) + EPSILON).sqrt()


def centred(x: Tensor) -> Tensor:
    return x - x.mean(dim=-1, keepdim=True)


def divided_by(divisor: Divisor) -> Answer:
    return lambda x, gain: gain * x / divisor(x)


def rooted(square: Divisor, epsilon: float = EPSILON) -> Answer:
    return divided_by(lambda x: (square(x) + epsilon).sqrt())


def over(axes: int | tuple[int, ...]) -> Answer:
    return rooted(lambda x: x.square().mean(dim=axes, keepdim=True))


def _layer_norm(x: Tensor, gain: Tensor) -> Tensor:
    return rms_norm(centred(x), gain)


def _centred_above(x: Tensor, gain: Tensor) -> Tensor:
    return gain * centred(x) / root(x)


def _unbiased(x: Tensor) -> Tensor:
    return x.var(dim=-1, keepdim=True)


def _gain_first(x: Tensor, gain: Tensor) -> Tensor:
    return gain * x / root(gain * x)


def _length(x: Tensor) -> Tensor:
    return x.norm(dim=-1, keepdim=True)


CONSTANT, ZEROS = _("a vector of three equal numbers"), _("a vector of zeros among others")
SMALL = _("numbers of a thousandth")

MISTAKES = (
    Mistake(
        "mean-subtracted",
        _layer_norm,
        (
            _centred_above,
            rooted(lambda x: mean_square(centred(x))),
            rooted(_unbiased),
            lambda x, gain: gain * centred(x) / (_unbiased(x) + EPSILON).sqrt(),
        ),
        case=CONSTANT,
    ),
    Mistake(
        "sum-for-mean",
        rooted(lambda x: x.square().sum(dim=-1, keepdim=True)),
        (
            divided_by(lambda x: _length(x) + EPSILON),
            divided_by(lambda x: _length(x).clamp(min=1e-12)),
        ),
    ),
    Mistake(
        "epsilon-outside-the-root",
        divided_by(lambda x: mean_square(x).sqrt() + EPSILON),
        case=SMALL,
    ),
    Mistake(
        "epsilon-missing",
        divided_by(lambda x: mean_square(x).sqrt()),
        (
            *(rooted(mean_square, epsilon) for epsilon in (1e-6, 1e-8, 1e-12)),
            divided_by(lambda x: mean_square(x).sqrt().clamp(min=1e-12)),
            divided_by(_length),
        ),
        case=SMALL,
    ),
    Mistake(
        "root-missing", divided_by(lambda x: mean_square(x) + EPSILON), (divided_by(mean_square),)
    ),
    Mistake(
        "gain-missing",
        lambda x, gain: x / root(x),
        (lambda x, gain: (1 + gain) * x / root(x),),
    ),
    Mistake("over-another-axis", over(1), (over(0), over((0, 1)), over((1, 2)), over((0, 1, 2)))),
    Mistake("gain-before-the-norm", _gain_first),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _given(rows: list[list[list[float]]], gain: list[float]) -> Make:
    return lambda generator: {
        "x": torch.tensor(rows, dtype=torch.float64),
        "gain": torch.tensor(gain, dtype=torch.float64),
    }


def _random(
    batch: int, n: int, d_model: int, *, size: float = 1.0, shift: float = 0.0
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        x = torch.randn(batch, n, d_model, generator=generator, dtype=torch.float64)
        gain = torch.randn(d_model, generator=generator, dtype=torch.float64)
        return {"x": shift + size * x, "gain": gain}

    return make


CASES = (
    Case(_("two vectors of three numbers"), _given([[[1, 2, 2], [0, 3, -6]]], [1, 10, -1])),
    Case(CONSTANT, _given([[[3, 3, 3], [1, 2, 4]]], [1, 1, 2])),
    Case(_("two sequences of five positions"), _random(2, 5, 7), seed=1),
    Case(_("vectors far from a mean of zero"), _random(3, 2, 11, shift=5.0), seed=2),
    Case(SMALL, _random(2, 3, 5, size=1e-3), seed=3),
    Case(ZEROS, _given([[[0, 0, 0, 0], [1, -2, 3, -4]]], [1, 2, 3, 4])),
    Case(_("as many positions as components"), _random(3, 3, 3), seed=4),
)

ANSWERS = Answers(
    solution=rms_norm,
    alternatives=(with_torch, with_einsum, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
