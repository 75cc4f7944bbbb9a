"""The toy model's loss with one step in another way: what the named mistakes are made of."""

from collections.abc import Callable

from torch import Tensor

Answer = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
Output = Callable[[Tensor, Tensor, Tensor], Tensor]
Reduce = Callable[[Tensor, Tensor], Tensor]  # error [sample, features], importance -> loss


def output(x: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return (x @ W.T @ W + b).relu()


def loss(error: Tensor, importance: Tensor) -> Tensor:
    return (importance * error.square()).sum(1).mean()


def with_output(output: Output) -> Answer:
    """Right but for x'."""
    return lambda x, W, b, importance: loss(x - output(x, W, b), importance)


def reduced(reduce: Reduce) -> Answer:
    """Right up to the errors, which become a number in another way."""
    return lambda x, W, b, importance: reduce(x - output(x, W, b), importance)


def weighed_by(weight: Callable[[Tensor], Tensor]) -> Answer:
    """Right but for what is made of the importance first."""
    return reduced(lambda error, importance: loss(error, weight(importance)))
