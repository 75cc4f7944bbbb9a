"""Exercise: layer normalisation by hand (Ba, Kiros and Hinton, 2016)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.mlp_and_superposition.layer_norm_mistakes import (
    BATCH,
    CONSTANT,
    EPSILON,
    GRADIENT,
    MISCONCEPTIONS,
    OFFSET,
    SMALL,
)
from bottomup.i18n import _

STUB = '''\
def layer_norm(x, gain, bias):
    """Normalise the vector of every position, then scale and shift it.

    y = gain (x - mean) / sqrt(variance + 1e-5) + bias. Mean and variance
    are those of one vector, over its d_model numbers; the variance is the
    mean of the squared deviations, so it divides by d_model.
    x [batch, position, d_model], gain and bias [d_model]: one number for
    each component. Returns the shape of x. A gradient must flow back.
    """
    ...
'''


def layer_norm(x: torch.Tensor, gain: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)
    return gain * (x - mean) / torch.sqrt(variance + 1e-5) + bias


def with_torch(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), gain, bias)


def with_loops(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    rows = []
    for vector in x.flatten(0, 1):
        mean = sum(vector) / len(vector)
        variance = sum((number - mean) ** 2 for number in vector) / len(vector)
        rows.append((vector - mean) / (variance + EPSILON) ** 0.5 * gain + bias)
    return torch.stack(rows).reshape(x.shape)


def with_var_mean(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    variance, mean = torch.var_mean(x, dim=2, correction=0)
    normalised = (x - mean[..., None]) * (variance[..., None] + EPSILON).rsqrt()
    return torch.addcmul(bias, normalised, gain)


def with_einsum(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    d_model = x.shape[-1]
    centre = torch.eye(d_model, dtype=x.dtype) - 1 / d_model  # takes the mean away
    centred = torch.einsum("bpd,cd->bpc", x, centre)
    variance = torch.einsum("bpd,bpd->bp", centred, centred) / d_model
    return torch.einsum("bpd,bp,d->bpd", centred, (variance + EPSILON) ** -0.5, gain) + bias


Make = Callable[[torch.Generator], Inputs]

FAR = 99_999_992.0


def _given(
    x: list[list[list[float]]], gain: list[float], bias: list[float],
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    return lambda generator: {
        "x": torch.tensor(x, dtype=dtype),
        "gain": torch.tensor(gain, dtype=dtype),
        "bias": torch.tensor(bias, dtype=dtype),
    }


def _random(
    *shape: int, spread: float = 2.0, mean: float = 1.0, dtype: torch.dtype = torch.float32
) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        def draw(*sizes: int) -> Tensor:
            return torch.randn(sizes, generator=generator, dtype=dtype)

        return {
            "x": mean + spread * draw(*shape),
            "gain": 1 + 0.5 * draw(shape[-1]),
            "bias": draw(shape[-1]),
        }

    return make


def _small(generator: torch.Generator) -> Inputs:
    inputs = _random(2, 5, 3, spread=1.0, mean=0.0)(generator)
    return {**inputs, "x": inputs["x"] * torch.logspace(-6, -2, 5)[:, None]}


def _with_gradients(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 2, 3, dtype=torch.float64)(generator)
    return {name: tensor.requires_grad_() for name, tensor in inputs.items()}


CASES = (
    Case(
        _("two positions of four numbers"),
        _given([[[1, 3, 1, 3], [0, 0, 4, 4]]], [1.0, 2.0, 1.0, 1.0], [0.0, 0.0, 10.0, 0.0]),
    ),
    Case(BATCH, _given([[[1, 3], [4, 0]], [[5, 7], [9, 1]]], [1.0, 3.0], [0.0, 5.0])),
    Case(
        CONSTANT,
        _given([[[3, 3, 3, 3], [1, 2, 3, 6]]], [1.0, 1.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]),
    ),
    Case(_("a batch"), _random(2, 3, 5), seed=1),
    Case(_("as many positions as numbers, in one sequence"), _random(1, 5, 5), seed=2),
    Case(SMALL, _small, seed=3),
    # the squares need a bit more than float64 has: their mean is the square of the mean
    Case(
        OFFSET,
        _given(
            [[[FAR - 1, FAR + 1, FAR - 1, FAR + 1], [FAR + 1, FAR + 1, FAR - 1, FAR - 1]]],
            [1.0, 2.0, 1.0, 3.0],
            [0.0, 0.0, 4.0, 0.0],
            torch.float64,
        ),
    ),
    Case(_("one position in each sequence"), _random(3, 1, 7), seed=4),
    Case(_("one number in each vector"), _random(2, 3, 1), seed=5),
    Case(_("float64"), _random(3, 2, 11, dtype=torch.float64), seed=6),
    Case(GRADIENT, _with_gradients, seed=7),
)

LAYER_NORM = Exercise(
    slug="layer-norm",
    title=_("Layer normalisation by hand"),
    chapter="04",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Take one vector, 1 3 1 3. What are its mean and its variance, and what is left of it "
            "with mean 0 and variance 1? No other vector takes part in that."
        ),
        _(
            "Every position needs its own mean: `x.mean(dim=-1)` has the shape [batch, position]. "
            "What must its shape be so that x minus the mean takes each from its own vector?"
        ),
        _(
            "`torch.var` and `torch.std` divide by d_model - 1 unless you say `correction=0`. Or "
            "take the mean of the squared deviations yourself."
        ),
        _(
            "Add 1e-5 to the variance, then take the root, then divide. gain multiplies what comes "
            "out, component by component, and bias is added last."
        ),
    ),
    solution=layer_norm,
    alternatives=(with_torch, with_loops, with_var_mean, with_einsum),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
