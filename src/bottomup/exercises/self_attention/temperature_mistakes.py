"""Mistakes in the softmax at a temperature."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Temperature")
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


MISCONCEPTIONS = (
    Misconception(
        "multiplied",
        MULTIPLIED[0],
        _(
            "The logits are multiplied by the temperature, where they should be divided by it. A "
            "high temperature then makes the model surer, and a low one makes it guess. Divide: as "
            "T grows, the differences between the logits shrink."
        ),
        SECTION,
        (
            MULTIPLIED[1],
            lambda logits, temperature: _ratio(logits.softmax(-1) ** temperature),
        ),
    ),
    Misconception(
        "softmax-before-temperature",
        SOFTMAX_FIRST[0],
        _(
            "Two softmaxes: the temperature divides probabilities, and a second softmax follows. "
            "Probabilities lie between 0 and 1, so at T = 1 no token can be more than e times as "
            "likely as another, however sure the model is. Divide the logits."
        ),
        SECTION,
        (SOFTMAX_FIRST[1],),
    ),
    Misconception(
        "divided-after-softmax",
        lambda logits, temperature: logits.softmax(-1) / temperature,
        _(
            "The probabilities are divided by the temperature after the softmax. All of them "
            "shrink or grow alike: the rows no longer sum to one, and the odds between tokens stay "
            "as they were. Divide the logits, before the softmax."
        ),
        SECTION,
        (lambda logits, temperature: logits.softmax(-1) * temperature,),
    ),
    Misconception(
        "temperature-without-effect",
        lambda logits, temperature: logits.softmax(-1),
        _(
            "The result is the same at every temperature. What is added to all logits, or "
            "multiplies all exponentials, cancels when the row is normalised. The temperature has "
            "to divide the logits, inside the exponential."
        ),
        SECTION,
        (lambda logits, temperature: _ratio(logits.exp() / temperature),),
    ),
    Misconception(
        "root-of-the-temperature",
        ROOT[0],
        _(
            "The logits are divided by the square root of the temperature. A root belongs to the "
            "scores of attention, which are divided by the root of the width. Temperature divides "
            "as it is: at T = 2 the odds between two tokens become their square root."
        ),
        SECTION,
        (ROOT[1],),
    ),
    Misconception(
        "square-of-the-temperature",
        SQUARE[0],
        _(
            "The temperature is applied twice: the logits are divided by its square. At T = 1 this "
            "passes unseen; elsewhere every setting is stronger than it says. Divide once."
        ),
        SECTION,
        (SQUARE[1],),
    ),
    Misconception(
        "added-to-the-temperature",
        _raised(1e-3),
        _(
            "Something is added to the temperature before it divides, as one guards a division "
            "against zero. The temperature is never zero here. At T = 1e-6 even 1e-6 more makes it "
            "twice as high. Divide by T itself."
        ),
        SECTION,
        tuple(map(_raised, (1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9))),
        case=CLOSE,
    ),
    Misconception(
        "sign",
        SIGN[0],
        _(
            "The order of the tokens is reversed: the least likely one has become the most likely. "
            "A minus sign belongs to energies, where low is good; logits are good where they are "
            "high. Use e to the (+logit / T)."
        ),
        SECTION,
        (
            SIGN[1],
            lambda logits, temperature: _ratio(logits.softmax(-1) ** (-1 / temperature)),
        ),
    ),
    Misconception(
        "not-normalised",
        lambda logits, temperature: (logits / temperature).exp(),
        _(
            "The rows do not sum to one: these are the exponentials, or powers of the "
            "probabilities, before they are divided by their sum. After a temperature has been "
            "applied the sum is another, so the division has to come last."
        ),
        SECTION,
        (
            lambda logits, temperature: logits.softmax(-1) ** (1 / temperature),
            lambda logits, temperature: (
                (logits / temperature).exp() / logits.exp().sum(-1, keepdim=True)
            ),
        ),
    ),
    Misconception(
        "overflow",
        _unshifted,
        _(
            "A small temperature makes large exponents: a logit of 2 at T = 0.01 is 200, and e^200 "
            "is infinite in float32. The quotient is then inf/inf, NaN. Subtract the row's largest "
            "value first, or let `torch.softmax` do it."
        ),
        SECTION,
        (
            lambda logits, temperature: _unshifted(logits, temperature).nan_to_num(),
            lambda logits, temperature: (
                (logits / temperature).exp()
                / ((logits / temperature).exp().sum(-1, keepdim=True) + 1e-9)
            ),
        ),
        case=TINY,
    ),
    Misconception(
        "powers-of-rounded-probabilities",
        lambda logits, temperature: _ratio(logits.softmax(-1) ** (1 / temperature)),
        _(
            "The probabilities at T = 1 are raised to the power 1/T. On paper that is the same. In "
            "float32 a probability below 1e-45 is rounded to zero, and no temperature brings it "
            "back; a small T sends the whole row below it. Divide the logits instead."
        ),
        SECTION,
        (
            lambda logits, temperature: (logits.softmax(-1).log() / temperature).softmax(-1),
            lambda logits, temperature: ((logits.softmax(-1) + 1e-9).log() / temperature).softmax(
                -1
            ),
            lambda logits, temperature: _ratio(logits.exp() ** (1 / temperature)),
        ),
        case=FAR_APART,
    ),
    Misconception(
        "first-axis",
        _over_axis(0)[0],
        _(
            "The softmax runs over another axis than the vocabulary, so the rows do not sum to "
            "one. The sentences of a batch then share one budget of probability, and a token "
            "competes with itself elsewhere. Normalise the last axis: dim=-1."
        ),
        SECTION,
        (*_over_axis(0)[1:], *_over_axis(-2), *_over_axis(1)),
    ),
    Misconception(
        "one-sum-for-all-rows",
        _over_everything,
        _(
            "All rows are divided by one sum: the whole batch adds up to one, not each row. A "
            "`sum` without `dim` runs over all axes. The probabilities of a sentence then depend "
            "on the others in its batch. Sum over the last axis, with keepdim=True."
        ),
        SECTION,
        (_one_sum, _one_sum_shifted),
    ),
    Misconception(
        "one-largest-for-all-rows",
        _shifted_by_one_number,
        _(
            "All rows are shifted by one number, the largest logit of the batch: a `max` without "
            "`dim` runs over all axes. A row whose logits lie far below it then has nothing but "
            "zeros, and 0/0 is NaN. Subtract from each row its own largest value."
        ),
        SECTION,
        (
            lambda logits, temperature: _shifted_by_one_number(logits, temperature).nan_to_num(),
            lambda logits, temperature: _shifted_by_one_number(logits, temperature, 1e-9),
        ),
        case=TINY,
    ),
    Misconception(
        "logarithm",
        lambda logits, temperature: (logits / temperature).log_softmax(-1),
        _(
            "These are the logarithms of the probabilities: negative numbers that do not sum to "
            "one. A sampler that expects probabilities refuses them. Take the exponential."
        ),
        SECTION,
        (lambda logits, temperature: (logits / temperature).softmax(-1).log(),),
    ),
)
