"""How much of a dimension a feature has, with one step in another way."""

from collections.abc import Callable

from torch import Tensor
from torch.nn.functional import normalize

Answer = Callable[[Tensor], Tensor]
Formula = Callable[[Tensor, Tensor], Tensor]  # W and its directions -> what is returned


def divided(W: Tensor) -> Tensor:
    return W / W.norm(dim=0)


def _without_nan(result: Tensor) -> Tensor:
    return result.masked_fill(result.isnan(), 0)


def ways(*formulae: Formula) -> tuple[Answer, ...]:
    """Each formula with a column of zeros settled, and with NaN for it."""
    return tuple(answer for formula in formulae for answer in (settled(formula), naive(formula)))


def settled(formula: Formula) -> Answer:
    return lambda W: _without_nan(formula(W, normalize(W, dim=0)))


def naive(formula: Formula) -> Answer:
    return lambda W: formula(W, divided(W))


def settled_late(formula: Formula) -> Answer:
    """For a formula that spreads the NaN of one direction over all features."""
    return lambda W: _without_nan(formula(W, divided(W)))


def squares(W: Tensor) -> Tensor:
    return W.square().sum(0)


def products(W: Tensor, directions: Tensor) -> Tensor:
    return directions.T @ W


def shared(W: Tensor, directions: Tensor) -> Tensor:
    return products(W, directions).square().sum(1)


def with_numerator(numerator: Callable[[Tensor, Tensor], Tensor]) -> Formula:
    return lambda W, directions: numerator(W, directions) / shared(W, directions)


def over(denominator: Callable[[Tensor, Tensor], Tensor]) -> Formula:
    return lambda W, directions: squares(W) / denominator(W, directions)


def with_directions(directions: Answer) -> Formula:
    """Right but for what is taken for the directions."""
    return lambda W, unused: squares(W) / shared(W, directions(W))


def right(W: Tensor, directions: Tensor) -> Tensor:
    return squares(W) / shared(W, directions)


def of_rows(W: Tensor, unused: Tensor) -> Tensor:
    return right(W.T, divided(W.T))


def per_feature(W: Tensor, unused: Tensor) -> Tensor:
    return len(W) / W.square().sum()


def lengthened(small: float) -> tuple[Answer, ...]:
    """A small number is added to every length, to every sum, or to both."""

    def directions(W: Tensor) -> Tensor:
        return W / (W.norm(dim=0) + small)

    return ways(
        lambda W, unused: right(W, directions(W)),
        lambda W, unused: squares(W) / (shared(W, directions(W)) + small),
        lambda W, found: squares(W) / (shared(W, found) + small),
    )


def of_directions(W: Tensor, directions: Tensor) -> Tensor:
    return right(directions, directions)


def both(W: Tensor, directions: Tensor) -> Tensor:
    return squares(W) / shared(directions, directions)
