"""Mistakes in layer normalisation: the axis, the mean, gain and bias, and what autograd sees."""

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.layer_norm_divisors import (
    CONSTANT,
    DIVISORS,
    OFFSET,
    SECTION,
    SMALL,
)
from bottomup.exercises.mlp_and_superposition.layer_norm_parts import (
    EPSILON,
    Answer,
    Step,
    given_first,
    mean,
    mean_over,
    over,
    root,
    root_of,
    scaled_and_shifted,
    unbiased,
    unbiased_over,
    variance,
    variance_over,
    with_step,
)
from bottomup.i18n import _

__all__ = [
    "BATCH", "CONSTANT", "EPSILON", "GRADIENT", "MISCONCEPTIONS", "OFFSET", "SMALL",
]  # fmt: skip

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
    Misconception(
        "over-the-positions",
        over(1),
        _(
            "Mean and variance run over the positions of a sequence, one pair for each component. "
            "Every position then depends on all others: a decoder sees the tokens that it is to "
            "predict, and padding changes the words. Each vector has a mean and a variance of its "
            "own: dim=-1."
        ),
        SECTION,
        unbiased_over(1),
    ),
    Misconception(
        "over-the-batch",
        over(0),
        _(
            "Mean and variance run over the batch. A sequence then gets other values in other "
            "company, and alone it loses everything: x minus its own mean is zero. That is batch "
            "normalisation, which keeps running averages for this reason. Use dim=-1."
        ),
        SECTION,
        (*unbiased_over(0), over((0, 1)), *unbiased_over((0, 1))),
        BATCH,
    ),
    Misconception(
        "one-mean-for-all-positions",
        over(SEQUENCE),
        _(
            "One mean or one variance serves all positions: the sum runs over more than the last "
            "axis, or over everything where no dim is given. A long vector at one position then "
            "makes all others small, and the result depends on the sequence's length. Each vector "
            "is normalised alone."
        ),
        SECTION,
        (
            *unbiased_over(SEQUENCE),
            over(EVERYTHING),
            *unbiased_over(EVERYTHING),
            with_step(mean=mean_over(EVERYTHING)),
            with_step(divisor=root_of(variance_over(EVERYTHING))),
            with_step(divisor=root_of(variance_over(EVERYTHING, 1))),
        ),
    ),
    Misconception(
        "keepdim-forgotten",
        with_step(mean=_flat(mean), divisor=_flat(root)),
        _(
            "A mean or a variance has the shape [batch, position], and axes are matched from the "
            "right: the positions land on the components. As a rule that raises an error; where "
            "the sizes agree, number c gets the mean or the variance of position c, in silence. "
            "Keep the axis in both: keepdim=True."
        ),
        SECTION,
        (
            *(with_step(mean=_flat(mean), divisor=divisor) for divisor in DIVISORS_KEPT),
            *(with_step(divisor=_flat(divisor)) for divisor in DIVISORS_KEPT),
            *(with_step(mean=_flat(mean), divisor=_flat(divisor)) for divisor in DIVISORS_KEPT[1:]),
            _around_the_flat_mean(keep=True),
            _around_the_flat_mean(keep=False),
        ),
        BATCH,
    ),
)

