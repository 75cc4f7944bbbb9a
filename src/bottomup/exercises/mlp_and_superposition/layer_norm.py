"""Exercise: layer normalisation by hand (Ba, Kiros and Hinton, 2016)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


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


# ---- One step in another way: what the mistakes are made of

EPSILON = 1e-5
Answer = Callable[[Tensor, Tensor, Tensor], Tensor]
Step = Callable[[Tensor], Tensor]  # [batch, position, d_model] -> something that broadcasts to it
Finish = Callable[[Tensor, Tensor, Tensor], Tensor]
Axes = int | tuple[int, ...]


def mean_over(axes: Axes = -1) -> Step:
    return lambda x: x.mean(axes, keepdim=True)


def variance_over(axes: Axes = -1, correction: int = 0) -> Step:
    return lambda x: x.var(axes, correction=correction, keepdim=True)


def root_of(variance: Step, epsilon: float = EPSILON) -> Step:
    return lambda x: (variance(x) + epsilon).sqrt()


def scaled_and_shifted(normalised: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return gain * normalised + bias


mean = mean_over()
variance = variance_over()
unbiased = variance_over(correction=1)
root = root_of(variance)


def with_step(
    *, mean: Step = mean, divisor: Step = root, finish: Finish = scaled_and_shifted
) -> Answer:
    """Right but for the steps given."""

    def wrong(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        return finish((x - mean(x)) / divisor(x), gain, bias)

    return wrong


def over(axes: Axes) -> Answer:
    """Mean and variance over other axes."""
    return with_step(mean=mean_over(axes), divisor=root_of(variance_over(axes)))


def unbiased_over(axes: Axes) -> tuple[Answer, ...]:
    """The same with the variance that torch gives unasked, epsilon inside the root or outside."""
    spread = variance_over(axes, 1)
    return (
        with_step(mean=mean_over(axes), divisor=root_of(spread)),
        with_step(mean=mean_over(axes), divisor=lambda x: spread(x).sqrt() + EPSILON),
    )


def given_first(change: Finish, finish: Finish) -> Answer:
    """Gain, bias or both act on x, before it is normalised."""

    def wrong(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        changed = change(x, gain, bias)
        return finish((changed - mean(changed)) / root(changed), gain, bias)

    return wrong


# ---- Mistakes: variance, root and epsilon

CONSTANT = _("a vector of four equal numbers")
SMALL = _("numbers from a millionth to a hundredth")
OFFSET = _("a large number plus or minus one")


def _outside(spread: Step, epsilon: float = EPSILON) -> Step:
    return lambda x: spread(x).sqrt() + epsilon


def _length(x: Tensor) -> Tensor:
    return (x - mean(x)).norm(dim=-1, keepdim=True)


def _absolute_deviation(x: Tensor) -> Tensor:
    return (x - mean(x)).abs().mean(dim=-1, keepdim=True)


def _normalised_by_torch(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return scaled_and_shifted(F.normalize(x, dim=-1), gain, bias)


def _as_a_difference(x: Tensor) -> Tensor:
    return mean(x.square()) - mean(x).square()


DIVISORS = (
    Mistake(
        "unbiased-variance",
        with_step(divisor=root_of(unbiased)),
        (with_step(divisor=root_of(unbiased, 0.0)),),
    ),
    Mistake(
        "std-plus-epsilon",
        with_step(divisor=_outside(unbiased)),
        tuple(with_step(divisor=_outside(unbiased, epsilon)) for epsilon in (1e-6, 1e-8, 1e-12)),
    ),
    Mistake(
        "epsilon-outside-the-root",
        with_step(divisor=_outside(variance)),
        tuple(with_step(divisor=_outside(variance, epsilon)) for epsilon in (1e-6, 1e-8, 1e-12)),
        case=SMALL,
    ),
    Mistake("epsilon-missing", with_step(divisor=lambda x: variance(x).sqrt()), case=CONSTANT),
    Mistake(
        "another-epsilon",
        with_step(divisor=root_of(variance, 1e-6)),
        tuple(
            with_step(divisor=root_of(variance, epsilon)) for epsilon in (1e-3, 1e-8, 1e-10, 1e-12)
        ),
        case=SMALL,
    ),
    Mistake(
        "epsilon-as-a-floor",
        with_step(divisor=lambda x: variance(x).clamp(min=EPSILON).sqrt()),
        (with_step(divisor=lambda x: variance(x).sqrt().clamp(min=EPSILON)),),
        case=SMALL,
    ),
    Mistake(
        "divided-by-the-variance",
        with_step(divisor=lambda x: variance(x) + EPSILON),
        (
            with_step(divisor=variance),
            with_step(divisor=lambda x: unbiased(x) + EPSILON),
            with_step(divisor=unbiased),
        ),
    ),
    Mistake(
        "length-one",
        with_step(divisor=lambda x: (_length(x).square() + EPSILON).sqrt()),
        (
            with_step(divisor=_length),
            with_step(divisor=lambda x: _length(x) + EPSILON),
            with_step(divisor=lambda x: _length(x).clamp(min=1e-12)),
            _normalised_by_torch,
        ),
    ),
    Mistake(
        "mean-absolute-deviation",
        with_step(divisor=lambda x: _absolute_deviation(x) + EPSILON),
        (
            with_step(divisor=_absolute_deviation),
            with_step(divisor=lambda x: (_absolute_deviation(x) + EPSILON).sqrt()),
        ),
        case=CONSTANT,
    ),
    Mistake(
        "variance-as-a-difference",
        with_step(divisor=root_of(_as_a_difference)),
        (with_step(divisor=lambda x: (_as_a_difference(x).clamp(min=0) + EPSILON).sqrt()),),
        case=OFFSET,
    ),
)


# ---- Mistakes: the axis, the mean, gain and bias, and what autograd sees

BATCH = _("two sequences of two positions, two numbers each")
GRADIENT = _("gradients for x, gain and bias")
SEQUENCE, EVERYTHING = (1, 2), (0, 1, 2)

DIVISORS_KEPT: tuple[Step, ...] = (
    root,
    root_of(unbiased),
    lambda x: variance(x).sqrt() + EPSILON,
    lambda x: unbiased(x).sqrt() + EPSILON,
)


def _flat(step: Step) -> Step:
    """The same without the last axis."""
    return lambda x: step(x).squeeze(-1)


def _around_the_flat_mean(keep: bool) -> Answer:
    """The deviations that the variance is made of are wrong as well."""

    def wrong(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        centred = x - x.mean(-1)
        spread = centred.square().mean(-1, keepdim=keep)
        return scaled_and_shifted(centred / (spread + EPSILON).sqrt(), gain, bias)

    return wrong


AXES = (
    Mistake("over-the-positions", over(1), unbiased_over(1)),
    Mistake(
        "over-the-batch",
        over(0),
        (*unbiased_over(0), over((0, 1)), *unbiased_over((0, 1))),
        case=BATCH,
    ),
    Mistake(
        "one-mean-for-all-positions",
        over(SEQUENCE),
        (
            *unbiased_over(SEQUENCE),
            over(EVERYTHING),
            *unbiased_over(EVERYTHING),
            with_step(mean=mean_over(EVERYTHING)),
            with_step(divisor=root_of(variance_over(EVERYTHING))),
            with_step(divisor=root_of(variance_over(EVERYTHING, 1))),
        ),
    ),
    Mistake(
        "keepdim-forgotten",
        with_step(mean=_flat(mean), divisor=_flat(root)),
        (
            *(with_step(mean=_flat(mean), divisor=divisor) for divisor in DIVISORS_KEPT),
            *(with_step(divisor=_flat(divisor)) for divisor in DIVISORS_KEPT),
            *(with_step(mean=_flat(mean), divisor=_flat(divisor)) for divisor in DIVISORS_KEPT[1:]),
            _around_the_flat_mean(keep=True),
            _around_the_flat_mean(keep=False),
        ),
        case=BATCH,
    ),
)

CENTRE = (
    Mistake("mean-not-subtracted", with_step(mean=lambda x: x * 0)),
    Mistake(
        "root-mean-square",
        with_step(
            mean=lambda x: x * 0,
            divisor=lambda x: (x.square().mean(-1, keepdim=True) + EPSILON).sqrt(),
        ),
        (
            with_step(
                mean=lambda x: x * 0,
                divisor=lambda x: x.square().mean(-1, keepdim=True).sqrt() + EPSILON,
            ),
        ),
        case=CONSTANT,
    ),
)


def _gain_times_x_alone(divisor: Step) -> Answer:
    def wrong(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        return (gain * x - mean(x)) / divisor(x) + bias

    return wrong


def _only_the_mean_normalised(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return x - mean(x) / root(x) * gain + bias


def _only_the_mean_divided(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return gain * x - mean(x) / root(x) + bias


PARAMETERS = (
    Mistake(
        "parentheses-missing",
        _gain_times_x_alone(root),
        (
            _gain_times_x_alone(root_of(unbiased)),
            _only_the_mean_normalised,
            _only_the_mean_divided,
        ),
    ),
    Mistake("gain-missing", with_step(finish=lambda normalised, gain, bias: normalised + bias)),
    Mistake(
        "one-added-to-gain",
        with_step(finish=lambda normalised, gain, bias: (1 + gain) * normalised + bias),
    ),
    Mistake("bias-missing", with_step(finish=lambda normalised, gain, bias: gain * normalised)),
    Mistake("gain-and-bias-missing", with_step(finish=lambda normalised, gain, bias: normalised)),
    Mistake(
        "gain-before-normalising",
        given_first(
            lambda x, gain, bias: gain * x + bias, lambda normalised, gain, bias: normalised
        ),
        (
            given_first(
                lambda x, gain, bias: gain * x, lambda normalised, gain, bias: normalised + bias
            ),
            given_first(
                lambda x, gain, bias: x + bias, lambda normalised, gain, bias: gain * normalised
            ),
        ),
    ),
    Mistake(
        "bias-scaled", with_step(finish=lambda normalised, gain, bias: gain * (normalised + bias))
    ),
    Mistake(
        "gain-and-bias-exchanged",
        with_step(finish=lambda normalised, gain, bias: bias * normalised + gain),
    ),
)

GRADIENTS = (
    Mistake(
        "statistics-detached",
        with_step(mean=lambda x: mean(x).detach(), divisor=lambda x: root(x).detach()),
        (
            with_step(mean=lambda x: mean(x).detach()),
            with_step(divisor=lambda x: root(x).detach()),
        ),
        case=GRADIENT,
    ),
)

MISTAKES = (*AXES, *DIVISORS, *CENTRE, *PARAMETERS, *GRADIENTS)


# ---- Cases

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

ANSWERS = Answers(
    solution=layer_norm,
    alternatives=(with_torch, with_loops, with_var_mean, with_einsum),
    mistakes=MISTAKES,
    cases=CASES,
)
