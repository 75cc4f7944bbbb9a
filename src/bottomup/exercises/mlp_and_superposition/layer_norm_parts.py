"""Layer normalisation with one step in another way: what the named mistakes are made of."""

from collections.abc import Callable

from torch import Tensor

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