CENTRE = (
    Misconception(
        "mean-not-subtracted",
        with_step(mean=lambda x: x * 0),
        _(
            "The mean is not taken away: x itself is divided. A vector far from zero then stays "
            "far from zero, and its length depends on where it lies. The numerator is x - mean, "
            "the same difference that the variance is made of."
        ),
        SECTION,
    ),
    Misconception(
        "root-mean-square",
        with_step(
            mean=lambda x: x * 0,
            divisor=lambda x: (x.square().mean(-1, keepdim=True) + EPSILON).sqrt(),
        ),
        _(
            "This divides by the root of the mean square and takes no mean away. Many later models "
            "do so (RMSNorm), but it is another function: a constant vector keeps its sign here "
            "and vanishes in LayerNorm. Subtract the mean first, in both places."
        ),
        SECTION,
        (
            with_step(
                mean=lambda x: x * 0,
                divisor=lambda x: x.square().mean(-1, keepdim=True).sqrt() + EPSILON,
            ),
        ),
        CONSTANT,
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
    Misconception(
        "parentheses-missing",
        _gain_times_x_alone(root),
        _(
            "Parentheses are missing around x - mean. A product comes before a difference, so gain "
            "multiplies x alone, and what is divided no longer has the mean 0. Where gain is 1 "
            "nothing shows. Write gain * (x - mean), all of it divided by the root."
        ),
        SECTION,
        (
            _gain_times_x_alone(root_of(unbiased)),
            _only_the_mean_normalised,
            _only_the_mean_divided,
        ),
    ),
    Misconception(
        "gain-missing",
        with_step(finish=lambda normalised, gain, bias: normalised + bias),
        _(
            "gain is not used. At the start of training it is all ones, and nothing shows; a "
            "trained model has learned which components matter to the next sublayer, and loses "
            "that. Multiply by gain, component by component."
        ),
        SECTION,
    ),
    Misconception(
        "one-added-to-gain",
        with_step(finish=lambda normalised, gain, bias: (1 + gain) * normalised + bias),
        _(
            "The normalised vector is multiplied by 1 + gain. Models that do so store the gain's "
            "distance from 1 and start it at zero; with a gain that starts at 1 every vector comes "
            "out twice as long. Multiply by gain as it is."
        ),
        SECTION,
    ),
    Misconception(
        "bias-missing",
        with_step(finish=lambda normalised, gain, bias: gain * normalised),
        _(
            "bias is not used. At the start of training it is all zeros, and nothing shows; in a "
            "trained model every component then lies off by what was learned. Add bias last."
        ),
        SECTION,
    ),
    Misconception(
        "gain-and-bias-missing",
        with_step(finish=lambda normalised, gain, bias: normalised),
        _(
            "Neither gain nor bias is used. The normalisation itself is right, but every vector "
            "then has the same length, and no component can count for more than another. "
            "Multiply by gain, then add bias."
        ),
        SECTION,
    ),
    Misconception(
        "gain-before-normalising",
        given_first(
            lambda x, gain, bias: gain * x + bias, lambda normalised, gain, bias: normalised
        ),
        _(
            "gain or bias acts on x before it is normalised. Then it changes mean and variance "
            "too, and part of what was learned is taken away again: a gain twice as large in every "
            "component does nothing. Normalise first."
        ),
        SECTION,
        (
            given_first(
                lambda x, gain, bias: gain * x, lambda normalised, gain, bias: normalised + bias
            ),
            given_first(
                lambda x, gain, bias: x + bias, lambda normalised, gain, bias: gain * normalised
            ),
        ),
    ),
    Misconception(
        "bias-scaled",
        with_step(finish=lambda normalised, gain, bias: gain * (normalised + bias)),
        _(
            "gain multiplies the bias too: bias is added before the product. With a gain near zero "
            "a component could then have no offset either. The order is gain times the normalised "
            "vector, plus bias."
        ),
        SECTION,
    ),
    Misconception(
        "gain-and-bias-exchanged",
        with_step(finish=lambda normalised, gain, bias: bias * normalised + gain),
        _(
            "gain and bias have changed places: bias multiplies, and gain is added. With the "
            "values at the start of training, zeros and ones, every vector becomes ones, "
            "whatever x holds. gain multiplies and bias is added."
        ),
        SECTION,
    ),
)

GRADIENTS = (
    Misconception(
        "statistics-detached",
        with_step(mean=lambda x: mean(x).detach(), divisor=lambda x: root(x).detach()),
        _(
            "The values are right, but autograd takes the mean or the variance for a constant. "
            "Shifting or stretching a whole vector leaves the output alone, and the true gradient "
            "has no part in these directions; yours pushes x along them. Leave out detach, item "
            "and no_grad."
        ),
        SECTION,
        (
            with_step(mean=lambda x: mean(x).detach()),
            with_step(divisor=lambda x: root(x).detach()),
        ),
        GRADIENT,
    ),
)

MISCONCEPTIONS = (*AXES, *DIVISORS, *CENTRE, *PARAMETERS, *GRADIENTS)
